// SPDX-License-Identifier: Apache-2.0
// Reductions: in the thread, between lanes by shuffles, between warps through shared memory. The
// tree depends on the Plan alone, so results repeat bit for bit.
#include "passes/cuda/engine.h"

#include "base/diag.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace parhelion::passes::cuda {
namespace {

using ir::OpCode;

}  // namespace

DType Engine::accumulator(const ir::Op& op) const {
  const DType dtype = f_.type(op.results[0]).dtype;
  return dtype == DType::Bool ? DType::I32 : compute_dtype(dtype);
}

k::ValueId Engine::neutral(const ir::Op& op) {
  const DType dtype = accumulator(op);
  constexpr double inf = std::numeric_limits<double>::infinity();
  const bool largest = op.code == OpCode::Amin;
  if (op.code == OpCode::Sum || op.code == OpCode::Mean) return constant(0, dtype);
  if (op.code == OpCode::Prod) return constant(1, dtype);
  if (is_float(dtype)) return b.number(largest ? inf : -inf, dtype);
  if (f_.type(op.results[0]).dtype == DType::Bool) return c32(largest ? 1 : 0);
  switch (dtype) {
    case DType::I64:
      return b.integer(largest ? std::numeric_limits<std::int64_t>::max()
                               : std::numeric_limits<std::int64_t>::min(),
                       dtype);
    case DType::U32:
    case DType::U64:
      return b.integer(largest ? std::numeric_limits<std::uint32_t>::max() : 0, dtype);
    default:
      return b.integer(largest ? std::numeric_limits<std::int32_t>::max()
                               : std::numeric_limits<std::int32_t>::min(),
                       dtype);
  }
}

k::OpCode Engine::combine_code(const ir::Op& op) const {
  const bool floating = is_float(accumulator(op));
  switch (op.code) {
    case OpCode::Sum:
    case OpCode::Mean: return k::OpCode::Add;
    case OpCode::Prod: return k::OpCode::Mul;
    case OpCode::Amax: return floating ? k::OpCode::MaxNan : k::OpCode::MaxNumber;
    case OpCode::Amin: return floating ? k::OpCode::MinNan : k::OpCode::MinNumber;
    default: break;
  }
  PH_ASSERT(false, "not a reduction");
  return k::OpCode::Add;
}

k::ValueId Engine::combine(const ir::Op& op, k::ValueId x, k::ValueId y) {
  return b.binary(combine_code(op), x, y);
}

void Engine::reduce(const ir::Op& op) {
  this->at(op);
  const auto& attr = std::get<ir::ReduceAttr>(op.payload);
  const auto dim = static_cast<std::size_t>(attr.dim);
  const ir::ValueId from = op.operands[0], result = op.results[0];
  const DType dtype = accumulator(op), source = f_.type(from).dtype;
  const Classes at = classes(from);
  const ClassId reduced = at[dim];
  Classes kept = at;
  kept.erase(kept.begin() + attr.dim);
  Classes result_at = kept;
  if (attr.keep) result_at.insert(result_at.begin() + attr.dim, ClassId{});

  Held parts;
  parts.at = kept;
  parts.order = present(kept);
  const bool scalar = parts.order.empty();
  const std::string& own = f_.value(result).name;
  parts.variable = b.var(array_type(dtype, count(parts.order)),
                         own.empty() ? "part" : own + "_part", neutral(op));
  const auto index = [&] { return array_index(parts.order); };
  std::vector<ClassId> along;
  if (reduced.valid()) along.push_back(reduced);
  each_chunk(along, [&] {
    prepare(from, at);
    std::vector<ClassId> nest = parts.order;
    nest.insert(nest.end(), along.begin(), along.end());
    Scope scope(*this);
    each_register(nest, [&] {
      k::ValueId v = cast(element(from, at), source, dtype);
      if (reduced.valid() && masked(reduced)) v = b.select(valid(reduced), v, neutral(op));
      put(parts.variable, combine(op, take(parts.variable, index()), v), index());
    });
  });
  if (reduced.valid()) reduce_lanes(op, parts, reduced);
  if (reduced.valid()) reduce_warps(op, parts, reduced);

  if (scalar) {
    hold(result, {result_at, {}, finish(op, take(parts.variable, c32(0)), reduced), {}});
    return;
  }
  const DType held_dtype = compute_dtype(f_.type(result).dtype);
  const bool in_place =
      op.code != OpCode::Mean && held_dtype == dtype && held_dtype == f_.type(result).dtype;
  Held held = parts;
  if (!in_place) {
    held = make_array(result, result_at, held_dtype);
    each_register(parts.order, [&] {
      put(held.variable, finish(op, take(parts.variable, index()), reduced),
          array_index(held.order));
    });
  }
  held.at = result_at;
  hold(result, held);
}

