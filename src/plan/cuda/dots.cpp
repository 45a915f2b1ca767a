// SPDX-License-Identifier: Apache-2.0
#include "plan/cuda/dots.h"

#include "ir/tile/walk.h"

#include <algorithm>
#include <bit>

namespace parhelion::plan::cuda {
namespace {

constexpr int default_stages = 3;

std::int64_t round_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

}  // namespace

Parents parents(const ir::Function& function) {
  Parents result(function.ops.size());
  ir::walk(function, [&](ir::OpId id) {
    for (const ir::RegionId region : function.op(id).regions) {
      for (const ir::OpId inner : function.region(region).ops) result[inner.index()] = id;
    }
  });
  return result;
}

std::vector<int> use_counts(const ir::Function& function) {
  std::vector<int> counts(function.values.size());
  ir::walk(function, [&](ir::OpId id) {
    for (const ir::ValueId v : function.op(id).operands) ++counts[v.index()];
  });
  return counts;
}

int OperandPlan::width() const {
  return static_cast<int>(std::min<std::int64_t>(columns * size_bytes(dtype), 128));
}

DotPlanner::DotPlanner(const ir::Function& function, const Facts& facts, const Choices& choices,
                       const ClassMap& map, int warps)
    : f_(function),
      facts_(facts),
      choices_(choices),
      map_(map),
      warps_(warps),
      parents_(parents(function)),
      uses_(use_counts(function)) {}

DotFamily DotPlanner::family(const ir::Op& dot) const {
  const DType a = f_.type(dot.operands[0]).dtype, b = f_.type(dot.operands[1]).dtype;
  const bool half = a == b && (a == DType::F16 || a == DType::BF16);
  return half && f_.type(dot.results[0]).dtype == DType::F32 ? DotFamily::Mma : DotFamily::Fma;
}

std::int64_t DotPlanner::step(ir::OpId id) const {
  const ir::Op& dot = f_.op(id);
  const ir::AxisId axis = f_.type(dot.operands[0]).axes[1];
  const std::int64_t deepest = family(dot) == DotFamily::Mma ? 64 : 32;
  const auto extent = facts_.extent(axis);
  if (f_.axis(axis).kind == ir::AxisKind::Tile) return *extent;
  return std::min(deepest, std::max<std::int64_t>(extent.value_or(deepest), 1));
}

// The load behind an operand, through transposes; none when the value has other users.
std::optional<ir::OpId> DotPlanner::source(ir::ValueId value, bool& permuted) const {
  permuted = false;
  for (;;) {
    if (uses_[value.index()] != 1) return std::nullopt;
    const ir::OpId by = f_.value(value).defined_by;
    if (!by.valid()) return std::nullopt;
    const ir::Op& op = f_.op(by);
    if (op.code == ir::OpCode::Load) return by;
    if (op.code != ir::OpCode::Permute) return std::nullopt;
    permuted = permuted != (std::get<ir::PermuteAttr>(op.payload).order[0] == 1);
    value = op.operands[0];
  }
}

OperandPlan DotPlanner::operand(const ir::Op& dot, std::size_t index, DotFamily family) const {
  OperandPlan plan;
  plan.value = dot.operands[index];
  const DType dtype = f_.type(plan.value).dtype;
  const DType result = f_.type(dot.results[0]).dtype;
  const bool half = dtype == DType::F16 || dtype == DType::BF16;
  plan.dtype = family == DotFamily::Mma ? dtype : half ? DType::F32 : result;
  if (family == DotFamily::Fma && (result == DType::F16 || result == DType::BF16)) {
    plan.dtype = DType::F32;
  }
  const std::size_t k_dim = index == 0 ? 1 : 0;
  // From registers: A by rows of k, B by rows of n, as the compute loop reads them.
  plan.k_major = index == 0;
  bool permuted = false;
  const auto load = source(plan.value, permuted);
  if (!load) return plan;
  const ir::Op& op = f_.op(*load);
  const ir::Access& access = access_of(op);
  const auto along = facts_.contiguous(op);
  if (!along || op.results.size() != 1 || access.axes.size() != 2) return plan;
  plan.k_major = (*along == k_dim) != permuted;
  const bool gathered = std::ranges::any_of(access.subscripts, [](const ir::Subscript& s) {
    return s.kind == ir::Subscript::Kind::Value;
  });
  const auto uses = dimension_uses(f_, op);
  const bool inside = std::ranges::all_of(
      uses, [&](const DimensionUse& use) { return facts_.inside(access, use); });
  const std::int64_t bytes = facts_.vector(op, 16) * size_bytes(dtype);
  if (access.masked || access.other != 0 || gathered || !inside || bytes < 4 ||
      dtype != plan.dtype) {
    return plan;
  }
  plan.copy_bytes = static_cast<int>(std::min<std::int64_t>(bytes, 16));
  plan.load = load;
  return plan;
}

void DotPlanner::choose_warp_grid(DotPlan& dot) const {
  const auto chosen = choices_.warp_grid.find(dot.dot);
  if (chosen != choices_.warp_grid.end()) {
    dot.warps_m = chosen->second.first;
    dot.warps_n = chosen->second.second;
    return;
  }
  const ir::Op& op = f_.op(dot.dot);
  const auto& axes = f_.type(op.results[0]).axes;
  double m = static_cast<double>(facts_.extent(axes[0]).value_or(1));
  double n = static_cast<double>(facts_.extent(axes[1]).value_or(1));
  while (dot.warps_m * dot.warps_n < warps_) {
    // The longer side is cut: square warp tiles read the least shared memory.
    if (m >= n) {
      dot.warps_m *= 2;
      m /= 2;
    } else {
      dot.warps_n *= 2;
      n /= 2;
    }
  }
}

void DotPlanner::choose_ring(DotPlan& dot) const {
  dot.stages = 1;
  const ir::OpId loop = parents_[dot.dot.index()];
  const ir::Axis& k = f_.axis(dot.k_axis);
  const bool along = loop.valid() && f_.op(loop).code == ir::OpCode::For &&
                     k.kind == ir::AxisKind::Tile && k.loop == loop &&
                     std::get<ir::LoopAttr>(f_.op(loop).payload).dims.size() == 1;
  const auto inside = [&](const std::optional<ir::OpId>& load) {
    return load && parents_[load->index()] == loop;
  };
  const auto chosen = choices_.stages.find(loop);
  const int stages = chosen == choices_.stages.end() ? default_stages : chosen->second;
  if (!along || !inside(dot.a.load) || !inside(dot.b.load) || stages < 2) {
    dot.a.load.reset();
    dot.b.load.reset();
    return;
  }
  dot.loop = loop;
  dot.stages = stages;
}

DotPlan DotPlanner::start(ir::OpId id) const {
  const ir::Op& op = f_.op(id);
  DotPlan dot;
  dot.dot = id;
  dot.family = family(op);
  dot.m = map_.values[op.results[0].index()][0];
  dot.n = map_.values[op.results[0].index()][1];
  dot.k_axis = f_.type(op.operands[0]).axes[1];
  dot.k = round_up(step(id), dot.family == DotFamily::Mma ? 16 : 4);
  dot.a = operand(op, 0, dot.family);
  dot.b = operand(op, 1, dot.family);
  choose_warp_grid(dot);
  choose_ring(dot);
  return dot;
}

// Rows of 32, 64 or 128 bytes, or columns of 128: what one swizzle covers.
void DotPlanner::make_image(OperandPlan& operand, std::int64_t free_extent, std::int64_t k) const {
  const std::int64_t element = size_bytes(operand.dtype);
  operand.rows = operand.k_major ? free_extent : k;
  const std::int64_t columns = operand.k_major ? k : free_extent;
  const std::int64_t bytes = std::max<std::int64_t>(columns * element, 32);
  const std::int64_t padded =
      bytes > 128 ? round_up(bytes, 128)
                  : static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(bytes)));
  operand.columns = padded / element;
  // Whole periods of the swizzle, so that the next image starts one.
  operand.rows = round_up(operand.rows, 8);
}

void DotPlanner::finish(DotPlan& dot, const Plan& plan) const {
  make_image(dot.a, plan.of(dot.m).stripe.extent(), dot.k);
  make_image(dot.b, plan.of(dot.n).stripe.extent(), dot.k);
}

}  // namespace parhelion::plan::cuda
