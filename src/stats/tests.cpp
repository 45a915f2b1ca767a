// SPDX-License-Identifier: Apache-2.0
#include "stats/tests.h"

#include "stats/robust.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace parhelion::stats {

namespace {

double p_value(double t, double degrees, Side side) {
  switch (side) {
    case Side::Less: return student_cdf(t, degrees);
    case Side::Greater: return student_cdf(-t, degrees);
    case Side::Both: break;
  }
  return 2 * student_cdf(-std::abs(t), degrees);
}

double p_without_spread(double difference, Side side) {
  switch (side) {
    case Side::Less: return difference < 0 ? 0 : 1;
    case Side::Greater: return difference > 0 ? 0 : 1;
    case Side::Both: break;
  }
  return difference != 0 ? 0 : 1;
}

TestResult finish(double estimate, double expected, double error, double degrees, Side side,
                  double level) {
  TestResult result{
      .degrees = degrees, .estimate = estimate, .low = estimate, .high = estimate, .level = level};
  if (error == 0) {
    result.p = p_without_spread(estimate - expected, side);
    return result;
  }
  result.statistic = (estimate - expected) / error;
  result.p = p_value(result.statistic, degrees, side);
  const double half = student_quantile(0.5 + level / 2, degrees) * error;
  result.low = estimate - half;
  result.high = estimate + half;
  return result;
}

}  // namespace

std::optional<TestResult> one_sample_t(std::span<const double> samples, double expected, Side side,
                                       double level) {
  if (samples.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(samples.size());
  const double error = deviation(samples) / std::sqrt(n);
  return finish(mean(samples), expected, error, n - 1, side, level);
}

std::optional<TestResult> welch_t(std::span<const double> a, std::span<const double> b, Side side,
                                  double level) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const auto na = static_cast<double>(a.size()), nb = static_cast<double>(b.size());
  const double va = variance(a) / na, vb = variance(b) / nb;
  const double squared = va + vb;
  // Welch-Satterthwaite; without spread the degrees do not matter.
  const double degrees =
      squared == 0 ? na + nb - 2 : squared * squared / (va * va / (na - 1) + vb * vb / (nb - 1));
  return finish(mean(b) - mean(a), 0, std::sqrt(squared), degrees, side, level);
}

std::optional<double> cohens_d(std::span<const double> a, std::span<const double> b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  const auto na = static_cast<double>(a.size()), nb = static_cast<double>(b.size());
  const double pooled = ((na - 1) * variance(a) + (nb - 1) * variance(b)) / (na + nb - 2);
  if (pooled == 0) return std::nullopt;
  return (mean(b) - mean(a)) / std::sqrt(pooled);
}

std::optional<double> cohens_d(std::span<const double> differences) {
  if (differences.size() < 2) return std::nullopt;
  const double spread = deviation(differences);
  if (spread == 0) return std::nullopt;
  return mean(differences) / spread;
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size());
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const auto left = static_cast<double>(order.size() - rank);
    largest = std::max(largest, std::min(1.0, left * p[order[rank]]));
    adjusted[order[rank]] = largest;
  }
  return adjusted;
}

}  // namespace parhelion::stats
