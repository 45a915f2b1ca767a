// SPDX-License-Identifier: Apache-2.0
// Gives every class of a root its stripe: dots first (their fragments are fixed), then memory sites
// by size, contiguous dimension first, then what is left.
#pragma once

#include "ir/tile/function.h"
#include "plan/cuda/access.h"
#include "plan/cuda/classes.h"
#include "plan/cuda/plan.h"

namespace parhelion::plan::cuda {

/// One root's classes while they are laid out. `plan.classes` of the root hold axis, extent, chunk
/// and, for dots, the stripe; the others get theirs.
class StripeAssigner {
 public:
  StripeAssigner(const ir::Function& function, const Facts& facts, const Choices& choices,
                 const ClassMap& map, Plan& plan, int warps);
  /// Accumulators of the dot: m and n on the fragment of its family.
  void fix_dot(const DotPlan& dot);
  void run(const std::vector<ir::OpId>& ops);

 private:
  struct Site {
    ir::OpId op;
    Classes classes;
    double elements = 0;
  };
  [[nodiscard]] layout::FreeBits free_bits(ClassId id) const;
  [[nodiscard]] std::int64_t most(ClassId id) const;  // elements to lay out
  [[nodiscard]] int vector_of(ClassId id, const std::vector<Site>& sites) const;
  void assign(ClassId id, int vector, int lanes, int warps);
  void assign_site(const Site& site, const std::vector<Site>& sites);
  void take_rest(const Classes& classes);

  const ir::Function& f_;
  const Facts& facts_;
  const Choices& choices_;
  const ClassMap& map_;
  Plan& plan_;
  int warps_;
  std::vector<bool> done_;  // by ClassId
};

}  // namespace parhelion::plan::cuda
