// SPDX-License-Identifier: Apache-2.0
// Gives the shared regions of each entry their places. In: `shared` ops with count and align. Out:
// the same, with an offset where the entry needs the dynamic array; the phases know its bytes.
// Stands last: every region is known.
#pragma once

#include "ir/kernel/module.h"

namespace parhelion::passes::cuda {

void place_shared(ir::kernel::Module& module);

}  // namespace parhelion::passes::cuda
