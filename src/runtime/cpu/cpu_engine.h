// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runtime/cpu/cpu_device.h"
#include "runtime/engine.h"

namespace parhelion::runtime::cpu {

/// The host's CPU. Pins the calling thread when the options say so.
[[nodiscard]] std::unique_ptr<Engine> make_cpu_engine(ThreadPool::Options options);

}  // namespace parhelion::runtime::cpu
