// SPDX-License-Identifier: Apache-2.0
#include "plan/cuda/make_plan.h"

#include "ir/tile/walk.h"
#include "plan/cuda/hazards.h"
#include "plan/cuda/planner.h"
#include "plan/cuda/stripes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace parhelion::plan::cuda {
namespace {

// Elements of a row that a thread keeps in registers before the row is walked by chunks instead.
constexpr std::int64_t resident_slots = 64;
// Elements of a chunk in one thread: four 16-byte vectors of f32 in flight.
constexpr std::int64_t chunk_slots = 16;

}  // namespace

const RootPlan* Plan::root(ir::OpId id) const {
  const auto at = std::ranges::find(roots, id, &RootPlan::root);
  return at == roots.end() ? nullptr : &*at;
}

const DotPlan* Plan::dot(ir::OpId id) const {
  for (const RootPlan& root : roots) {
    const auto at = std::ranges::find(root.dots, id, &DotPlan::dot);
    if (at != root.dots.end()) return &*at;
  }
  return nullptr;
}

Planner::Planner(const ir::Function& function, const Choices& choices,
                 const ir::Specialization& specialization, const Machine& machine)
    : f_(function),
      choices_(choices),
      spec_(specialization),
      facts_(function, specialization, choices.blocks),
      map_(classify(function)),
      overwritten_(overwritten_before_use(function, map_)),
      dots_(function, facts_, choices, map_, choices.warps) {
  plan_.machine = machine;
  plan_.blocks = choices.blocks;
  plan_.values = map_.values;
  plan_.places = map_.places;
  plan_.paths.resize(function.sites);
  for (const ir::AxisId axis : map_.axes) {
    ClassPlan c;
    c.axis = axis;
    c.extent = facts_.extent(axis);
    plan_.classes.push_back(std::move(c));
  }
}

std::expected<Plan, Refusal> Planner::run() {
  for (const ir::OpId id : f_.region(f_.body).ops) {
    if (f_.op(id).code == ir::OpCode::Grid) plan_root(id);
  }
  set_masks();
  if (refusal_) return std::unexpected(*std::move(refusal_));
  for (const RootPlan& root : plan_.roots) check(root);
  if (refusal_) return std::unexpected(*std::move(refusal_));
  estimate();
  return std::move(plan_);
}

// Other dimensions of the largest value that the class is in.
std::int64_t Planner::outer_elements(ClassId id) const {
  std::int64_t most = 1;
  const auto look = [&](const Classes& classes) {
    if (std::ranges::find(classes, id) == classes.end()) return;
    std::int64_t outer = 1;
    for (const ClassId other : classes) {
      if (other.valid() && other != id)
        outer *= std::max<std::int64_t>(plan_.of(other).extent.value_or(1), 1);
    }
    most = std::max(most, outer);
  };
  for (const Classes& classes : plan_.values) look(classes);
  for (const auto& [op, classes] : plan_.places) look(classes);
  return most;
}

void Planner::set_chunk(ClassId id, std::int64_t outer) {
  ClassPlan& c = plan_.classes[id.index()];
  if (f_.axis(c.axis).kind == ir::AxisKind::Tile) return;
  const std::int64_t threads = 32 * std::int64_t{choices_.warps};
  const std::int64_t fit =
      std::max<std::int64_t>(chunk_slots * threads / std::max<std::int64_t>(outer, 1), 32);
  const auto chosen = choices_.reduce.find(c.axis);
  // What a loop carries has no chunks, and what is stored over cannot be loaded again.
  const bool resident = map_.carried[id.index()] || overwritten_[id.index()];
  if (chosen != choices_.reduce.end() && chosen->second > 0) {
    c.chunk = chosen->second;
  } else if (!c.extent) {
    c.chunk = fit;
  } else if (chosen == choices_.reduce.end() && *c.extent * outer > resident_slots * threads) {
    c.chunk = fit;
    plan_.common.notes.push_back({fmt::format("reduce[{}] = {}", axis_id(c.axis), fit),
                                  fmt::format("{} elements a thread do not stay in registers",
                                              *c.extent * outer / threads)});
  }
  if (c.chunk > 0 && c.extent && c.chunk >= *c.extent) c.chunk = 0;
  if (c.chunk == 0 || !resident) return;
  if (!c.extent) {
    refuse(config::ConstraintId::ReduceResidentStatic,
           {{"key", fmt::format("reduce[{}]", axis_id(c.axis))},
            {"fix", std::string("a size that is static: ph::specialize")}});
    return;
  }
  c.chunk = 0;
}

void Planner::set_extents(const std::vector<ir::OpId>& ops) {
  for (const ir::OpId id : ops) {
    const ir::Op& op = f_.op(id);
    if (op.code != ir::OpCode::Dot) continue;
    // A k that is no tile of a loop is walked in steps.
    const ClassId k[] = {plan_.values[op.operands[0].index()][1],
                         plan_.values[op.operands[1].index()][0]};
    for (const ClassId c : k) {
      ClassPlan& plan = plan_.classes[c.index()];
      const std::int64_t step = dots_.step(id);
      if (f_.axis(plan.axis).kind != ir::AxisKind::Tile && plan.extent.value_or(step + 1) > step) {
        plan.chunk = step;
      }
    }
  }
}

