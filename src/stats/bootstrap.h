// SPDX-License-Identifier: Apache-2.0
// Hierarchical bootstrap: processes are drawn, then runs of neighbouring samples inside of each, so
// that what is common to a process (memory placement) and to neighbours (clock) stays in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace parhelion::stats {

struct BootstrapInterval {
  double estimate = 0, low = 0, high = 0;
};

/// Of the mean over groups of the group means. Each group must hold a sample; runs are
/// `run_length` neighbours, cut where the group ends. Percentile interval.
[[nodiscard]] BootstrapInterval hierarchical_bootstrap(std::span<const std::vector<double>> groups,
                                                       int run_length = 10, int repeats = 2000,
                                                       std::uint64_t seed = 1, double level = 0.95);

}  // namespace parhelion::stats
