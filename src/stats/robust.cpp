// SPDX-License-Identifier: Apache-2.0
#include "stats/robust.h"

#include "base/diag.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace parhelion::stats {

namespace {

double quantile_of_sorted(std::span<const double> sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 == sorted.size()) return sorted.back();
  const double share = place - static_cast<double>(below);
  // Not a + share (b - a): equal neighbours must give themselves.
  return sorted[below] * (1 - share) + sorted[below + 1] * share;
}

std::vector<double> sorted(std::span<const double> samples) {
  PH_ASSERT(!samples.empty(), "an estimate of no samples");
  std::vector<double> out(samples.begin(), samples.end());
  std::ranges::sort(out);
  return out;
}

/// Rank from 1, equal samples share the mean of their ranks.
std::vector<double> ranks(std::span<const double> samples) {
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return samples[i]; });
  std::vector<double> out(samples.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last + 1 < order.size() && samples[order[last + 1]] == samples[order[first]]) ++last;
    const double shared = 1 + static_cast<double>(first + last) / 2;
    for (std::size_t i = first; i <= last; ++i) out[order[i]] = shared;
    first = last + 1;
  }
  return out;
}

}  // namespace

double mean(std::span<const double> samples) {
  PH_ASSERT(!samples.empty(), "the mean of no samples");
  const double sum = std::accumulate(samples.begin(), samples.end(), 0.0);
  return sum / static_cast<double>(samples.size());
}

double variance(std::span<const double> samples) {
  if (samples.size() < 2) return 0;
  const double center = mean(samples);
  double squares = 0;
  for (const double s : samples) squares += (s - center) * (s - center);
  return squares / static_cast<double>(samples.size() - 1);
}

double deviation(std::span<const double> samples) { return std::sqrt(variance(samples)); }

double quantile(std::span<const double> samples, double p) {
  return quantile_of_sorted(sorted(samples), p);
}

double median(std::span<const double> samples) { return quantile(samples, 0.5); }

Quartiles quartiles(std::span<const double> samples) {
  const std::vector<double> all = sorted(samples);
  return {quantile_of_sorted(all, 0.25), quantile_of_sorted(all, 0.5),
          quantile_of_sorted(all, 0.75)};
}

double scaled_mad(std::span<const double> samples) {
  const double center = median(samples);
  std::vector<double> distances;
  for (const double s : samples) distances.push_back(std::abs(s - center));
  return 1.4826 * median(distances);
}

std::vector<double> winsorised(std::span<const double> samples, double width) {
  std::vector<double> out(samples.begin(), samples.end());
  const double reach = width * scaled_mad(samples);
  if (reach == 0) return out;
  const double center = median(samples);
  for (double& s : out) s = std::clamp(s, center - reach, center + reach);
  return out;
}

double lag1_correlation(std::span<const double> samples) {
  if (samples.size() < 3) return 0;
  const double center = mean(samples);
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    squares += (samples[i] - center) * (samples[i] - center);
    if (i > 0) products += (samples[i] - center) * (samples[i - 1] - center);
  }
  return squares == 0 ? 0 : std::clamp(products / squares, -1.0, 1.0);
}

double ar1_inflation(double rho) {
  const double held = std::clamp(rho, 0.0, 0.95);
  return (1 + held) / (1 - held);
}

std::vector<double> paired_log_ratios(std::span<const double> a, std::span<const double> b) {
  PH_ASSERT(a.size() == b.size(), "pairs need as many samples on both sides");
  std::vector<double> out;
  out.reserve(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    PH_ASSERT(a[i] > 0 && b[i] > 0, "a time that is not positive");
    out.push_back(std::log(b[i] / a[i]));
  }
  return out;
}

std::optional<double> spearman(std::span<const double> a, std::span<const double> b) {
  PH_ASSERT(a.size() == b.size(), "pairs need as many samples on both sides");
  if (a.size() < 3) return std::nullopt;
  const std::vector<double> ra = ranks(a), rb = ranks(b);
  const double center = static_cast<double>(a.size() + 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < ra.size(); ++i) {
    ab += (ra[i] - center) * (rb[i] - center);
    aa += (ra[i] - center) * (ra[i] - center);
    bb += (rb[i] - center) * (rb[i] - center);
  }
  if (aa == 0 || bb == 0) return std::nullopt;
  return ab / std::sqrt(aa * bb);
}

}  // namespace parhelion::stats
