// SPDX-License-Identifier: Apache-2.0
// Intervals that hold at every look: a race may stop whenever it likes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace parhelion::stats {

/// Half width of the confidence sequence of a mean after n samples of deviation s (normal mixture):
/// s sqrt((n + r) / n^2 ln((n + r) / (r alpha^2))). With probability 1 - alpha the mean stays
/// inside at all n at once; r is about where the sequence is tightest.
[[nodiscard]] double sequence_half_width(double s, int n, double r = 8, double alpha = 0.05);

/// What earlier races say of the spread, so that four equal samples do not claim certainty.
struct SpreadPrior {
  double sigma = 0.003;  // of one paired log-ratio
  double weight = 8;     // samples that it counts for
  double rho = 0;        // correlation of neighbours, pooled
};

struct SequenceEstimate {
  double mean = 0, half_width = 0, deviation = 0;
  int n = 0;
};
/// Winsorised at 5 MAD, spread pooled with the prior, inflated by AR(1), half width at all n.
[[nodiscard]] SequenceEstimate sequence_estimate(std::span<const double> log_ratios,
                                                 const SpreadPrior& prior, double r = 8,
                                                 double alpha = 0.05);

struct RaceRule {
  double keep_going = 0.001;  // a challenger must promise more than this gain (log ratio)
  double tie = 0.002;         // closer than this counts as equal
  double drop = 1.25;         // rung 0: slower than this times the incumbent is out
  int most_samples = 256;
};

enum class RaceDecision : std::uint8_t { Continue, Reject, Promote, Tie };
[[nodiscard]] std::string_view name(RaceDecision decision);
/// Of log(challenger / incumbent): negative means faster.
[[nodiscard]] RaceDecision decide(const SequenceEstimate& estimate, const RaceRule& rule = {});

/// Spread and correlation gathered over the races of a search.
class SpreadPool {
 public:
  void add(std::span<const double> log_ratios);
  [[nodiscard]] SpreadPrior prior() const;

 private:
  SpreadPrior start_;
  double squares_ = 0, degrees_ = 0;  // within races, around their means
  double rho_sum_ = 0, rho_weight_ = 0;
};

}  // namespace parhelion::stats
