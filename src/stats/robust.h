// SPDX-License-Identifier: Apache-2.0
// Estimates that a few bad samples cannot move far. Times have heavy right tails: interrupts,
// clock changes, other processes.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace parhelion::stats {

// Samples must not be empty, unless a function says what it does then.
[[nodiscard]] double mean(std::span<const double> samples);
/// Divided by n - 1; 0 for one sample.
[[nodiscard]] double variance(std::span<const double> samples);
[[nodiscard]] double deviation(std::span<const double> samples);

/// Linear between order statistics: place p (n - 1), p in [0, 1].
[[nodiscard]] double quantile(std::span<const double> samples, double p);
[[nodiscard]] double median(std::span<const double> samples);

struct Quartiles {
  double low, middle, high;
};
[[nodiscard]] Quartiles quartiles(std::span<const double> samples);

/// Median absolute deviation, times 1.4826: the standard deviation of normal samples.
[[nodiscard]] double scaled_mad(std::span<const double> samples);
/// Samples farther than `width` scaled MADs from the median are moved to that distance. Nothing
/// moves when more than half of the samples are equal (the MAD is 0).
[[nodiscard]] std::vector<double> winsorised(std::span<const double> samples, double width = 5);

/// Correlation of neighbours, in [-1, 1]; 0 below three samples or without spread.
[[nodiscard]] double lag1_correlation(std::span<const double> samples);
/// By what factor the variance of a mean grows when samples follow AR(1): (1 + rho) / (1 - rho).
/// rho is held to [0, 0.95]: a negative estimate never narrows an interval.
[[nodiscard]] double ar1_inflation(double rho);

/// log(b / a) of each pair; both times positive.
[[nodiscard]] std::vector<double> paired_log_ratios(std::span<const double> a,
                                                    std::span<const double> b);

/// Rank correlation with mean ranks for ties; nothing below three pairs or without spread.
[[nodiscard]] std::optional<double> spearman(std::span<const double> a, std::span<const double> b);

}  // namespace parhelion::stats
