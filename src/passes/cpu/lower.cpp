// SPDX-License-Identifier: Apache-2.0
#include "passes/cpu/lower.h"

#include "passes/cpu/engine.h"

namespace parhelion::passes::cpu {

ir::kernel::Module lower(const ir::Function& function, const plan::cpu::Plan& plan,
                         const ir::Specialization& specialization) {
  return Engine(function, plan, specialization).run();
}

}  // namespace parhelion::passes::cpu
