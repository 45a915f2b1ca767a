// SPDX-License-Identifier: Apache-2.0
// What the trials so far say of a new point: its value, and whether it works at all.
#pragma once

#include "search/archive.h"
#include "search/features.h"
#include "search/forest.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace parhelion::search {

class Surrogate {
 public:
  explicit Surrogate(const config::SearchSpace& space) : encoder_(space) {}

  /// Running trials count with the value that the model before this one predicts (a constant liar),
  /// so that the next proposals keep away from them.
  void fit(const Archive& archive, std::uint64_t seed);
  [[nodiscard]] bool fitted() const { return value_.fitted(); }
  [[nodiscard]] Prediction value(const Row& row, int subset = -1) const;
  /// Share of success that the model expects; 1 while nothing has failed.
  [[nodiscard]] double chance(const Row& row) const;

  /// The position of the candidate that promises most: the gain of mean - kappa deviation over
  /// `incumbent`, times the chance that it works. Nothing without candidates.
  [[nodiscard]] std::optional<std::size_t> best(const std::vector<config::Point>& candidates,
                                                double incumbent, double kappa, int subset) const;
  [[nodiscard]] double lower_bound(const config::Point& point, double kappa, int subset) const;

 private:
  Encoder encoder_;
  Forest value_;
  Forest works_;
  double center_ = 0;
};

}  // namespace parhelion::search
