// SPDX-License-Identifier: Apache-2.0
// Random structured kernels with their arguments: element-wise ops, broadcasts, reductions, loops
// with carried values, branches, dots, several dtypes. Magnitudes are kept small, so that every
// result is finite and judged. The same seed gives the same kernel everywhere.
#pragma once

#include "support/array.h"

#include <cstdint>
#include <string>
#include <vector>

namespace parhelion::test {

struct RandomKernelOptions {
  int statements = 12;          // of each loop body, about
  bool dots = true, loops = true, branches = true, whiles = true, integers = true, casts = true;
  bool masks = true;            // compare and where
  bool second_root = true;      // sometimes, behind a barrier
  bool functions = true;        // exp, tanh, ... ; else exact arithmetic only
  std::vector<DType> floats = {DType::F32, DType::F32, DType::F16, DType::BF16};
  std::int64_t largest_size = 40;
};

struct RandomKernel {
  std::uint64_t seed = 0;
  std::string text;             // a .ph file of one kernel
  std::vector<Array> arrays;    // its tensor arguments, in order
};
[[nodiscard]] RandomKernel random_kernel(std::uint64_t seed,
                                         const RandomKernelOptions& options = {});

}  // namespace parhelion::test
