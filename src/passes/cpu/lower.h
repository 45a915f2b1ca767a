// SPDX-License-Identifier: Apache-2.0
// Tile IR + CPU Plan -> kernel IR: one entry a phase, programs walked by ranges, vector strips.
// In: canonical tile IR that verifies, a Plan of it. Out: a module that verifies; it decides
// nothing that the Plan has not decided. Stands after plan, before emit.
#pragma once

#include "ir/kernel/module.h"
#include "ir/tile/function.h"
#include "ir/tile/specialization.h"
#include "plan/cpu/plan.h"

namespace parhelion::passes::cpu {

[[nodiscard]] ir::kernel::Module lower(const ir::Function& function, const plan::cpu::Plan& plan,
                                       const ir::Specialization& specialization);

}  // namespace parhelion::passes::cpu
