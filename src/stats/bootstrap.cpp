// SPDX-License-Identifier: Apache-2.0
#include "stats/bootstrap.h"

#include "base/diag.h"
#include "base/rng.h"
#include "stats/robust.h"

#include <algorithm>

namespace parhelion::stats {

namespace {

/// Mean of runs of neighbours drawn until as many samples are in as the group has.
double resampled_mean(const std::vector<double>& group, std::size_t run, Rng& rng) {
  run = std::min(run, group.size());
  double sum = 0;
  std::size_t taken = 0;
  while (taken < group.size()) {
    const std::size_t start = rng.below(group.size() - run + 1);
    const std::size_t length = std::min(run, group.size() - taken);
    for (std::size_t i = 0; i < length; ++i) sum += group[start + i];
    taken += length;
  }
  return sum / static_cast<double>(taken);
}

}  // namespace

BootstrapInterval hierarchical_bootstrap(std::span<const std::vector<double>> groups,
                                         int run_length, int repeats, std::uint64_t seed,
                                         double level) {
  PH_ASSERT(!groups.empty() && run_length > 0 && repeats > 0, "a bootstrap of nothing");
  std::vector<double> group_means;
  for (const std::vector<double>& group : groups) group_means.push_back(mean(group));
  std::vector<double> means;
  means.reserve(static_cast<std::size_t>(repeats));
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Rng rng(seed, static_cast<std::uint64_t>(repeat));
    double sum = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      sum += resampled_mean(groups[rng.below(groups.size())], static_cast<std::size_t>(run_length),
                            rng);
    }
    means.push_back(sum / static_cast<double>(groups.size()));
  }
  return {.estimate = mean(group_means),
          .low = quantile(means, 0.5 - level / 2),
          .high = quantile(means, 0.5 + level / 2)};
}

}  // namespace parhelion::stats
