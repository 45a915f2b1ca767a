// SPDX-License-Identifier: Apache-2.0
#include "config/space_walk.h"

namespace parhelion::config {

namespace {

/// Depth first over the active choices; an inactive parameter has one.
class Enumerator {
 public:
  Enumerator(const SearchSpace& space, std::uint64_t visits) : space_(space), left_(visits) {
    point_.choices.resize(space.size());
  }

  std::optional<std::vector<Point>> run() {
    if (!leaves(0)) return std::nullopt;
    // Rules cost more than conditions: they are asked only when the leaves are few enough.
    std::erase_if(points_, [&](const Point& point) { return !space_.valid(point); });
    return std::move(points_);
  }

 private:
  bool leaves(std::size_t param) {
    if (param == space_.size()) {
      if (left_ == 0) return false;
      --left_;
      if (space_.canonical(point_) == point_) points_.push_back(point_);
      return true;
    }
    const Param& p = space_.params()[param];
    if (!space_.active(point_, param)) {
      point_[param] = p.fallback;
      return leaves(param + 1);
    }
    for (Choice choice = 0; choice < p.size(); ++choice) {
      point_[param] = choice;
      if (!leaves(param + 1)) return false;
    }
    return true;
  }

  const SearchSpace& space_;
  std::uint64_t left_;
  Point point_;
  std::vector<Point> points_;
};

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

std::optional<std::vector<Point>> enumerate(const SearchSpace& space, std::uint64_t visits) {
  return Enumerator(space, visits).run();
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
