// SPDX-License-Identifier: Apache-2.0
// A random forest over binned rows: the surrogate of the joint search. Of the models tried in
// replay it was the best at a few hundred points, ahead of extra trees (autotuning 7.3).
#pragma once

#include "base/rng.h"
#include "search/features.h"

#include <cstdint>
#include <span>
#include <vector>

namespace parhelion::search {

struct ForestOptions {
  int trees = 64;
  double feature_share = 0.6;  // columns that a split may look at
  int least_leaf = 2;          // samples
  int most_depth = 24;
};

struct Prediction {
  double mean = 0;
  double deviation = 0;  // between trees
};

class Forest {
 public:
  explicit Forest(ForestOptions options = {}) : options_(options) {}
  /// Rows and targets are as many, at least one; `ordered` describes the columns.
  void fit(std::span<const Row> rows, std::span<const double> targets,
           const std::vector<bool>& ordered, Rng& rng);
  [[nodiscard]] bool fitted() const { return !trees_.empty(); }
  /// By the trees whose number has the parity of `subset`, or by all (subset < 0): proposals that
  /// are made at one state of the model differ when each has its own half.
  [[nodiscard]] Prediction predict(const Row& row, int subset = -1) const;

 private:
  struct Node {
    std::uint64_t left_bins = 0;  // 0: a leaf
    std::uint32_t column = 0;
    std::uint32_t left = 0;  // the right child follows
    double value = 0;
  };
  using Tree = std::vector<Node>;
  class Grower;

  ForestOptions options_;
  std::vector<Tree> trees_;
};

}  // namespace parhelion::search
