// SPDX-License-Identifier: Apache-2.0
// Tier T0 on the CPU: a configuration from rules over sizes and caches, each choice with its
// reason. No search, no compiler. What a user's configuration names is left as it is.
#pragma once

#include "plan/cpu/plan.h"

#include <vector>

namespace parhelion::heuristics {

struct Choice {
  Config config;                  // complete: every parameter that the Plan reads
  std::vector<plan::Note> notes;  // one a parameter that was chosen here
};

[[nodiscard]] Choice choose_cpu(const plan::cpu::Subject& subject, const Config& given);

}  // namespace parhelion::heuristics
