// SPDX-License-Identifier: Apache-2.0
#include "config/space_walk.h"

#include <algorithm>

namespace parhelion::config {

namespace {

bool of_stage(const Param& param, int stage) { return stage == all_stages || param.stage == stage; }

/// What one step may turn `now` into.
std::vector<Choice> steps(const Param& param, Choice now) {
  std::vector<Choice> out;
  const auto size = static_cast<Choice>(param.size());
  if (param.ordered()) {
    if (now > 0) out.push_back(now - 1);
    if (now + 1 < size) out.push_back(now + 1);
    return out;
  }
  if (param.kind == ParamKind::Permutation) {
    const auto order = std::get<std::vector<std::int64_t>>(param.value(now));
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
      std::vector<std::int64_t> swapped = order;
      std::swap(swapped[i], swapped[i + 1]);
      out.push_back(*param.choice_of(swapped));
    }
    return out;
  }
  for (Choice choice = 0; choice < size; ++choice) {
    if (choice != now) out.push_back(choice);
  }
  return out;
}

/// A jump: half of the time one step, else anywhere, in both cases something else than `now`.
Choice jump(const Param& param, Choice now, Rng& rng) {
  const std::vector<Choice> near = steps(param, now);
  if (!near.empty() && rng.chance(0.5)) return near[rng.below(near.size())];
  const auto other = static_cast<Choice>(rng.below(static_cast<std::uint64_t>(param.size() - 1)));
  return other < now ? other : other + 1;
}

std::optional<std::size_t> pick(const SearchSpace& space, const Point& point, Rng& rng, int stage) {
  std::vector<std::size_t> open;
  double total = 0;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Param& param = space.params()[i];
    if (!of_stage(param, stage) || param.size() < 2 || !space.active(point, i)) continue;
    open.push_back(i);
    total += param.weight;
  }
  if (open.empty()) return std::nullopt;
  double at = rng.uniform() * total;
  for (const std::size_t i : open) {
    at -= space.params()[i].weight;
    if (at < 0) return i;
  }
  return open.back();
}

/// Parameters of stages before `stage` are the same.
bool same_before(const SearchSpace& space, const Point& a, const Point& b, int stage) {
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (space.params()[i].stage < stage && a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace

std::vector<Point> neighbours(const SearchSpace& space, const Point& point, int stage) {
  std::vector<Point> out;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (!of_stage(space.params()[i], stage) || !space.active(point, i)) continue;
    for (const Choice choice : steps(space.params()[i], point[i])) {
      Point candidate = point;
      candidate[i] = choice;
      candidate = space.canonical(std::move(candidate));
      // Only steps that can be taken back: closing a branch forgets the choices inside of it.
      Point back = candidate;
      back[i] = point[i];
      if (candidate == point || space.canonical(std::move(back)) != point) continue;
      if (candidate[i] != choice || !space.valid(candidate)) continue;
      out.push_back(std::move(candidate));
    }
  }
  return out;
}

std::optional<Point> mutate(const SearchSpace& space, const Point& point, Rng& rng, int stage,
                            int most) {
  constexpr int attempts = 16;
  for (int attempt = 0; attempt < attempts; ++attempt) {
    Point candidate = point;
    for (int changed = 0; changed < most; ++changed) {
      const auto param = pick(space, candidate, rng, stage);
      if (!param) return std::nullopt;
      candidate[*param] = jump(space.params()[*param], candidate[*param], rng);
      if (rng.chance(0.5)) break;
    }
    auto repaired = space.repair(std::move(candidate));
    if (repaired && *repaired != point && same_before(space, *repaired, point, stage)) {
      return repaired;
    }
  }
  return std::nullopt;
}

std::optional<Point> cross(const SearchSpace& space, const Point& a, const Point& b, Rng& rng) {
  Point child = a;
  std::vector<bool> from_b(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Param& param = space.params()[i];
    from_b[i] = param.active_if.empty() ? rng.chance(0.5) : from_b[param.active_if[0].param];
    if (from_b[i]) child[i] = b[i];
  }
  return space.repair(std::move(child));
}

std::optional<Point> transplant(const SearchSpace& space, const Point& base, const Point& donor,
                                int stage) {
  Point child = base;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (space.params()[i].stage == stage) child[i] = donor[i];
  }
  return space.repair(std::move(child));
}

}  // namespace parhelion::config
