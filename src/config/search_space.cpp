// SPDX-License-Identifier: Apache-2.0
#include "config/search_space.h"

#include "base/diag.h"

#include <algorithm>

namespace parhelion::config {

std::size_t SearchSpace::add(Param param) {
  PH_ASSERT(param.size() > 0, param.name + ": an empty domain");
  PH_ASSERT(param.fallback >= 0 && param.fallback < param.size(),
            param.name + ": the fallback is outside of the domain");
  PH_ASSERT(!find(param.name), param.name + ": two parameters of one name");
  for (const Condition& condition : param.active_if) {
    PH_ASSERT(condition.param < params_.size(), param.name + ": a condition on a later parameter");
  }
  params_.push_back(std::move(param));
  return params_.size() - 1;
}

void SearchSpace::add_seed(Point point) {
  const auto seed = repair(std::move(point));
  if (seed && std::ranges::find(seeds_, *seed) == seeds_.end()) seeds_.push_back(*seed);
}

std::optional<std::size_t> SearchSpace::find(std::string_view name) const {
  const auto found = std::ranges::find(params_, name, &Param::name);
  if (found == params_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - params_.begin());
}

Point SearchSpace::default_point() const {
  Point point;
  for (const Param& param : params_) point.choices.push_back(param.fallback);
  return canonical(std::move(point));
}

bool SearchSpace::active(const Point& point, std::size_t param) const {
  return std::ranges::all_of(params_[param].active_if, [&](const Condition& condition) {
    return std::ranges::find(condition.choices, point[condition.param]) !=
               condition.choices.end() &&
           active(point, condition.param);
  });
}

Point SearchSpace::canonical(Point point) const {
  PH_ASSERT(point.choices.size() == params_.size(), "a point of another space");
  for (std::size_t round = 0; round < params_.size() + 8; ++round) {
    const Point before = point;
    for (std::size_t i = 0; i < params_.size(); ++i) {
      if (!active(point, i)) point[i] = params_[i].fallback;
    }
    for (const Rewrite& rewrite : rewrites_) rewrite(point);
    if (point == before) return point;
  }
  PH_ASSERT(false, "the rewrites of a space do not come to rest");
  return point;
}

std::optional<PointRefusal> SearchSpace::refusal(const Point& point) const {
  for (const Rule& rule : rules_) {
    if (auto refused = rule(point)) return refused;
  }
  return std::nullopt;
}

Hash SearchSpace::id(const Point& point, int up_to_stage) const {
  Hasher hasher;
  for (std::size_t i = 0; i < params_.size(); ++i) {
    if (up_to_stage >= 0 && params_[i].stage > up_to_stage) continue;
    hasher.add(static_cast<std::uint64_t>(point[i]));
  }
  return hasher.finish();
}

std::string SearchSpace::text(const Point& point) const {
  std::string out;
  for (std::size_t i = 0; i < params_.size(); ++i) {
    if (!active(point, i)) continue;
    if (!out.empty()) out += ' ';
    out += params_[i].name + '=' + config::text(params_[i].value(point[i]));
  }
  return out;
}

Hash SearchSpace::digest() const {
  Hasher hasher;
  for (const Param& param : params_) {
    hasher.add(param.name).add(static_cast<std::uint64_t>(param.kind));
    hasher.add(static_cast<std::uint64_t>(param.size()));
    hasher.add(static_cast<std::uint64_t>(param.fallback));
    hasher.add(static_cast<std::uint64_t>(param.stage));
    // Ranges are told by their ends, so that wide ones stay cheap.
    hasher.add(config::text(param.value(0)));
    hasher.add(config::text(param.value(static_cast<Choice>(param.size() - 1))));
    for (const Value& value : param.values) hasher.add(config::text(value));
    for (const Condition& condition : param.active_if) {
      hasher.add(static_cast<std::uint64_t>(condition.param));
      for (const Choice choice : condition.choices) hasher.add(static_cast<std::uint64_t>(choice));
    }
  }
  return hasher.finish();
}

namespace {

/// A value that says: leave it to whoever comes next.
constexpr std::string_view unset = "default";

}  // namespace

Config SearchSpace::to_config(const Point& point) const {
  Config config;
  for (std::size_t i = 0; i < params_.size(); ++i) {
    const auto* key = std::get_if<Key>(&params_[i].stands_for);
    if (key == nullptr || !active(point, i)) continue;
    Value value = params_[i].value(point[i]);
    if (config::text(value) != unset) config.set(*key, std::move(value));
  }
  return config;
}

Controls SearchSpace::to_controls(const Point& point) const {
  Controls controls;
  for (std::size_t i = 0; i < params_.size(); ++i) {
    const auto* name = std::get_if<SettingName>(&params_[i].stands_for);
    if (name == nullptr || !active(point, i)) continue;
    const std::string value = config::text(params_[i].value(point[i]));
    if (value != unset) controls.set(name->tool, name->key, value);
  }
  return controls;
}

std::optional<Point> SearchSpace::from(const Config& config, const Controls& controls) const {
  Point point;
  for (const Param& param : params_) {
    Choice choice = param.fallback;
    std::optional<std::string> wanted;
    if (const auto* key = std::get_if<Key>(&param.stands_for)) {
      if (const Value* value = config.find(*key)) wanted = config::text(*value);
    } else if (const auto* name = std::get_if<SettingName>(&param.stands_for)) {
      if (const auto value = controls.find(name->tool, name->key)) wanted = std::string(*value);
    }
    if (wanted) {
      Choice i = 0;
      while (i < param.size() && config::text(param.value(i)) != *wanted) ++i;
      if (i == param.size()) return std::nullopt;
      choice = i;
    }
    point.choices.push_back(choice);
  }
  return canonical(std::move(point));
}

}  // namespace parhelion::config
