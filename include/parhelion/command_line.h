// SPDX-License-Identifier: Apache-2.0
// All verbs of the command line for a program's own kernels.
#pragma once

#include <parhelion/kernel.h>

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace parhelion {

/// Named extents of a problem: M=2048, N=3584.
using Shape = std::map<std::string, std::int64_t>;

struct ArgumentSpec {
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::int64_t> sizes;
};

/// A kernel that the command line offers. Only `kernel` is needed: its arguments then come from
/// `--arg x=f32[1024,512]`; with `arguments` it also takes `--shape` and `--dtype`.
struct ProgramKernel {
  std::string name, summary;
  AnyKernel kernel;
  Shape default_shape = {};
  DType default_dtype = DType::F32;
  /// Tensor arguments for a shape; tensors bound to callables come last.
  std::function<std::vector<ArgumentSpec>(const Shape&, DType)> arguments = {};
  /// The call: tensors in the order of `arguments`. Empty: one argument a tensor.
  std::function<std::vector<Argument>(std::span<const TensorView>)> call = {};
  /// Outputs in f64, by the plainest correct code.
  std::function<std::vector<Buffer>(std::span<const TensorView>)> reference = {};
  /// Least traffic and work of the maths.
  std::function<double(const Shape&, DType)> bytes = {}, flops = {};

  ProgramKernel(AnyKernel k) : name(k.name()), kernel(std::move(k)) {}
  ProgramKernel(std::string text, AnyKernel k)
      : name(k.name()), summary(std::move(text)), kernel(std::move(k)) {}
};

/// Exit status: 0 ok, 1 user error, 2 internal, 3 no significant gain, 4 wrong numbers.
int command_line(int argc, const char* const* argv, std::vector<ProgramKernel> kernels);

}  // namespace parhelion
