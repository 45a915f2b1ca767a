// SPDX-License-Identifier: Apache-2.0
// What of a kernel decides the CPU's Plan, for every configuration alike: the panel pattern, axes
// that may be walked one index at a time, values that several passes need.
#pragma once

#include "ir/tile/function.h"
#include "ir/tile/specialization.h"

#include <optional>
#include <vector>

namespace parhelion::plan::cpu {

/// `acc = dot(a, b, acc)` over one loop from zero, then an elementwise epilogue.
struct GemmPattern {
  ir::OpId loop, dot;
  ir::AxisId m, n, k;
  ir::ValueId a, b, result;
};

/// A costly value that several nests of one root need.
struct SharedValue {
  ir::ValueId value;
  ir::AxisId axis;                 // its last axis: `reduce[axis]` decides about it
  std::optional<ir::OpId> output;  // a store whose place could hold it meanwhile
};

struct RootAnalysis {
  ir::OpId root;
  std::optional<GemmPattern> gemm;
  std::vector<ir::AxisId> scalar_axes;
  std::optional<ir::AxisId> vector_axis;  // the root axis that vectors run along, if one does
  std::vector<SharedValue> shared;
};

[[nodiscard]] std::vector<RootAnalysis> analyse(const ir::Function& function,
                                                const ir::Specialization& specialization);

/// Ops below a region, nested ones included, in order.
[[nodiscard]] std::vector<ir::OpId> all_ops(const ir::Function& function, ir::RegionId region);

}  // namespace parhelion::plan::cpu
