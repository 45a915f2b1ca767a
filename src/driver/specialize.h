// SPDX-License-Identifier: Apache-2.0
// The layout facts of one call that compiled code may rely on: the code key beyond the trace.
#pragma once

#include "ir/tile/host.h"
#include "ir/tile/specialization.h"

#include <parhelion/tensor.h>

#include <span>
#include <string>

namespace parhelion::driver {

/// `tensors`: the tensor parameters in order; `host` is what evaluate_host made of them.
[[nodiscard]] ir::Specialization specialize(const ir::Function& function, const ir::HostState& host,
                                            std::span<const TensorView> tensors);
/// Text of what the code relies on; equal texts may share compiled code. Sizes are in it only where
/// they are static.
[[nodiscard]] std::string code_key(const ir::Specialization& specialization);

}  // namespace parhelion::driver
