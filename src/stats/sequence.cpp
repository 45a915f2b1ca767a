// SPDX-License-Identifier: Apache-2.0
#include "stats/sequence.h"

#include "base/diag.h"
#include "stats/robust.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace parhelion::stats {

namespace {

double sum_of_squares(std::span<const double> samples) {
  return variance(samples) * static_cast<double>(samples.size() - 1);
}

}  // namespace

double sequence_half_width(double s, int n, double r, double alpha) {
  PH_ASSERT(n > 0, "a confidence sequence of no samples");
  return s * std::sqrt((n + r) / (static_cast<double>(n) * n) *
                       std::log((n + r) / (r * alpha * alpha)));
}

SequenceEstimate sequence_estimate(std::span<const double> log_ratios, const SpreadPrior& prior,
                                   double r, double alpha) {
  const std::vector<double> held = winsorised(log_ratios);
  const auto n = static_cast<double>(held.size());
  const double pooled =
      (prior.weight * prior.sigma * prior.sigma + sum_of_squares(held)) / (prior.weight + n - 1);
  const double deviation = std::sqrt(pooled * ar1_inflation(prior.rho));
  const int count = static_cast<int>(held.size());
  return {.mean = mean(held),
          .half_width = sequence_half_width(deviation, count, r, alpha),
          .deviation = deviation,
          .n = count};
}

std::string_view name(RaceDecision decision) {
  switch (decision) {
    case RaceDecision::Continue: return "continue";
    case RaceDecision::Reject: return "reject";
    case RaceDecision::Promote: return "promote";
    case RaceDecision::Tie: return "tie";
  }
  return "";
}

RaceDecision decide(const SequenceEstimate& estimate, const RaceRule& rule) {
  const double low = estimate.mean - estimate.half_width;
  const double high = estimate.mean + estimate.half_width;
  if (low > -rule.keep_going) return RaceDecision::Reject;
  if (high < 0) return RaceDecision::Promote;
  if (std::abs(estimate.mean) + estimate.half_width < rule.tie) return RaceDecision::Tie;
  if (estimate.n < rule.most_samples) return RaceDecision::Continue;
  return estimate.mean > 0 ? RaceDecision::Reject : RaceDecision::Tie;
}

void SpreadPool::add(std::span<const double> log_ratios) {
  if (log_ratios.size() < 3) return;
  const std::vector<double> held = winsorised(log_ratios);
  const auto n = static_cast<double>(held.size());
  squares_ += sum_of_squares(held);
  degrees_ += n - 1;
  // The estimate from n samples is low by about (1 + 3 rho) / n (Kendall's expansion).
  const double rho = lag1_correlation(held);
  rho_sum_ += n * (rho + (1 + 3 * rho) / n);
  rho_weight_ += n;
}

SpreadPrior SpreadPool::prior() const {
  SpreadPrior out = start_;
  const double start_squares = start_.weight * start_.sigma * start_.sigma;
  out.sigma = std::sqrt((start_squares + squares_) / (start_.weight + degrees_));
  out.rho = std::clamp(rho_sum_ / (rho_weight_ + start_.weight), 0.0, 0.95);
  return out;
}

}  // namespace parhelion::stats
