// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"
#include "interp/machine.h"
#include "interp/numbers.h"
#include "interp/pointwise.h"
#include "interp/reduce.h"

#include <fmt/format.h>

namespace parhelion::interp {

using ir::OpCode;

Shape Machine::shape_of(const std::vector<ir::AxisId>& axes) const {
  Shape shape;
  for (const ir::AxisId a : axes) shape.push_back(axis(a).lanes);
  return shape;
}

void Machine::set(ir::ValueId id, Tile tile) {
  if (taint_ > 0) tile.unsure.assign(tile.size(), 1);
  values_[id.index()] = std::move(tile);
  if (observer_ == nullptr) return;
  const Tile& held = values_[id.index()];
  LaneReport report{id, held.shape, {}, nullptr, nullptr};
  for (const ir::AxisId a : f_.type(id).axes) report.valid.push_back(axis(a).valid);
  if (held.is_float()) {
    report.numbers = &held.x;
  } else {
    report.integers = &held.i;
  }
  (*observer_)(report);
}

void Machine::region(ir::RegionId id) {
  for (const ir::OpId o : f_.region(id).ops) op(o);
}

void Machine::leaf(const ir::Op& o) {
  const ir::TileType& type = f_.type(o.results[0]);
  Tile r = Tile::of(type.dtype, shape_of(type.axes));
  const auto integer = [&](std::int64_t v) { r.i[0] = v; };
  const auto state = [&]() -> const AxisState& {
    return axis(std::get<ir::AxisAttr>(o.payload).axis);
  };
  switch (o.code) {
    case OpCode::Const: {
      const auto& c = std::get<ir::ConstAttr>(o.payload);
      if (r.is_float()) {
        r.x[0] = round_number(c.number, type.dtype);
      } else {
        integer(type.dtype == DType::Bool ? (c.number != 0 ? 1 : 0) : c.integer);
      }
      break;
    }
    case OpCode::Size: integer(size(std::get<ir::SizeAttr>(o.payload).size)); break;
    case OpCode::Scalar: {
      const Scalar& s = scalars_[std::get<ir::ScalarAttr>(o.payload).scalar.index()];
      if (r.is_float()) {
        r.x[0] = s.number;
      } else {
        integer(s.integer);
      }
      break;
    }
    case OpCode::Begin: integer(state().begin); break;
    case OpCode::End: integer(state().end); break;
    case OpCode::TileId: integer(state().id); break;
    case OpCode::Count: integer(state().count); break;
    case OpCode::Full: r = expand(cast(get(o.operands[0]), type.dtype), r.shape); break;
    case OpCode::Index:
    case OpCode::Arange: {
      const std::int64_t first = o.code == OpCode::Index ? state().begin : 0;
      for (std::size_t k = 0; k < r.i.size(); ++k) r.i[k] = first + static_cast<std::int64_t>(k);
      break;
    }
    default: PH_ASSERT(false, "a leaf");
  }
  set(o.results[0], std::move(r));
}

void Machine::shape(const ir::Op& o) {
  const Tile& a = get(o.operands[0]);
  const Shape to = shape_of(f_.type(o.results[0]).axes);
  if (o.code == OpCode::Expand) return set(o.results[0], expand(a, to));
  if (o.code != OpCode::Permute) {
    Tile r = a;
    r.shape = to;
    return set(o.results[0], std::move(r));
  }
  // Lane k of the result comes from the lane with permuted coordinates.
  const auto& order = std::get<ir::PermuteAttr>(o.payload).order;
  Shape strides(a.shape.size(), 1);
  for (std::size_t d = a.shape.size(); d-- > 1;) strides[d - 1] = strides[d] * a.shape[d];
  Tile r = Tile::of(a.dtype, to);
  const std::size_t n = r.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t rest = k, from = 0;
    for (std::size_t d = to.size(); d-- > 0;) {
      const auto extent = static_cast<std::size_t>(to[d]);
      from += rest % extent * static_cast<std::size_t>(strides[static_cast<std::size_t>(order[d])]);
      rest /= extent;
    }
    if (r.is_float()) {
      r.x[k] = a.x[from];
      r.set_error(k, a.error_at(from));
    } else {
      r.i[k] = a.i[from];
    }
    if (a.unsure_at(from)) r.set_unsure(k);
  }
  set(o.results[0], std::move(r));
}

