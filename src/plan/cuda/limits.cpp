// SPDX-License-Identifier: Apache-2.0
// What a Plan takes of the machine, and the rows of the constraint table that refuse it.
#include "plan/cuda/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace parhelion::plan::cuda {
namespace {

// Addresses, masks and temporaries beside the held values.
constexpr int register_floor = 24;

}  // namespace

std::int64_t slots(const Plan& plan, const Classes& classes) {
  std::int64_t count = 1;
  for (const ClassId c : classes) {
    if (c.valid()) count *= plan.of(c).stripe.registers();
  }
  return count;
}

std::int64_t exchange_bytes(const Plan& plan, const ir::Function& function, const ir::Op& reduce,
                            int warps) {
  const auto dim = static_cast<std::size_t>(std::get<ir::ReduceAttr>(reduce.payload).dim);
  const Classes& from = plan.values[reduce.operands[0].index()];
  if (!from[dim].valid() || plan.of(from[dim]).stripe.warp_mask() == 0) return 0;
  Classes kept = from;
  kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(dim));
  layout::Bits lanes = 0;
  for (const ClassId c : kept) {
    if (c.valid()) lanes |= plan.of(c).stripe.lane_mask();
  }
  const DType dtype = function.type(reduce.results[0]).dtype;
  const int bytes = std::max(size_bytes(dtype), 4);
  return slots(plan, kept) * warps * (std::int64_t{1} << std::popcount(lanes)) * bytes;
}

std::string Planner::axis_id(ir::AxisId axis) const {
  const auto index = ir::number(f_).axis(axis);
  return index ? fmt::format("a{}", *index) : f_.axis(axis).name;
}

void Planner::refuse(config::ConstraintId row, std::initializer_list<config::Fill> fills,
                     std::optional<config::Config::Entry> repair) {
  if (refusal_) return;
  refusal_ = Refusal{row, config::reason(row, fills), config::repair(row, fills), {}};
  if (repair) refusal_->repaired.set(repair->first, repair->second);
}

void Planner::count_shared(RootPlan& root, const std::vector<ir::OpId>& ops) {
  for (const DotPlan& dot : root.dots) root.shared_bytes += dot.shared_bytes();
  for (const ir::OpId id : ops) {
    const ir::Op& op = f_.op(id);
    if (ir::row(op.code).group != ir::OpGroup::Reduce) continue;
    root.shared_bytes += (exchange_bytes(plan_, f_, op, root.warps) + 15) / 16 * 16;
  }
}

// Held exactly: accumulators and what loops carry, and the largest value that a load brings.
void Planner::count_registers(RootPlan& root, const std::vector<ir::OpId>& ops) {
  std::int64_t accumulators = 0, largest = 0, carried = 0;
  for (const DotPlan& dot : root.dots) {
    accumulators += slots(plan_, plan_.values[f_.op(dot.dot).results[0].index()]);
  }
  const auto ring_load = [&](ir::OpId id) {
    return std::ranges::any_of(
        root.dots, [&](const DotPlan& dot) { return dot.a.load == id || dot.b.load == id; });
  };
  for (const ir::OpId id : ops) {
    const ir::Op& op = f_.op(id);
    if (op.code == ir::OpCode::For || op.code == ir::OpCode::While) {
      std::int64_t here = 0;
      for (const ir::ValueId v : op.results) here += slots(plan_, plan_.values[v.index()]);
      carried = std::max(carried, here);
    }
    if (op.code != ir::OpCode::Load || ring_load(id)) continue;
    const DType dtype = f_.type(op.results[0]).dtype;
    const std::int64_t words = slots(plan_, plan_.values[op.results[0].index()]);
    largest = std::max(largest, words * std::max(size_bytes(dtype), 2) / 4);
  }
  root.registers = static_cast<int>(
      std::min<std::int64_t>(std::max(accumulators, carried) + largest + register_floor, 1 << 20));
}

void Planner::check(const RootPlan& root) {
  using config::ConstraintId;
  using config::Key;
  using config::Parameter;
  const Key warps{Parameter::Warps, -1, {}};
  const auto use_warps = [&](std::int64_t n) { return config::Config::Entry{warps, n}; };
  const int threads = 32 * root.warps, most = plan_.machine.threads;
  if (!std::has_single_bit(static_cast<unsigned>(root.warps))) {
    const int fix = static_cast<int>(std::bit_floor(static_cast<unsigned>(root.warps)));
    refuse(ConstraintId::PowerOfTwo,
           {{"key", std::string("warps")}, {"value", root.warps}, {"fix", std::to_string(fix)}},
           use_warps(fix));
  }
  if (threads > most) {
    refuse(ConstraintId::Threads,
           {{"value", root.warps},
            {"threads", threads},
            {"limit", most},
            {"fix", std::to_string(most / 32)}},
           use_warps(most / 32));
  }
  for (const DotPlan& dot : root.dots) check_dot(root, dot);
  if (root.shared_bytes > plan_.machine.shared_bytes) {
    refuse(ConstraintId::SharedBytes,
           {{"value", root.shared_bytes},
            {"limit", plan_.machine.shared_bytes},
            {"target", plan_.machine.arch},
            {"fix", std::string("use fewer stages or smaller blocks")}},
           fewer_stages(root));
  }
  if (root.registers > plan_.machine.registers) {
    refuse(ConstraintId::RegisterFloor,
           {{"value", root.registers},
            {"limit", plan_.machine.registers},
            {"fix", std::string("use more warps, smaller blocks, or chunks for the full axis")}},
           threads < most ? std::optional(use_warps(root.warps * 2)) : std::nullopt);
  }
}

void Planner::check_dot(const RootPlan& root, const DotPlan& dot) {
  if (dot.warps_m * dot.warps_n == root.warps) return;
  const auto index = ir::number(f_).dot(dot.dot);
  const config::Key key{config::Parameter::WarpGrid, static_cast<int>(index.value_or(0)), {}};
  const std::string fix = fmt::format("{}x1", root.warps);
  refuse(config::ConstraintId::WarpGridCount,
         {{"key", config::text(key)},
          {"value", fmt::format("{}x{}", dot.warps_m, dot.warps_n)},
          {"warps", root.warps},
          {"fix", fix}},
         config::Config::Entry{key, fix});
}

std::optional<config::Config::Entry> Planner::fewer_stages(const RootPlan& root) const {
  const ir::Numbering ids = ir::number(f_);
  for (const DotPlan& dot : root.dots) {
    if (!dot.loop || dot.stages <= 2) continue;
    const auto loop = static_cast<int>(*ids.loop(*dot.loop));
    return config::Config::Entry{{config::Parameter::Stages, loop, {}},
                                 std::int64_t{dot.stages - 1}};
  }
  return std::nullopt;
}

}  // namespace parhelion::plan::cuda
