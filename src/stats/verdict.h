// SPDX-License-Identifier: Apache-2.0
// The final validation's rule: does a finalist replace the default? (DESIGN section 6)
#pragma once

#include "stats/bootstrap.h"
#include "stats/tests.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace parhelion::stats {

/// Fresh data of one finalist: per process, the paired log-ratios log(default / finalist).
struct FinalistSamples {
  std::vector<std::vector<double>> processes;
};

struct VerdictRule {
  double alpha = 0.05;
  double least_gain = 0.005;  // the interval must lie above this log-ratio
  double least_effect = 0.8;  // mean over deviation of the process means
};

struct Verdict {
  bool accepted = false;
  std::string reason;  // the first condition that fails; empty when accepted
  double gain = 1;     // default / finalist: exp of the mean over processes
  double gain_low = 1, gain_high = 1;
  double p = 1, p_adjusted = 1;  // one-sided: faster than the default
  std::optional<double> effect;  // nothing without spread between processes
  int processes = 0;
  BootstrapInterval bootstrap;  // of the log-ratio
};

/// One verdict a finalist; p values are adjusted by Holm over all of them. Accepted if the adjusted
/// p is below alpha, the t interval over process means lies above the least gain, the effect is
/// large enough, and all processes agree in sign.
[[nodiscard]] std::vector<Verdict> judge(std::span<const FinalistSamples> finalists,
                                         const VerdictRule& rule = {});

}  // namespace parhelion::stats
