// SPDX-License-Identifier: Apache-2.0
// Accesses at the current position: plain, clipped at the tensor's edge, or guarded one by one.
#include "passes/cpu/engine.h"

#include "base/diag.h"

#include <algorithm>

namespace parhelion::passes::cpu {

namespace {

/// Dimension of the tensor that a subscript consumes, in order; New consumes none.
struct Walk {
  std::size_t dimension = 0;
  const ir::Subscript* subscript = nullptr;
};

std::vector<Walk> dimensions(const ir::Access& access) {
  std::vector<Walk> list;
  for (const ir::Subscript& s : access.subscripts) {
    if (s.kind == ir::Subscript::Kind::New) continue;
    list.push_back({list.size(), &s});
  }
  return list;
}

const ir::Access& access_of(const ir::Op& op) { return std::get<ir::Access>(op.payload); }

}  // namespace

bool Engine::unmasked(const ir::Access& access, std::size_t dimension,
                      const ir::Subscript& s) const {
  const ir::SizeId size = f.tensor(access.tensor).sizes[dimension];
  switch (s.kind) {
    case ir::Subscript::Kind::All: return true;
    case ir::Subscript::Kind::Slice: return true;  // inside by the host's check
    case ir::Subscript::Kind::Value: return access.in_bounds;
    case ir::Subscript::Kind::New: return true;
    case ir::Subscript::Kind::Point: {
      const auto at = f.sizes.value(s.begin), extent = f.sizes.value(size);
      return at && extent && *at >= 0 && *at < *extent;
    }
    case ir::Subscript::Kind::Tile: break;
  }
  if (s.begin.valid() && f.sizes.value(s.begin) != 0) return false;
  // The loop runs over this very extent: its valid lanes are inside the tensor.
  const ir::Axis& axis = f.axis(s.axis);
  const auto& dim = std::get<ir::LoopAttr>(f.op(axis.loop).payload).dims[axis.dimension];
  const bool from_zero = !dim.begin.size.valid() || f.sizes.value(dim.begin.size).value_or(-1) >= 0;
  return dim.end.size.valid() && from_zero && dim.begin.operand < 0 &&
         same_extent(dim.end.size, size);
}

bool Engine::same_extent(ir::SizeId a, ir::SizeId b) const { return equal_.same(a, b); }

bool Engine::contiguous_along(const ir::Op& op, ir::AxisId axis) const {
  const ir::Access& access = access_of(op);
  if (access.masked) return false;
  const ir::Tensor& t = f.tensor(access.tensor);
  int uses_axis = 0;
  for (const Walk& w : dimensions(access)) {
    const ir::Subscript& s = *w.subscript;
    if (s.kind == ir::Subscript::Kind::Value) {
      // A gathered dimension is fine as long as its index stays put along the axis.
      const auto& list = f.type(op.operands[s.operand]).axes;
      if (std::ranges::find(list, axis) != list.end()) return false;
      if (!access.in_bounds) return false;
      continue;
    }
    if (s.axis != axis) {
      if (!unmasked(access, w.dimension, s)) return false;
      continue;
    }
    ++uses_axis;
    if (s.step != 1) return false;
    const bool shifted = s.begin.valid() && s.kind == ir::Subscript::Kind::Tile &&
                         f.sizes.value(s.begin).value_or(-1) < 0;
    if (shifted) return false;
    const bool unit =
        f.sizes.value(t.strides[w.dimension]) == 1 ||
        spec.tensors[access.tensor.index()].unit_stride_dim == static_cast<int>(w.dimension);
    if (!unit) return false;
  }
  return uses_axis <= 1;
}

/// Index into one dimension, absolute, for lane 0.
k::ValueId Engine::dimension_index(const ir::Op& op, const ir::Subscript& s, const Lanes* lanes) {
  switch (s.kind) {
    case ir::Subscript::Kind::Point: return size_value(s.begin);
    case ir::Subscript::Kind::Value: {
      const k::ValueId v = eval(op.operands[s.operand], lanes);
      return m.type(v).element == DType::I64 ? v : b.convert(v, DType::I64);
    }
    default: break;
  }
  const AxisBinding& bound = axes.at(s.axis);
  const bool vector = lanes != nullptr && lanes->axis == s.axis;
  k::ValueId at = vector ? lanes->start : *bound.index;
  at = add(bound.begin, at);
  if (s.kind == ir::Subscript::Kind::Slice) {
    if (s.step != 1) at = mul(at, c64(s.step));
    at = add(at, size_value(s.begin));
  } else if (s.kind == ir::Subscript::Kind::Tile && s.begin.valid()) {
    at = add(at, size_value(s.begin));
  }
  return at;
}

Engine::Place Engine::place(const ir::Op& op, const Lanes* lanes, bool written) {
  const ir::Access& access = access_of(op);
  const ir::Tensor& t = f.tensor(access.tensor);
  Place result;
  k::ValueId offset = c64(0);
  for (const Walk& w : dimensions(access)) {
    const ir::Subscript& s = *w.subscript;
    const k::ValueId at = dimension_index(op, s, lanes);
    const bool unit =
        f.sizes.value(t.strides[w.dimension]) == 1 ||
        spec.tensors[access.tensor.index()].unit_stride_dim == static_cast<int>(w.dimension);
    offset = add(offset, unit ? at : mul(at, size_value(t.strides[w.dimension])));
    if (unmasked(access, w.dimension, s)) continue;
    const k::ValueId extent = size_value(t.sizes[w.dimension]);
    const bool vector = lanes != nullptr && lanes->lanes > 1 && lanes->axis == s.axis &&
                        s.kind != ir::Subscript::Kind::Value;
    if (vector) {
      result.room = sub(extent, at);  // lanes that are inside the tensor
      continue;
    }
    const k::ValueId low = b.compare(k::OpCode::Ge, at, c64(0));
    const k::ValueId high = b.compare(k::OpCode::Lt, at, extent);
    const k::ValueId inside = b.binary(k::OpCode::And, low, high);
    result.condition =
        result.condition ? b.binary(k::OpCode::And, *result.condition, inside) : inside;
  }
  result.pointer = b.offset(tensor_pointer(access.tensor, written), offset);
  return result;
}

k::ValueId Engine::load_place(const ir::Op& op, const Lanes* lanes) {
  const ir::Access& access = access_of(op);
  const DType dtype = f.tensor(access.tensor).dtype;
  const bool vector =
      lanes != nullptr && lanes->lanes > 1 && depends_on(op.results[0], lanes->axis);
  Place p = place(op, lanes, false);
  if (access.masked) {
    const k::ValueId mask = eval(op.operands.back(), lanes);
    p.condition = p.condition ? b.binary(k::OpCode::And, *p.condition, mask) : mask;
  }
  const auto other = [&] {
    return is_float(dtype) ? b.number(access.other, dtype)
                           : b.integer(static_cast<std::int64_t>(access.other), dtype);
  };
  if (vector) {
    PH_ASSERT(!p.condition, "a guarded access is walked one lane at a time");
    std::optional<k::ValueId> count = lanes->valid;
    if (p.room) count = count ? min(*count, *p.room) : *p.room;
    if (!count) return b.load(p.pointer, lanes->lanes);
    const k::ValueId clipped = p.room ? max(min(*count, c64(lanes->lanes)), c64(0)) : *count;
    const k::Type type{dtype, static_cast<std::uint16_t>(lanes->lanes), 0, k::Space::None};
    return b.result(b.op(k::OpCode::LoadFirst, {p.pointer, clipped, other()}, {type}));
  }
  if (!p.condition) return b.load(p.pointer);
  b.open_if(*p.condition, {{dtype, 1, 0, k::Space::None}});
  const k::ValueId loaded = b.load(p.pointer);
  b.otherwise({loaded});
  const k::ValueId fallback = other();
  return b.close({fallback})[0];
}

void Engine::store_place(const ir::Op& op, k::ValueId value, const Lanes* lanes,
                         bool non_temporal) {
  const ir::Access& access = access_of(op);
  Place p = place(op, lanes, true);
  if (access.masked) {
    const k::ValueId mask = eval(op.operands.back(), lanes);
    p.condition = p.condition ? b.binary(k::OpCode::And, *p.condition, mask) : mask;
  }
  const k::ValueId stored = store_form(value, f.tensor(access.tensor).dtype);
  if (lanes != nullptr && lanes->lanes > 1) {
    PH_ASSERT(!p.condition, "a guarded access is walked one lane at a time");
    std::optional<k::ValueId> count = lanes->valid;
    if (p.room) count = count ? min(*count, *p.room) : *p.room;
    if (!count) {
      if (non_temporal) {
        b.op(k::OpCode::StoreNt, {p.pointer, stored}, {});
      } else {
        b.store(p.pointer, stored);
      }
      return;
    }
    const k::ValueId clipped = p.room ? max(min(*count, c64(lanes->lanes)), c64(0)) : *count;
    b.op(k::OpCode::StoreFirst, {p.pointer, clipped, stored}, {});
    return;
  }
  if (!p.condition) {
    b.store(p.pointer, stored);
    return;
  }
  b.open_if(*p.condition);
  b.store(p.pointer, stored);
  b.close();
}

k::ValueId Engine::buffer_pointer(const Buffer& buffer, const Lanes* lanes) {
  k::ValueId offset = c64(0);
  for (const auto& [axis, stride] : buffer.strides) {
    if (axis == ir::unit_axis) continue;
    const k::ValueId at =
        position(axis, lanes != nullptr && lanes->axis == axis ? &scalar_lane(*lanes) : nullptr,
                 buffer.absolute);
    offset = add(offset, mul(at, stride));
  }
  return b.offset(buffer.pointer, offset);
}

const Lanes& Engine::scalar_lane(const Lanes& lanes) {
  first_lane_ = lanes;
  first_lane_.lanes = 1;
  first_lane_.valid.reset();
  return first_lane_;
}

k::ValueId Engine::read_buffer(const Buffer& buffer, const Lanes* lanes) {
  const k::ValueId pointer = buffer_pointer(buffer, lanes);
  if (lanes == nullptr || lanes->lanes == 1) return b.load(pointer);
  // Scratch rows are padded to whole vectors; an output row is not.
  if (!lanes->valid || !buffer.absolute) return b.load(pointer, lanes->lanes);
  const k::Type type{buffer.element, static_cast<std::uint16_t>(lanes->lanes), 0, k::Space::None};
  const k::ValueId zero =
      is_float(buffer.element) ? b.number(0, buffer.element) : b.integer(0, buffer.element);
  return b.result(b.op(k::OpCode::LoadFirst, {pointer, *lanes->valid, zero}, {type}));
}

void Engine::write_buffer(const Buffer& buffer, k::ValueId value, const Lanes* lanes) {
  const k::ValueId pointer = buffer_pointer(buffer, lanes);
  const k::ValueId stored = store_form(value, buffer.element);
  if (lanes == nullptr || lanes->lanes == 1 || !lanes->valid || !buffer.absolute) {
    b.store(pointer, stored);
    return;
  }
  b.op(k::OpCode::StoreFirst, {pointer, *lanes->valid, stored}, {});
}

}  // namespace parhelion::passes::cpu
