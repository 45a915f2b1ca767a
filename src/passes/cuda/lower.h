// SPDX-License-Identifier: Apache-2.0
// Tile IR + CUDA Plan -> kernel IR: one entry for each root, one thread's view of a program.
// In: canonical tile IR that verifies, a Plan of it. Out: a module that verifies, with its shared
// memory placed; it decides nothing that the Plan has not decided. Stands after plan, before emit.
#pragma once

#include "ir/kernel/module.h"
#include "ir/tile/function.h"
#include "ir/tile/specialization.h"
#include "plan/cuda/plan.h"

namespace parhelion::passes::cuda {

[[nodiscard]] ir::kernel::Module lower(const ir::Function& function, const plan::cuda::Plan& plan,
                                       const ir::Specialization& specialization);

}  // namespace parhelion::passes::cuda
