// SPDX-License-Identifier: Apache-2.0
// Kernel IR of CUDA -> CUDA C++ that NVRTC, nvcc and, with the emulated prelude, g++ compile.
#pragma once

#include "emit/common/c_family.h"
#include "ir/kernel/module.h"

namespace parhelion::emit::cuda {

/// One text with all entries of the module: `extern "C" __global__ void NAME(...)`, the launch
/// parameters in order. It includes "prelude.cuh" and nothing else. The module must verify.
[[nodiscard]] SourceText print(const ir::kernel::Module& module, Options options = {});

}  // namespace parhelion::emit::cuda
