// SPDX-License-Identifier: Apache-2.0
// A typed kernel and its arguments -> a traced Function; the trace key of a call.
#pragma once

#include "ir/tile/function.h"

#include <parhelion/kernel.h>

#include <span>
#include <string>
#include <vector>

namespace parhelion::lang {

/// Arguments in the order of the trace's parameters: those bound to callables stand in place.
struct FlatArguments {
  std::vector<TensorView> tensors;
  std::vector<const Argument*> scalars;
};
[[nodiscard]] FlatArguments flatten(std::span<const Argument> arguments);

/// Dtypes, ranks, kinds of scalars, constants and callables: equal keys may share a trace, as far
/// as its guards hold. Sizes and strides are no part of it.
[[nodiscard]] std::string trace_key(std::span<const Argument> arguments);

struct TracedKernel {
  ir::Function function;
  Diagnostics warnings;
};

/// Runs the body once. Mistakes of the user come back as diagnostics; other exceptions of the body
/// pass through.
[[nodiscard]] Result<TracedKernel> trace(const AnyKernel& kernel,
                                         std::span<const Argument> arguments);
/// Twice; the two must agree (PH1005, an impure body).
[[nodiscard]] Result<TracedKernel> trace_checked(const AnyKernel& kernel,
                                                 std::span<const Argument> arguments);

}  // namespace parhelion::lang
