// SPDX-License-Identifier: Apache-2.0
// Significance tests and their intervals, corrections for many candidates, and how many samples a
// claim needs.
#pragma once

#include <optional>
#include <span>
#include <vector>

namespace parhelion::stats {

// Distributions (the only users of Boost.Math are behind these).
[[nodiscard]] double normal_cdf(double x);
[[nodiscard]] double normal_quantile(double p);
[[nodiscard]] double student_cdf(double t, double degrees);
[[nodiscard]] double student_quantile(double p, double degrees);

enum class Side { Both, Less, Greater };  // what the alternative says of the mean

struct TestResult {
  double statistic = 0, degrees = 0;
  double p = 1;
  double estimate = 0;       // mean, or difference of means
  double low = 0, high = 0;  // two-sided interval of the estimate at `level`
  double level = 0.95;
};

/// Mean of the samples against `expected`. Nothing below two samples. Samples without any spread
/// have p 0 or 1: nothing random is left to test.
[[nodiscard]] std::optional<TestResult> one_sample_t(std::span<const double> samples,
                                                     double expected = 0, Side side = Side::Both,
                                                     double level = 0.95);
/// mean(b) - mean(a), unequal variances. Nothing below two samples a side.
[[nodiscard]] std::optional<TestResult> welch_t(std::span<const double> a,
                                                std::span<const double> b, Side side = Side::Both,
                                                double level = 0.95);

/// (mean(b) - mean(a)) / pooled deviation; nothing below two samples a side or without spread.
[[nodiscard]] std::optional<double> cohens_d(std::span<const double> a, std::span<const double> b);
/// mean / deviation: the effect of paired differences.
[[nodiscard]] std::optional<double> cohens_d(std::span<const double> differences);

/// Adjusted p values in the order given: a family error of alpha holds when those below alpha are
/// rejected, whatever their dependence.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

/// Samples that a one-sample two-sided t test needs to see `effect` (in deviations) with `power`.
[[nodiscard]] int sample_size(double effect, double alpha = 0.05, double power = 0.8);

}  // namespace parhelion::stats
