// SPDX-License-Identifier: Apache-2.0
// A kernel as CUDA text, compiled for the emulation and run thread by thread: what the tests of the
// CUDA backend share.
#pragma once

#include "emulation/launch.h"
#include "interp/interp.h"
#include "ir/kernel/module.h"
#include "ir/tile/function.h"
#include "ir/tile/specialization.h"

#include <parhelion/tensor.h>

#include <string>
#include <string_view>
#include <vector>

namespace cuda_test {

namespace ph = parhelion;

/// One tensor argument: its elements and what it looks like.
struct TensorData {
  ph::DType dtype = ph::DType::F32;
  std::vector<std::int64_t> sizes, strides;  // strides empty: row-major
  std::int64_t offset = 0;                   // elements before the first one: misaligned pointers
  std::vector<unsigned char> bytes;
  [[nodiscard]] ph::TensorView view();
};

enum class Fill { Normal, SmallIntegers, Special };
[[nodiscard]] TensorData random_tensor(ph::DType dtype, std::vector<std::int64_t> sizes,
                                       std::uint64_t seed, Fill fill = Fill::Normal,
                                       std::vector<std::int64_t> strides = {},
                                       std::int64_t offset = 0);

/// What the code key would know of a call: extents of full axes are static, nothing else is.
[[nodiscard]] ph::ir::Specialization specialize(const ph::ir::Function& function,
                                                std::span<const ph::TensorView> tensors,
                                                const std::vector<std::int64_t>& symbols);

[[nodiscard]] ph::ir::Function parse_kernel(std::string_view text);

struct Compiled {
  ph::ir::kernel::Module module;
  std::string text, plan;
};
/// Plan, lower, verify and print; throws with the refusal or the verifier's words.
[[nodiscard]] Compiled compile_cuda(const ph::ir::Function& function, std::string_view config,
                                    std::span<const ph::TensorView> tensors);

struct Run {
  Compiled compiled;
  ph::emulation::Report report;                     // findings of all launches
  std::vector<std::vector<unsigned char>> outputs;  // of function.returns, row-major
};
[[nodiscard]] Run run_emulated(
    const ph::ir::Function& function, std::string_view config, std::span<TensorData> tensors,
    const std::vector<ph::interp::Scalar>& scalars = {},
    ph::emulation::Schedule schedule = ph::emulation::Schedule::ProducerLate);

/// Runs by emulation and by the interpreter; empty when every element is inside its bound and the
/// emulation found nothing, else what is wrong, with the text.
[[nodiscard]] std::string judge(const ph::ir::Function& function, std::string_view config,
                                std::span<TensorData> tensors,
                                const std::vector<ph::interp::Scalar>& scalars = {});

}  // namespace cuda_test