void Machine::op(ir::OpId id) {
  const ir::Op& o = f_.op(id);
  const auto operand = [&](std::size_t i) -> const Tile& { return get(o.operands[i]); };
  const auto type = [&]() -> const ir::TileType& { return f_.type(o.results[0]); };
  switch (ir::row(o.code).group) {
    case ir::OpGroup::Leaf: return leaf(o);
    case ir::OpGroup::Memory: return o.code == OpCode::Load ? load(id) : store(id);
    case ir::OpGroup::Unary:
      return set(o.results[0], unary(o.code, operand(0), options_.functions));
    case ir::OpGroup::Binary:
    case ir::OpGroup::Compare:
      return set(o.results[0], binary(o.code, operand(0), operand(1), shape_of(type().axes),
                                      type().dtype, options_.functions));
    case ir::OpGroup::Select:
      return set(o.results[0],
                 o.code == OpCode::Where
                     ? where(operand(0), operand(1), operand(2), shape_of(type().axes))
                     : fma(operand(0), operand(1), operand(2), shape_of(type().axes)));
    case ir::OpGroup::Cast: return set(o.results[0], cast(operand(0), type().dtype));
    case ir::OpGroup::Shape: return shape(o);
    case ir::OpGroup::Reduce: {
      const auto dim = static_cast<std::size_t>(std::get<ir::ReduceAttr>(o.payload).dim);
      const std::int64_t valid = axis(f_.type(o.operands[0]).axes[dim]).valid;
      return set(o.results[0], reduce(o.code, operand(0), dim, valid, shape_of(type().axes),
                                      type().dtype, options_.sum));
    }
    case ir::OpGroup::Dot: {
      const Tile* acc = o.operands.size() > 2 ? &operand(2) : nullptr;
      const std::int64_t valid = axis(f_.type(o.operands[0]).axes[1]).valid;
      return set(o.results[0], dot(operand(0), operand(1), acc, valid, type().dtype,
                                   std::get<ir::DotAttr>(o.payload).precision, options_.dot));
    }
    case ir::OpGroup::Control: break;
  }
  switch (o.code) {
    case OpCode::For: return loop(o);
    case OpCode::While: return while_loop(id, o);
    case OpCode::If: return branch(o);
    default: return;  // yield and condition are read by whoever runs the region
  }
}

std::vector<Tile> Machine::yielded(ir::RegionId id) const {
  std::vector<Tile> tiles;
  for (const ir::ValueId v : f_.op(f_.region(id).ops.back()).operands) tiles.push_back(get(v));
  return tiles;
}

void Machine::pass(const std::vector<ir::ValueId>& to, std::vector<Tile> tiles) {
  for (std::size_t i = 0; i < to.size(); ++i) set(to[i], std::move(tiles[i]));
}

void Machine::loop(const ir::Op& o) {
  const int outer = taint_;
  std::vector<LoopRange> ranges;
  std::int64_t trips = 1;
  for (const ir::LoopDim& dim : std::get<ir::LoopAttr>(o.payload).dims) {
    ranges.push_back(range_of(o, dim));
    trips *= ranges.back().count;
  }
  std::vector<Tile> carry;
  for (std::size_t i = o.operands.size() - o.results.size(); i < o.operands.size(); ++i) {
    carry.push_back(get(o.operands[i]));
  }
  for (std::int64_t t = 0; t < trips; ++t) {
    enter_tile(ranges, t);
    pass(f_.region(o.regions[0]).arguments, std::move(carry));
    region(o.regions[0]);
    carry = yielded(o.regions[0]);
  }
  pass(o.results, std::move(carry));
  taint_ = outer;
}

void Machine::while_loop(ir::OpId id, const ir::Op& o) {
  constexpr std::int64_t patience = 1'000'000;
  const int outer = taint_;
  std::vector<Tile> carry;
  for (const ir::ValueId v : o.operands) carry.push_back(get(v));
  for (std::int64_t trip = 0;; ++trip) {
    pass(f_.region(o.regions[0]).arguments, carry);
    region(o.regions[0]);
    const Tile condition = yielded(o.regions[0])[0];
    if (condition.unsure_at(0)) taint_ = std::max(taint_, 1);
    if (condition.i[0] == 0) break;
    if (trip == patience) {
      report(Finding::Kind::EndlessLoop, id, "the loop passes a million trips");
      break;
    }
    pass(f_.region(o.regions[1]).arguments, std::move(carry));
    region(o.regions[1]);
    carry = yielded(o.regions[1]);
  }
  pass(o.results, std::move(carry));
  taint_ = outer;
}

void Machine::branch(const ir::Op& o) {
  const int outer = taint_;
  const Tile& condition = get(o.operands[0]);
  if (condition.unsure_at(0)) taint_ = std::max(taint_, 1);
  const ir::RegionId taken = o.regions[condition.i[0] != 0 ? 0 : 1];
  region(taken);
  pass(o.results, yielded(taken));
  taint_ = outer;
}

}  // namespace parhelion::interp
