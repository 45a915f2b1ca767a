// SPDX-License-Identifier: Apache-2.0
// Random row kernels as tile IR text: loads, pointwise chains in three dtypes, broadcasts, row
// reductions, loops that carry rows or tiles.
#pragma once

#include <parhelion/dtype.h>

#include <cstdint>
#include <string>
#include <vector>

namespace cuda_test {

struct RandomKernel {
  std::string text, config;
  struct Argument {
    parhelion::DType dtype;
    std::vector<std::int64_t> sizes;
  };
  std::vector<Argument> arguments;
};

[[nodiscard]] RandomKernel random_kernel(std::uint64_t seed);

}  // namespace cuda_test
