// SPDX-License-Identifier: Apache-2.0
// Subscripts: a load that is recorded at once, and a place that can be stored through.
#include "lang/trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion {

using lang::Trace;
using lang::VarId;

namespace {

struct PlaceBuilder {
  Trace& trace;
  ir::TensorId tensor;
  Loc where;
  lang::PlaceRecord place;
  std::size_t dimension = 0;  // of the tensor, next to be consumed

  [[nodiscard]] const ir::Tensor& t() const { return trace.function.tensor(tensor); }

  void add_axis(ir::AxisId axis) { place.access.axes.push_back(axis); }

  /// An index value contributes its axes; axes that are there already are zipped.
  void add_value(const Index& i, ir::Subscript& s) {
    const VarId v = i.handle.id;
    (void)trace.variable(i.handle, i.where);
    const ir::TileType type = trace.function.type(trace.read(v, i.where));
    if (!is_integer(type.dtype)) {
      trace.fail(2004,
                 fmt::format("an index must be an integer, this is {}",
                             lang::type_text(trace.function, type)),
                 i.where, "condition: ph::load(x[...], {.mask = &c})");
    }
    s.kind = ir::Subscript::Kind::Value;
    s.operand = static_cast<std::uint32_t>(place.indices.size());
    place.indices.push_back(v);
    for (const ir::AxisId a : type.axes) {
      if (a == ir::unit_axis) continue;
      if (std::ranges::find(place.access.axes, a) == place.access.axes.end()) add_axis(a);
    }
  }

  void check_point(const Index& i, ir::SizeId begin) const {
    const auto at = trace.function.sizes.value(begin);
    const std::int64_t extent = trace.example(t().sizes[dimension]);
    if (at && (*at < 0 || *at >= extent)) {
      trace.fail(2002,
                 fmt::format("index {} is outside dimension {} of '{}' ({})", *at, dimension,
                             t().name, extent),
                 i.where);
    }
  }

  void add_slice(const Index& i, ir::Subscript& s) {
    s.kind = ir::Subscript::Kind::Slice;
    s.begin = lang::size_id(trace, *i.begin);
    const ir::SizeId end = lang::size_id(trace, *i.end);
    s.step = i.step;
    const std::int64_t b = trace.example(s.begin), e = trace.example(end);
    const std::int64_t extent = trace.example(t().sizes[dimension]);
    if (i.step <= 0 || b < 0 || e < b || e > extent) {
      trace.fail(2005,
                 fmt::format("slice {}:{}, step {} of dimension {} of '{}' ({})", b, e, i.step,
                             dimension, t().name, extent),
                 i.where, "0 <= begin <= end <= size, and a positive step");
    }
    ir::SizeTable& sizes = trace.function.sizes;
    const ir::SizeId length = sizes.ceil_div(sizes.sub(end, s.begin), sizes.constant(i.step));
    s.axis = trace.find(trace.function.extent_axis(length));
    add_axis(s.axis);
  }

  void add(const Index& i) {
    ir::Subscript s;
    if (i.kind == Index::Kind::New) {
      s.kind = ir::Subscript::Kind::New;
      add_axis(ir::unit_axis);
      place.access.subscripts.push_back(s);
      return;
    }
    switch (i.kind) {
      case Index::Kind::Tile:
        s.kind = ir::Subscript::Kind::Tile;
        s.axis = ir::AxisId(i.handle.id);
        require_open(s.axis, i.where);
        if (i.begin) s.begin = lang::size_id(trace, *i.begin);
        add_axis(s.axis);
        break;
      case Index::Kind::All:
        s.axis = trace.find(trace.function.extent_axis(t().sizes[dimension]));
        add_axis(s.axis);
        break;
      case Index::Kind::Slice: add_slice(i, s); break;
      case Index::Kind::Point:
        s.kind = ir::Subscript::Kind::Point;
        s.begin = lang::size_id(trace, *i.begin);
        check_point(i, s.begin);
        break;
      case Index::Kind::Value: add_value(i, s); break;
      case Index::Kind::New: break;
    }
    place.access.subscripts.push_back(s);
    ++dimension;
  }

  void require_open(ir::AxisId axis, Loc at) const {
    if (std::ranges::find(trace.open_loops, trace.function.axis(axis).loop) ==
        trace.open_loops.end()) {
      trace.fail(1208,
                 fmt::format("tile '{}' is used after its loop", trace.function.axis(axis).name),
                 at, "take what you need out of the loop as a value");
    }
  }

