// SPDX-License-Identifier: Apache-2.0
#include "config/space_walk.h"

namespace parhelion::config {

namespace {

/// From `from` on, every active parameter takes its first choice.
void reset(const SearchSpace& space, Point& point, std::size_t from) {
  for (std::size_t i = from; i < space.size(); ++i) {
    point[i] = space.active(point, i) ? 0 : space.params()[i].fallback;
  }
}

/// The next point without regard to rewrites.
bool advance(const SearchSpace& space, Point& point) {
  for (std::size_t i = space.size(); i-- > 0;) {
    if (!space.active(point, i) || point[i] + 1 >= space.params()[i].size()) continue;
    ++point[i];
    reset(space, point, i + 1);
    return true;
  }
  return false;
}

Point draw(const SearchSpace& space, Rng& rng) {
  Point point = space.default_point();
  for (std::size_t i = 0; i < space.size(); ++i) {
    const Param& param = space.params()[i];
    point[i] = space.active(point, i)
                   ? static_cast<Choice>(rng.below(static_cast<std::uint64_t>(param.size())))
                   : param.fallback;
  }
  return space.canonical(std::move(point));
}

}  // namespace

Point first_point(const SearchSpace& space) {
  Point point = space.default_point();
  reset(space, point, 0);
  // A rewrite may map the first point elsewhere: then it is met later, under that spelling.
  if (space.canonical(point) == point) return point;
  auto next = next_point(space, std::move(point));
  return next ? std::move(*next) : space.default_point();
}

std::optional<Point> next_point(const SearchSpace& space, Point point) {
  while (advance(space, point)) {
    if (space.canonical(point) == point) return point;
  }
  return std::nullopt;
}

std::optional<std::vector<Point>> enumerate(const SearchSpace& space, std::uint64_t visits) {
  std::vector<Point> points;
  for (std::optional<Point> point = first_point(space); point;
       point = next_point(space, std::move(*point))) {
    if (points.size() == visits) return std::nullopt;
    points.push_back(*point);
  }
  // Rules cost more than conditions: they are asked only when the points are few enough.
  std::erase_if(points, [&](const Point& p) { return !space.valid(p); });
  return points;
}

Sampler::Sampler(const SearchSpace& space, std::uint64_t visits)
    : space_(&space), all_(enumerate(space, visits)) {}

std::optional<Point> Sampler::sample(Rng& rng) const {
  if (all_) {
    if (all_->empty()) return std::nullopt;
    return (*all_)[rng.below(all_->size())];
  }
  // Repairs crowd at the edge of the legal region, so plain draws come first.
  constexpr int draws = 64, plain_draws = 16;
  for (int i = 0; i < draws; ++i) {
    Point point = draw(*space_, rng);
    if (space_->valid(point)) return point;
    if (i < plain_draws) continue;
    if (auto repaired = space_->repair(std::move(point))) return repaired;
  }
  return std::nullopt;
}

}  // namespace parhelion::config
