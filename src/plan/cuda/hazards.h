// SPDX-License-Identifier: Apache-2.0
// Loads that may not be done again where they are needed.
#pragma once

#include "ir/tile/function.h"
#include "plan/cuda/classes.h"

#include <vector>

namespace parhelion::plan::cuda {

/// By ClassId: classes of loads whose memory is stored to before the last op that depends on them.
/// A row walked by chunks is loaded in every pass over it; one of these would read what was stored.
[[nodiscard]] std::vector<bool> overwritten_before_use(const ir::Function& function,
                                                       const ClassMap& map);

}  // namespace parhelion::plan::cuda