/// From the total to the result: mean divides by the valid elements, 16-bit floats are rounded.
k::ValueId Engine::finish(const ir::Op& op, k::ValueId total, ClassId reduced) {
  const DType dtype = f_.type(op.results[0]).dtype;
  if (op.code == OpCode::Mean && reduced.valid()) {
    const k::ValueId n = as(limit(plan_.of(reduced).axis), accumulator(op));
    total = b.binary(k::OpCode::Div, total, n);
  }
  if (dtype == DType::Bool) return b.compare(k::OpCode::Ne, total, c32(0));
  const k::ValueId v = rounded(total, dtype);
  const std::string& name = f_.value(op.results[0]).name;
  if (!name.empty() && m.value(v).name.empty()) b.name(v, name);
  return v;
}

void Engine::reduce_lanes(const ir::Op& op, const Held& parts, ClassId reduced) {
  const layout::ReductionLevels levels = layout::reduction_levels(plan_.of(reduced).stripe);
  const std::string_view word = k::row(combine_code(op)).text;
  // Neighbouring steps are one loop of the text.
  for (std::size_t i = 0; i < levels.lane_steps.size();) {
    std::size_t n = i + 1;
    while (n < levels.lane_steps.size() && levels.lane_steps[n] * 2 == levels.lane_steps[n - 1])
      ++n;
    const std::vector<k::Attribute> steps = {{"combine", std::string(word)},
                                             {"step", std::int64_t{levels.lane_steps[i]}},
                                             {"last", std::int64_t{levels.lane_steps[n - 1]}}};
    each_register(parts.order, [&] {
      std::vector<k::ValueId> cell{parts.variable};
      if (m.type(parts.variable).count != 0) cell.push_back(array_index(parts.order));
      b.op(k::OpCode::FoldLanes, cell, {}, steps);
    });
    i = n;
  }
}

/// Each warp writes its part, one barrier, all read all parts in the same order.
void Engine::reduce_warps(const ir::Op& op, const Held& parts, ClassId reduced) {
  const std::uint32_t mask = plan_.of(reduced).stripe.warp_mask();
  if (mask == 0) return;
  std::uint32_t lanes = 0;
  for (const ClassId id : parts.order) lanes |= plan_.of(id).stripe.lane_mask();
  const int lane_places = 1 << std::popcount(lanes);
  // Kept lanes packed together: their place in a row of parts.
  k::ValueId lane_place = c32(0);
  int packed = 0;
  for (int bit = 0; bit < 5; ++bit) {
    if ((lanes >> bit & 1u) == 0) continue;
    int run = 1;
    while (bit + run < 5 && (lanes >> (bit + run) & 1u) != 0) ++run;
    k::ValueId part = div(lane_, c32(1 << bit));
    if (bit + run < 5) part = rem(part, c32(1 << run));
    lane_place = add(lane_place, mul(part, c32(1 << packed)));
    packed += run;
    bit += run - 1;
  }
  const DType dtype = accumulator(op);
  const std::int64_t all = count(parts.order) * root_->warps * lane_places;
  const k::ValueId scratch =
      one(k::OpCode::Shared, {}, {.element = dtype, .pointer = k::Space::Shared},
          {{"count", all}, {"align", std::int64_t{16}}});
  b.name(scratch, "warp_parts");
  const auto place = [&](k::ValueId register_index, k::ValueId warp) {
    const k::ValueId row = add(mul(register_index, c32(root_->warps)), warp);
    return b.offset(scratch, add(mul(row, c32(lane_places)), lane_place));
  };
  const auto index_of = [&] { return parts.order.empty() ? c32(0) : array_index(parts.order); };
  if (loops_ > 0) sync();
  const std::uint32_t copies = 31 & ~lanes;
  if (copies != 0) {
    const k::ValueId bits = copies == 31 ? lane_ : b.binary(k::OpCode::And, lane_, c32(copies));
    b.open_if(b.compare(k::OpCode::Eq, bits, c32(0)));
  }
  each_register(parts.order,
                [&] { b.store(place(index_of(), warp_), take(parts.variable, index_of())); });
  if (copies != 0) b.close();
  sync();
  const k::ValueId home =
      b.binary(k::OpCode::And, warp_, c32(~mask & static_cast<std::uint32_t>(root_->warps - 1)));
  each_register(parts.order, [&] {
    k::ValueId total;
    for (std::uint32_t w = 0;; w = (w - mask) & mask) {
      const k::ValueId warp =
          (~mask & static_cast<std::uint32_t>(root_->warps - 1)) == 0 ? c32(w) : add(home, c32(w));
      const k::ValueId part = b.load(place(index_of(), warp));
      total = w == 0 ? part : combine(op, total, part);
      if (w == mask) break;
    }
    put(parts.variable, total, index_of());
  });
}

}  // namespace parhelion::passes::cuda
