// SPDX-License-Identifier: Apache-2.0
// Executes a library made by a Recipe, thread by thread, on the CPU.
#pragma once

#include "base/dynamic_library.h"
#include "emulation/launch.h"

namespace parhelion::emulation {

/// One launch at a time for a library. PH8042: not such a library; PH8043: a launch that no device
/// would take. What is wrong with the kernel is in the report.
[[nodiscard]] Result<Report> run(const DynamicLibrary& library, const Launch& launch);

}  // namespace parhelion::emulation
