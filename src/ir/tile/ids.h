// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/id.h"

namespace parhelion::ir {

using SizeId = Id<struct SizeTag>;      // a host integer expression of a SizeTable
using AxisId = Id<struct AxisTag>;
using BlockId = Id<struct BlockTag>;    // a block size: symbolic until a configuration binds it
using TensorId = Id<struct TensorTag>;  // parameters first, then tensors made by the host part
using ScalarId = Id<struct ScalarTag>;  // run-time number arguments
using ValueId = Id<struct ValueTag>;
using OpId = Id<struct OpTag>;
using RegionId = Id<struct RegionTag>;
using SiteId = Id<struct SiteTag>;      // memory sites, numbered by source position

}  // namespace parhelion::ir
