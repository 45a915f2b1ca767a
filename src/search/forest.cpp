// SPDX-License-Identifier: Apache-2.0
#include "search/forest.h"

#include "base/diag.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>

namespace parhelion::search {

namespace {

struct Bin {
  double sum = 0;
  int count = 0;
  int number = 0;
};

struct Split {
  double gain = 0;  // of sum^2 / count, by which the squared error falls
  std::uint64_t left_bins = 0;
  std::uint32_t column = 0;
};

double score(double sum, int count) { return count == 0 ? 0 : sum * sum / count; }

/// The bins of a node's samples in one column, in the order in which thresholds run: by number, or
/// for categories by their mean, which for squared error holds the best of all subsets.
class Histogram {
 public:
  void add(int number, double target) {
    bins_[static_cast<std::size_t>(number)].sum += target;
    ++bins_[static_cast<std::size_t>(number)].count;
  }

  std::span<const Bin> sorted(bool ordered) {
    std::size_t used = 0;
    for (int number = 0; number < bin_count; ++number) {
      Bin bin = bins_[static_cast<std::size_t>(number)];
      if (bin.count == 0) continue;
      bin.number = number;
      bins_[used++] = bin;
    }
    if (!ordered) {
      std::ranges::stable_sort(bins_.begin(), bins_.begin() + static_cast<std::ptrdiff_t>(used), {},
                               [](const Bin& bin) { return bin.sum / bin.count; });
    }
    return {bins_.data(), used};
  }

 private:
  std::array<Bin, bin_count> bins_{};
};

/// Thresholds take the bins between two seen ones as well: a new point falls on the near side.
std::uint64_t below(int number) { return (std::uint64_t{1} << number) - 1; }

}  // namespace

class Forest::Grower {
 public:
  Grower(const ForestOptions& options, std::span<const Row> rows, std::span<const double> targets,
         const std::vector<bool>& ordered, Rng& rng)
      : options_(options), rows_(rows), targets_(targets), ordered_(ordered), rng_(rng) {}

  Tree grow() {
    samples_.clear();
    for (std::size_t i = 0; i < rows_.size(); ++i) samples_.push_back(rng_.below(rows_.size()));
    tree_.assign(1, Node());
    split(0, 0, samples_.size(), 0);
    return std::move(tree_);
  }

 private:
  void split(std::size_t node, std::size_t first, std::size_t last, int depth) {
    double sum = 0;
    for (std::size_t i = first; i < last; ++i) sum += targets_[samples_[i]];
    const int count = static_cast<int>(last - first);
    tree_[node].value = sum / count;
    if (count < 2 * options_.least_leaf || depth == options_.most_depth) return;
    const Split best = best_split(first, last, sum);
    if (best.left_bins == 0) return;
    const auto begin = samples_.begin();
    const auto middle = std::partition(
        begin + static_cast<std::ptrdiff_t>(first), begin + static_cast<std::ptrdiff_t>(last),
        [&](std::size_t s) { return (best.left_bins >> rows_[s][best.column] & 1) != 0; });
    const auto cut = static_cast<std::size_t>(middle - begin);
    const std::size_t left = tree_.size();
    tree_.resize(left + 2);
    tree_[node].left_bins = best.left_bins;
    tree_[node].column = best.column;
    tree_[node].left = static_cast<std::uint32_t>(left);
    split(left, first, cut, depth + 1);
    split(left + 1, cut, last, depth + 1);
  }

  Split best_split(std::size_t first, std::size_t last, double sum) {
    Split best;
    for (std::size_t column = 0; column < ordered_.size(); ++column) {
      if (!rng_.chance(options_.feature_share)) continue;
      Histogram histogram;
      for (std::size_t i = first; i < last; ++i) {
        histogram.add(rows_[samples_[i]][column], targets_[samples_[i]]);
      }
      scan(histogram.sorted(ordered_[column]), column, sum, static_cast<int>(last - first), best);
    }
    return best;
  }

  void scan(std::span<const Bin> bins, std::size_t column, double sum, int count,
            Split& best) const {
    double left_sum = 0;
    int left_count = 0;
    std::uint64_t left_bins = 0;
    const double whole = score(sum, count);
    // Below this a gain is rounding noise, and splitting on it would grow a tree over equal
    // targets.
    const double least = 1e-12 * (std::abs(whole) + 1e-300);
    for (std::size_t i = 0; i + 1 < bins.size(); ++i) {
      left_sum += bins[i].sum;
      left_count += bins[i].count;
      left_bins |= std::uint64_t{1} << bins[i].number;
      if (left_count < options_.least_leaf || count - left_count < options_.least_leaf) continue;
      const double gain =
          score(left_sum, left_count) + score(sum - left_sum, count - left_count) - whole;
      if (gain <= std::max(best.gain, least)) continue;
      const int middle = (bins[i].number + bins[i + 1].number + 1) / 2;
      best = {.gain = gain,
              .left_bins = ordered_[column] ? below(middle) : left_bins,
              .column = static_cast<std::uint32_t>(column)};
    }
  }

  const ForestOptions& options_;
  std::span<const Row> rows_;
  std::span<const double> targets_;
  const std::vector<bool>& ordered_;
  Rng& rng_;
  std::vector<std::size_t> samples_;
  Tree tree_;
};

void Forest::fit(std::span<const Row> rows, std::span<const double> targets,
                 const std::vector<bool>& ordered, Rng& rng) {
  PH_ASSERT(!rows.empty() && rows.size() == targets.size(), "a forest of nothing");
  trees_.clear();
  Grower grower(options_, rows, targets, ordered, rng);
  for (int t = 0; t < options_.trees; ++t) trees_.push_back(grower.grow());
}

Prediction Forest::predict(const Row& row, int subset) const {
  double sum = 0, squares = 0;
  int count = 0;
  for (std::size_t t = 0; t < trees_.size(); ++t) {
    if (subset >= 0 && static_cast<int>(t % 2) != subset % 2) continue;
    const Tree& tree = trees_[t];
    const Node* node = &tree.front();
    while (node->left_bins != 0) {
      const bool right = (node->left_bins >> row[node->column] & 1) == 0;
      node = &tree[node->left + (right ? 1 : 0)];
    }
    sum += node->value;
    squares += node->value * node->value;
    ++count;
  }
  const double mean = sum / count;
  return {.mean = mean, .deviation = std::sqrt(std::max(0.0, squares / count - mean * mean))};
}

}  // namespace parhelion::search
