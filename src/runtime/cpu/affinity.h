// SPDX-License-Identifier: Apache-2.0
// Which CPUs this process may use, and tying threads to them.
#pragma once

#include <vector>

namespace parhelion::runtime::cpu {

/// CPUs of this process, one of each physical core first, then the siblings.
[[nodiscard]] std::vector<int> usable_cpus();
/// Ties the calling thread to one CPU. False where the system refuses: it then floats as before.
bool pin_this_thread(int cpu);

}  // namespace parhelion::runtime::cpu
