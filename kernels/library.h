// SPDX-License-Identifier: Apache-2.0
// The kernel library: each kernel in the public language, with its shapes and a plain reference.
#pragma once

#include <parhelion/command_line.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace parhelion::kernels {

using LibraryKernel = ProgramKernel;

[[nodiscard]] const std::vector<LibraryKernel>& library();
[[nodiscard]] const LibraryKernel* find(std::string_view name);

/// out[i] = x[i] + y[i]; x, y [n].
LibraryKernel vector_add();
/// Softmax over the last axis, f32 inside; x [m, n].
LibraryKernel softmax();
/// epilogue(a [m, k] x b [k, n]), f32 accumulator, rounded to a's dtype.
LibraryKernel matmul();
/// gelu(a x b + bias [n]): matmul with an epilogue that reads a bound tensor.
LibraryKernel matmul_bias_gelu();

/// Element `index` of a contiguous or strided view as a double (f16 and bf16 too).
[[nodiscard]] double element(const TensorView& view, std::initializer_list<std::int64_t> index);

}  // namespace parhelion::kernels
