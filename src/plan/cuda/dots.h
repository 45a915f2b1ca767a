// SPDX-License-Identifier: Apache-2.0
// How a dot is done: instruction family, warp grid, images of the operands, ring.
#pragma once

#include "plan/cuda/access.h"
#include "plan/cuda/classes.h"
#include "plan/cuda/plan.h"

#include <vector>

namespace parhelion::plan::cuda {

/// Where an op stands: the loops and branches around it, outermost first.
using Parents = std::vector<ir::OpId>;  // by OpId: the op whose region holds it, or invalid
[[nodiscard]] Parents parents(const ir::Function& function);
/// How often each value is used.
[[nodiscard]] std::vector<int> use_counts(const ir::Function& function);

class DotPlanner {
 public:
  DotPlanner(const ir::Function& function, const Facts& facts, const Choices& choices,
             const ClassMap& map, int warps);
  /// Extents of m, n and the image sizes follow the stripes: `finish` is called after them.
  [[nodiscard]] DotPlan start(ir::OpId dot) const;
  void finish(DotPlan& dot, const Plan& plan) const;
  /// Depth of one step for a k that is no tile of a loop: the chunk of its classes.
  [[nodiscard]] std::int64_t step(ir::OpId dot) const;

 private:
  [[nodiscard]] DotFamily family(const ir::Op& dot) const;
  [[nodiscard]] OperandPlan operand(const ir::Op& dot, std::size_t index, DotFamily family) const;
  [[nodiscard]] std::optional<ir::OpId> source(ir::ValueId value, bool& permuted) const;
  void choose_warp_grid(DotPlan& dot) const;
  void choose_ring(DotPlan& dot) const;
  void make_image(OperandPlan& operand, std::int64_t free_extent, std::int64_t k) const;

  const ir::Function& f_;
  const Facts& facts_;
  const Choices& choices_;
  const ClassMap& map_;
  int warps_;
  Parents parents_;
  std::vector<int> uses_;
};

}  // namespace parhelion::plan::cuda
