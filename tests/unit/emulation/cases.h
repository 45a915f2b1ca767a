// SPDX-License-Identifier: Apache-2.0
// Ten-line kernels, one for each rule of the emulation: right as they stand, wrong with `wrong`
// set.
#pragma once

#include "emulation/launch.h"

#include <span>

namespace emulation_test {

struct Case {
  const char* name;
  parhelion::emulation::Kind kind;  // what the wrong form is reported as
  // Sees `const u32* in` (512 words, 0 1 2 ...), `u32* out` (512 words), `int wrong`, `int t`.
  // The report names the line that ends in `// here`.
  const char* body;
  int threads = 64;
  bool every_schedule = true;  // else the wrong form needs the schedules that let copies land late
};

/// Compiles all cases as one text; every right form is clean under every schedule, every wrong form
/// is reported with its kind and line.
void check_cases(std::span<const Case> cases);

}  // namespace emulation_test
