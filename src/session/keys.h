// SPDX-License-Identifier: Apache-2.0
// The keys of a call. Each refines the one before: trace key (lang/kernel_trace.h), code key
// (driver/specialize.h), exact key.
#pragma once

#include <parhelion/kernel.h>

#include <span>
#include <string>

namespace parhelion::session {

/// Dtypes, sizes, strides, alignment exponents up to 4, numbers, constants and callables: calls
/// with equal keys are the same launch at other addresses.
[[nodiscard]] std::string exact_key(const void* identity, std::span<const Argument> arguments);

}  // namespace parhelion::session