  Access finish() {
    place.access.tensor = tensor;
    place.where = trace.location(where);
    place.block = trace.current_block;
    const ir::TileType type{t().dtype, place.access.axes};
    const VarId v = trace.record_typed(ir::OpCode::Load, place.indices, place.access, type, where);
    trace.places.push_back(place);
    return Access(trace.handle(v), static_cast<std::uint32_t>(trace.places.size() - 1), where);
  }
};

void check_rank(Trace& trace, ir::TensorId tensor, std::size_t given, Loc where) {
  const ir::Tensor& t = trace.function.tensor(tensor);
  if (given != t.sizes.size()) {
    trace.fail(2001,
               fmt::format("'{}' has rank {}, the subscript has {}", t.name, t.sizes.size(), given),
               where, "write ph::all for a whole dimension");
  }
}

void check_expanded(Trace& trace, ir::TensorId tensor, Loc where) {
  const ir::Tensor& t = trace.function.tensor(tensor);
  if (t.kind != ir::Tensor::Kind::View) return;
  for (std::size_t d = 0; d < t.strides.size(); ++d) {
    if (trace.function.sizes.value(t.strides[d]) == 0 && trace.example(t.sizes[d]) > 1) {
      trace.fail(2006,
                 fmt::format("store to an expanded view of '{}': many places share one element",
                             trace.function.tensor(t.base).name),
                 where, "store to the original");
    }
  }
}

VarId fit(Trace& trace, VarId v, const ir::TileType& place, Loc where) {
  const auto unite = [&](const std::vector<ir::AxisId>& axes) {
    for (std::size_t i = 1; i <= std::min(axes.size(), place.axes.size()); ++i) {
      (void)trace.unite(axes[axes.size() - i], place.axes[place.axes.size() - i], where);
    }
  };
  const ir::TileType type = trace.function.type(trace.read(v, where));
  unite(type.axes);
  std::vector<ir::AxisId> have, want;
  for (const ir::AxisId a : type.axes) have.push_back(trace.find(a));
  for (const ir::AxisId a : place.axes) want.push_back(trace.find(a));
  const auto common = ir::broadcast(trace.function, have, want);
  if (!common || *common != want) {
    trace.fail(2102,
               fmt::format("store of {} to a place of {}", lang::type_text(trace.function, type),
                           lang::type_text(trace.function, place)),
               where, "reduce, or subscript with the missing axis too");
  }
  if (is_float(type.dtype) && is_integer(place.dtype)) {
    trace.fail(2103, fmt::format("store converts {} to {}", name(type.dtype), name(place.dtype)),
               where, "say ph::cast, ph::floor or ph::ceil");
  }
  return lang::cast_to(trace, v, place.dtype, where);
}

void store_through(Trace& trace, std::uint32_t place_id, const Operand& value,
                   std::optional<VarId> mask, Loc where) {
  const lang::PlaceRecord place = trace.places[place_id];
  const ir::Tensor& tensor = trace.function.tensor(place.access.tensor);
  const ir::TileType type{tensor.dtype, place.access.axes};
  check_expanded(trace, place.access.tensor, where);
  const VarId v = fit(trace, lang::materialize(trace, value, tensor.dtype), type, where);
  ir::Access access = place.access;
  std::vector<VarId> reads = {v};
  reads.insert(reads.end(), place.indices.begin(), place.indices.end());
  for (ir::Subscript& s : access.subscripts) {
    if (s.kind == ir::Subscript::Kind::Value) ++s.operand;  // operand 0 is the value
  }
  if (mask) {
    access.masked = true;
    reads.push_back(*mask);
  }
  trace.record_effect(ir::OpCode::Store, std::move(reads), std::move(access), where);
}

}  // namespace

Access Tensor::access(std::initializer_list<const Index*> indices, std::size_t n) const {
  const Index& last = **(indices.begin() + (n - 1));
  Trace& trace = lang::current(handle_, "a subscript", last.where);
  trace.require_device("a subscript", last.where);
  const ir::TensorId tensor(handle_.id);
  std::size_t given = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if ((*(indices.begin() + i))->kind != Index::Kind::New) ++given;
  }
  check_rank(trace, tensor, given, last.where);
  PlaceBuilder builder{trace, tensor, last.where, {}, 0};
  for (std::size_t i = 0; i < n; ++i) builder.add(**(indices.begin() + i));
  return builder.finish();
}

Access Tensor::operator[](TilePack tiles) const {
  Trace& trace = lang::current(handle_, "a subscript", tiles.where);
  trace.require_device("a subscript", tiles.where);
  const ir::TensorId tensor(handle_.id);
  check_rank(trace, tensor, tiles.tiles.size(), tiles.where);
  PlaceBuilder builder{trace, tensor, tiles.where, {}, 0};
  for (const Tile& t : tiles.tiles) builder.add(Index(t, tiles.where));
  return builder.finish();
}

Access& Access::operator=(Operand v) && {
  Trace& trace = lang::current(handle_, "a store", v.where);
  store_through(trace, place_, v, std::nullopt, where_);
  return *this;
}

void store(const Access& place, Operand value, const Value& mask, Loc where) {
  Trace& trace = lang::current(place.handle(), "ph::store", where);
  store_through(trace, place.place(), value, lang::variable_of(trace, mask, where), where);
}

Value load(const Access& place, LoadOptions options, Loc where) {
  Trace& trace = lang::current(place.handle(), "ph::load", where);
  const lang::PlaceRecord record = trace.places[place.place()];
  ir::Access access = record.access;
  access.other = options.other;
  access.in_bounds = options.in_bounds;
  std::vector<VarId> reads = record.indices;
  if (options.mask != nullptr) {
    access.masked = true;
    reads.push_back(lang::variable_of(trace, *options.mask, where));
  }
  const ir::TileType type{trace.function.tensor(access.tensor).dtype, access.axes};
  const VarId v = trace.record_typed(ir::OpCode::Load, reads, access, type, where);
  return lang::as_value(trace, v);
}

}  // namespace parhelion
