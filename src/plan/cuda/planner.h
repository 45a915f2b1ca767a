// SPDX-License-Identifier: Apache-2.0
// The steps of make_plan over one function.
#pragma once

#include "plan/cuda/access.h"
#include "plan/cuda/classes.h"
#include "plan/cuda/dots.h"
#include "plan/cuda/make_plan.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::plan::cuda {

class Planner {
 public:
  Planner(const ir::Function& function, const Choices& choices,
          const ir::Specialization& specialization, const Machine& machine);
  std::expected<Plan, Refusal> run();

 private:
  // make_plan.cpp
  void plan_root(ir::OpId root);
  void set_extents(const std::vector<ir::OpId>& ops);
  void set_chunk(ClassId id, std::int64_t outer);
  [[nodiscard]] std::int64_t outer_elements(ClassId id) const;
  void set_masks();
  void set_paths(const std::vector<ir::OpId>& ops);
  void add_program(ir::OpId root);
  void add_loops(const std::vector<ir::OpId>& ops);
  // limits.cpp
  void count_shared(RootPlan& root, const std::vector<ir::OpId>& ops);
  void count_registers(RootPlan& root, const std::vector<ir::OpId>& ops);
  void check(const RootPlan& root);
  void check_dot(const RootPlan& root, const DotPlan& dot);
  [[nodiscard]] std::optional<config::Config::Entry> fewer_stages(const RootPlan& root) const;
  /// The first refusal stays. `repair`: what of the configuration would change.
  void refuse(config::ConstraintId row, std::initializer_list<config::Fill> fills,
              std::optional<config::Config::Entry> repair = {});
  [[nodiscard]] std::string axis_id(ir::AxisId axis) const;  // "a1"
  // estimate.cpp
  void estimate();
  [[nodiscard]] double example(ir::SizeId size) const;
  [[nodiscard]] double trips(const ir::LoopDim& dim) const;
  [[nodiscard]] double elements(const std::vector<ir::AxisId>& axes) const;

  const ir::Function& f_;
  const Choices& choices_;
  const ir::Specialization& spec_;
  Facts facts_;
  ClassMap map_;
  std::vector<bool> overwritten_;  // by ClassId
  DotPlanner dots_;
  Plan plan_;
  std::optional<Refusal> refusal_;
};

/// Register slots of a value in one thread.
[[nodiscard]] std::int64_t slots(const Plan& plan, const Classes& classes);
/// Bytes of scratch that a reduction needs between warps; 0 when one warp holds each result.
[[nodiscard]] std::int64_t exchange_bytes(const Plan& plan, const ir::Function& function,
                                          const ir::Op& reduce, int warps);

}  // namespace parhelion::plan::cuda
