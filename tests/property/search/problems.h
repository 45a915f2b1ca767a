// SPDX-License-Identifier: Apache-2.0
// Search problems with known answers: a space, the true value of each point (log time), and how an
// evaluation of it looks.
#pragma once

#include "base/rng.h"
#include "config/search_space.h"
#include "search/archive.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::search::problems {

struct Problem {
  std::string name;
  std::unique_ptr<config::SearchSpace> space;  // rules may point at it: it does not move
  /// Nothing: the point fails, and shows it only when it is tried.
  std::function<std::optional<double>(const config::Point&)> truth;
  double noise = 0;               // deviation of one evaluation
  std::optional<double> optimum;  // smallest truth, where it is known
};

/// Squared distances from a hidden point, in numbers and categories; optimum 0.
[[nodiscard]] Problem sphere_mixed(std::uint64_t seed);
/// Share of switches that are off; optimum 0.
[[nodiscard]] Problem onemax(int switches);
/// A category opens one of three sub-spaces of different depth, one of them holds the optimum.
[[nodiscard]] Problem conditional_tree();
/// An analytic model of a tiled kernel on a GPU: roofline, occupancy, limits of memory and
/// registers.
[[nodiscard]] Problem tile_roof();
/// tile_roof, with 16 settings whose effect depends on the tile by `coupling`.
[[nodiscard]] Problem two_layer(double coupling, std::uint64_t seed);
/// Most settings change nothing.
[[nodiscard]] Problem dup_heavy();
/// Flat, with noise.
[[nodiscard]] Problem free_lunch();
/// A hidden region fails; the optimum is at its border.
[[nodiscard]] Problem hidden_fail();
/// The fastest 5 % are wrong (which an evaluation finds out).
[[nodiscard]] Problem wrong_fast();

/// All of them, of one seed.
[[nodiscard]] std::vector<Problem> all(std::uint64_t seed);

/// What a strategy is told; the noise of a point depends on the point and the seed alone.
[[nodiscard]] Outcome evaluate(const Problem& problem, const config::Point& point,
                               std::uint64_t seed);

}  // namespace parhelion::search::problems
