// SPDX-License-Identifier: Apache-2.0
// Which dimensions of which values lie alike. Elementwise ops, casts, shape ops, loops and places
// unite the dimensions of what they connect; a dot and a reduced axis do not. Two dimensions of one
// value stay apart: what an op then needs in another place is computed or exchanged there.
#pragma once

#include "ir/tile/function.h"
#include "plan/cuda/plan.h"

#include <map>
#include <vector>

namespace parhelion::plan::cuda {

struct ClassMap {
  std::vector<ir::AxisId> axes;             // by ClassId
  std::vector<Classes> values;              // by ValueId
  std::map<ir::OpId, Classes> places;       // of stores
  std::vector<std::vector<ClassId>> apart;  // by ClassId: classes that share a value or place
  std::vector<bool> carried;  // by ClassId: of a value that a loop or branch passes on
};

[[nodiscard]] ClassMap classify(const ir::Function& function);

}  // namespace parhelion::plan::cuda