void Planner::plan_root(ir::OpId root) {
  std::vector<ir::OpId> ops;
  ir::walk(f_, f_.op(root).regions[0], [&](ir::OpId id) { ops.push_back(id); });
  set_extents(ops);
  RootPlan plan;
  plan.root = root;
  plan.warps = choices_.warps;
  for (const ir::OpId id : ops) {
    const auto visit = [&](const Classes& classes) {
      for (const ClassId c : classes) {
        if (c.valid() && plan_.of(c).chunk == 0) set_chunk(c, outer_elements(c));
      }
    };
    for (const ir::ValueId v : f_.op(id).results) visit(plan_.values[v.index()]);
    if (const auto place = plan_.places.find(id); place != plan_.places.end()) visit(place->second);
  }
  if (refusal_) return;
  StripeAssigner assigner(f_, facts_, choices_, map_, plan_, plan.warps);
  for (const ir::OpId id : ops) {
    if (f_.op(id).code != ir::OpCode::Dot) continue;
    plan.dots.push_back(dots_.start(id));
    assigner.fix_dot(plan.dots.back());
  }
  assigner.run(ops);
  for (DotPlan& dot : plan.dots) dots_.finish(dot, plan_);
  set_masks();
  set_paths(ops);
  count_shared(plan, ops);
  count_registers(plan, ops);
  add_program(root);
  add_loops(ops);
  plan_.roots.push_back(std::move(plan));
}

void Planner::set_masks() {
  for (ClassPlan& c : plan_.classes) {
    const std::int64_t extent = c.stripe.extent();
    if (c.chunk > 0) {
      c.masked = !c.extent || *c.extent % extent != 0;
    } else {
      c.masked = c.extent != extent || !facts_.full(c.axis);
    }
  }
}

void Planner::set_paths(const std::vector<ir::OpId>& ops) {
  for (const ir::OpId id : ops) {
    const ir::Op& op = f_.op(id);
    if (ir::row(op.code).group != ir::OpGroup::Memory) continue;
    const ir::Access& access = access_of(op);
    const auto along = facts_.contiguous(op);
    if (!along || access.masked) continue;
    const Classes& classes =
        op.code == ir::OpCode::Store ? plan_.places.at(id) : plan_.values[op.results[0].index()];
    const ClassPlan& c = plan_.of(classes[*along]);
    const auto uses = dimension_uses(f_, op);
    const bool inside = std::ranges::all_of(uses, [&](const DimensionUse& use) {
      return use.place_dim != along || facts_.inside(access, use);
    });
    if (!inside) continue;
    const auto limit = choices_.vector_bytes.find(access.site);
    const std::int64_t bytes = limit == choices_.vector_bytes.end() ? 16 : limit->second;
    SitePath path;
    path.vector = static_cast<int>(std::min(facts_.vector(op, std::max<std::int64_t>(bytes, 2)),
                                            std::int64_t{1} << c.stripe.contiguous()));
    path.along = classes[*along];
    path.guarded = c.masked && facts_.limit_divisor(c.axis) % path.vector != 0;
    plan_.paths[access.site.index()] = path;
  }
}

void Planner::add_program(ir::OpId root) {
  const auto& dims = std::get<ir::LoopAttr>(f_.op(root).payload).dims;
  std::vector<std::int64_t> order(dims.size());
  std::iota(order.begin(), order.end(), 0);
  const auto chosen = choices_.order.find(root);
  if (chosen != choices_.order.end() && chosen->second.size() == order.size())
    order = chosen->second;
  ProgramPlan program;
  program.root = root;
  for (const std::int64_t i : order) {
    const ir::LoopDim& dim = dims[static_cast<std::size_t>(i)];
    program.axes.push_back(dim.axis);
    program.block.push_back(facts_.block(dim.block));
  }
  const auto group = choices_.group.find(root);
  if (program.axes.size() > 1 && group != choices_.group.end())
    program.group = std::max(group->second, 1);
  plan_.common.programs.push_back(std::move(program));
}

void Planner::add_loops(const std::vector<ir::OpId>& ops) {
  for (const ir::OpId id : ops) {
    const ir::Op& op = f_.op(id);
    if (op.code != ir::OpCode::For) continue;
    LoopPlan loop;
    loop.loop = id;
    bool full = true;
    for (const ir::LoopDim& dim : std::get<ir::LoopAttr>(op.payload).dims) {
      loop.block.push_back(facts_.block(dim.block));
      full = full && facts_.full(dim.axis);
    }
    loop.trip = full ? TripUse::Full : TripUse::Masked;
    const auto unroll = choices_.unroll.find(id);
    loop.unroll = unroll == choices_.unroll.end() ? 1 : std::max(unroll->second, 1);
    plan_.common.loops.push_back(std::move(loop));
  }
}

std::expected<Plan, Refusal> make_plan(const ir::Function& function, const Choices& choices,
                                       const ir::Specialization& specialization,
                                       const Machine& machine) {
  return Planner(function, choices, specialization, machine).run();
}

}  // namespace parhelion::plan::cuda
