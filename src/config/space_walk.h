// SPDX-License-Identifier: Apache-2.0
// Ways through a SearchSpace: all of its points, uniform samples, neighbours, mutation, crossover.
// Every point that comes out is canonical and valid.
#pragma once

#include "base/rng.h"
#include "config/search_space.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace parhelion::config {

// Walks over all canonical points in lexicographic order; rules are not asked.
[[nodiscard]] Point first_point(const SearchSpace& space);
[[nodiscard]] std::optional<Point> next_point(const SearchSpace& space, Point point);

/// All valid canonical points in order, or nothing when more than `visits` raw leaves would have to
/// be looked at.
[[nodiscard]] std::optional<std::vector<Point>> enumerate(const SearchSpace& space,
                                                          std::uint64_t visits = 20'000);

/// Uniform over the valid points where they can be enumerated within `visits`. Else parameters are
/// drawn in order and an illegal draw is repaired: uniform over the choices of each parameter.
class Sampler {
 public:
  explicit Sampler(const SearchSpace& space, std::uint64_t visits = 20'000);
  /// Nothing when the space holds no valid point (or 64 draws and their repairs found none).
  [[nodiscard]] std::optional<Point> sample(Rng& rng) const;
  /// Valid points, where they were enumerated.
  [[nodiscard]] const std::optional<std::vector<Point>>& all() const { return all_; }

 private:
  const SearchSpace* space_;
  std::optional<std::vector<Point>> all_;
};

/// Restricts a move to the parameters of one stage; -1: all.
inline constexpr int all_stages = -1;

/// One step of one active parameter: next in order, any other of a category, one adjacent swap.
/// Symmetric: q is a neighbour of p exactly if p is one of q.
[[nodiscard]] std::vector<Point> neighbours(const SearchSpace& space, const Point& point,
                                            int stage = all_stages);

/// Changes one active parameter, often more (each further one with probability 1/2, to `most`).
[[nodiscard]] std::optional<Point> mutate(const SearchSpace& space, const Point& point, Rng& rng,
                                          int stage = all_stages, int most = 3);

/// Each parameter from either parent (those of one condition together with it).
[[nodiscard]] std::optional<Point> cross(const SearchSpace& space, const Point& a, const Point& b,
                                         Rng& rng);

/// `base` with the parameters of `stage` taken from `donor`.
[[nodiscard]] std::optional<Point> transplant(const SearchSpace& space, const Point& base,
                                              const Point& donor, int stage);

}  // namespace parhelion::config
