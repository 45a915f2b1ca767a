// SPDX-License-Identifier: Apache-2.0
// Random kernels under random configurations: the emulated CUDA text against the interpreter.
#include "../../numeric/cuda/emulated_kernel.h"
#include "random_kernel.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace cuda_test;

namespace {

constexpr std::uint64_t first_seed = 1, kernels = 100;

std::string run(std::uint64_t seed) {
  const RandomKernel k = random_kernel(seed);
  std::vector<TensorData> tensors;
  for (const RandomKernel::Argument& a : k.arguments) {
    tensors.push_back(random_tensor(a.dtype, a.sizes, seed * 10 + tensors.size()));
  }
  std::string wrong = judge(parse_kernel(k.text), k.config, tensors);
  // Rows that a loop carries may be too long for the registers of so few threads.
  if (wrong.starts_with("refused"))
    wrong = judge(parse_kernel(k.text), "block[a0]=1 warps=8", tensors);
  return wrong.empty() ? wrong : k.config + "\n" + k.text + wrong;
}

}  // namespace

TEST_CASE("random kernels agree with the interpreter") {
  for (std::uint64_t seed = first_seed; seed < first_seed + kernels; ++seed) {
    CAPTURE(seed);
    const std::string wrong = run(seed);
    CHECK_MESSAGE(wrong.empty(), wrong);
  }
}
