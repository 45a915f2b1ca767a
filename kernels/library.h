// SPDX-License-Identifier: Apache-2.0
// The kernel library: each kernel in the public language, with its shapes and a plain reference.
#pragma once

#include <parhelion/kernel.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace parhelion::kernels {

/// Named extents of a problem: M=2048, N=3584.
using Shape = std::map<std::string, std::int64_t>;

struct ArgumentSpec {
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::int64_t> sizes;
};

struct LibraryKernel {
  std::string name, summary;
  AnyKernel kernel;
  Shape default_shape;
  DType default_dtype = DType::F32;
  /// Tensor arguments of the kernel for a shape; tensors bound to an epilogue come last.
  std::function<std::vector<ArgumentSpec>(const Shape&, DType)> arguments;
  /// The call: `tensors` in the order of `arguments`.
  std::function<std::vector<Argument>(std::span<const TensorView>)> call;
  /// Outputs in f64, by the plainest correct code; the shapes of kernels.md.
  std::function<std::vector<Buffer>(std::span<const TensorView>)> reference;
  /// Least traffic and work of the maths, for roofline figures.
  std::function<double(const Shape&, DType)> bytes, flops;
};

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
