// SPDX-License-Identifier: Apache-2.0
#include "config/search_space.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace parhelion::config {

namespace {

constexpr int most_steps = 32, most_looks = 512;

/// Choices to try instead of `now`, nearest first; wide domains are thinned by doubling steps.
std::vector<Choice> alternatives(const Param& param, Choice now) {
  std::vector<Choice> out;
  const auto size = static_cast<Choice>(param.size());
  if (size <= 16) {
    for (Choice c = 0; c < size; ++c) {
      if (c != now) out.push_back(c);
    }
  } else {
    for (Choice step = 1; step < size; step *= 2) {
      if (now - step >= 0) out.push_back(now - step);
      if (now + step < size) out.push_back(now + step);
    }
  }
  std::ranges::stable_sort(out, {}, [&](Choice c) { return std::abs(c - now); });
  return out;
}

/// Walks from a refused point to points that break fewer rules.
class Repairer {
 public:
  using Rules = std::vector<SearchSpace::Rule>;
  Repairer(const SearchSpace& space, const Rules& rules) : space_(space), rules_(rules) {}

  std::optional<Point> run(Point point) {
    for (int step = 0; step < most_steps; ++step) {
      visited_.insert(point);
      const auto refused = space_.refusal(point);
      if (!refused) return point;
      if (refused->repaired) {
        Point repaired = space_.canonical(*refused->repaired);
        if (!visited_.contains(repaired)) {
          point = std::move(repaired);
          continue;
        }
      }
      auto better = step_by_coordinate(point);
      if (!better) return std::nullopt;
      point = std::move(*better);
    }
    return std::nullopt;
  }

 private:
  std::size_t broken(const Point& point) {
    ++looks_;
    return static_cast<std::size_t>(
        std::ranges::count_if(rules_, [&](const auto& rule) { return rule(point).has_value(); }));
  }

  std::optional<Point> step_by_coordinate(const Point& point) {
    std::optional<Point> best;
    std::size_t fewest = rules_.size() + 1;
    Choice nearest = 0;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      if (!space_.active(point, i)) continue;
      for (const Choice choice : alternatives(space_.params()[i], point[i])) {
        if (looks_ >= most_looks) return best;
        Point candidate = point;
        candidate[i] = choice;
        candidate = space_.canonical(std::move(candidate));
        if (visited_.contains(candidate)) continue;
        const std::size_t left = broken(candidate);
        const Choice distance = std::abs(choice - point[i]);
        if (left > fewest || (left == fewest && distance >= nearest)) continue;
        fewest = left;
        nearest = distance;
        best = std::move(candidate);
      }
    }
    return best;
  }

  const SearchSpace& space_;
  const Rules& rules_;
  std::set<Point> visited_;
  int looks_ = 0;
};

}  // namespace

std::optional<Point> SearchSpace::repair(Point point) const {
  return Repairer(*this, rules_).run(canonical(std::move(point)));
}

}  // namespace parhelion::config
