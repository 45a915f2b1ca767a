// SPDX-License-Identifier: Apache-2.0
// Memory sites: addresses, guards, vectors with their tails.
#include "passes/cuda/engine.h"

#include "base/diag.h"

#include <algorithm>

namespace parhelion::passes::cuda {

using plan::cuda::access_of;
using plan::cuda::DimensionUse;
using plan::cuda::SitePath;

/// Index into one dimension of the tensor.
k::ValueId Engine::dimension_index(const ir::Op& op, const DimensionUse& use, const Classes& at) {
  const ir::Subscript& s = *use.subscript;
  if (s.kind == ir::Subscript::Kind::Point) return size_value(s.begin);
  if (s.kind == ir::Subscript::Kind::Value) {
    const ir::ValueId value = op.operands[s.operand];
    Classes list;
    for (const int d : use.value_dims) {
      list.push_back(d < 0 ? ClassId{} : at[static_cast<std::size_t>(d)]);
    }
    return as(element(value, list), index_dtype());
  }
  k::ValueId index = as(local(at[*use.place_dim]), index_dtype());
  if (s.kind == ir::Subscript::Kind::Slice) {
    if (s.step != 1) index = mul(index, b.integer(s.step, index_dtype()));
    return add(size_value(s.begin), index);
  }
  if (s.kind == ir::Subscript::Kind::Tile) {
    index = add(axis_begin(s.axis), index);
    if (s.begin.valid()) index = add(index, size_value(s.begin));
  }
  return index;
}

Engine::Place Engine::place(const ir::Op& op, const Classes& at) {
  const ir::Access& access = access_of(op);
  const ir::Tensor& t = f_.tensor(access.tensor);
  Place result;
  k::ValueId offset = b.integer(0, index_dtype());
  for (const DimensionUse& use : plan::cuda::dimension_uses(f_, op)) {
    const k::ValueId index = dimension_index(op, use, at);
    const bool unit = facts_.unit_stride(access.tensor, use.dimension);
    offset = add(offset, unit ? index : mul(index, size_value(t.strides[use.dimension])));
    if (facts_.inside(access, use)) continue;
    const k::ValueId low = b.compare(k::OpCode::Ge, index, b.integer(0, index_dtype()));
    const k::ValueId high = b.compare(k::OpCode::Lt, index, size_value(t.sizes[use.dimension]));
    result.inside = both(both(result.inside, low), high);
  }
  result.pointer = named(b.offset(tensor_pointer(access.tensor), offset), t.name + "_at");
  if (access.masked) {
    result.inside =
        both(result.inside, element(op.operands.back(), broadcast(op.operands.back(), at)));
  }
  return result;
}

/// The Plan's path where the value is loaded as it lies; elsewhere one element at a time.
SitePath Engine::path(const ir::Op& op, const Classes& at) const {
  const ir::Access& access = access_of(op);
  const SitePath& planned = plan_.paths[access.site.index()];
  if (planned.vector == 1) return {};
  const auto along = facts_.contiguous(op);
  const bool same = along && at[*along] == planned.along;
  return same && std::ranges::count(at, planned.along) == 1 ? planned : SitePath{};
}

void Engine::prepare_place(const ir::Op& op, const Classes& at) {
  for (const DimensionUse& use : plan::cuda::dimension_uses(f_, op)) {
    if (use.subscript->kind != ir::Subscript::Kind::Value) continue;
    Classes list;
    for (const int d : use.value_dims) {
      list.push_back(d < 0 ? ClassId{} : at[static_cast<std::size_t>(d)]);
    }
    prepare(op.operands[use.subscript->operand], list);
  }
  if (access_of(op).masked) prepare(op.operands.back(), broadcast(op.operands.back(), at));
}

k::ValueId Engine::guarded_load(k::ValueId pointer, std::optional<k::ValueId> condition,
                                k::Type type, k::ValueId other, bool once) {
  std::vector<k::Attribute> attributes;
  if (once) attributes.push_back({"cache", std::string("once")});
  if (!condition) return one(k::OpCode::Load, {pointer}, type, attributes);
  return one(k::OpCode::LoadIf, {pointer, *condition, other}, type, attributes);
}

k::ValueId Engine::load_element(const ir::Op& op, const Classes& at) {
  const ir::Access& access = access_of(op);
  const DType dtype = f_.tensor(access.tensor).dtype;
  const Place p = place(op, at);
  std::optional<k::ValueId> condition = p.inside;
  if (const auto lanes = all_valid(at)) condition = both(condition, *lanes);
  k::ValueId other;
  if (condition) {
    const bool integral = is_integer(dtype) || dtype == DType::Bool;
    other = integral ? b.integer(static_cast<std::int64_t>(access.other), dtype)
                     : b.number(access.other, dtype);
  }
  return guarded_load(p.pointer, condition, {.element = dtype}, other, false);
}

/// Memory that a program both loads and stores may lie with other threads: a barrier stands between
/// two accesses of different kinds, and in a loop before each.
void Engine::order_access(ir::TensorId tensor, bool write) {
  const ir::TensorId memory = memory_of(tensor);
  if (!stored_[memory.index()] || !loaded_[memory.index()]) return;
  const std::pair key(memory, write), other(memory, !write);
  if (loops_ > 0) {
    sync();
  } else if (touched_.contains(other)) {
    sync();
    touched_.clear();
  }
  touched_.insert(key);
}

void Engine::load_array(const ir::Op& op, const Classes& at) {
  this->at(op);
  order_access(access_of(op).tensor, false);
  const ir::ValueId value = op.results[0];
  const DType dtype = f_.type(value).dtype;
  if (is_scalar(at)) {
    hold(value, {at, {}, compute_form(load_element(op, at), dtype), {}});
    return;
  }
  const SitePath p = path(op, at);
  const bool half = dtype == DType::F16 || dtype == DType::BF16;
  if (p.vector == 1) {
    const Held held = make_array(value, at, compute_dtype(dtype));
    each_register(held.order, [&] {
      const k::ValueId v = compute_form(load_element(op, at), dtype);
      put(held.variable, v, array_index(held.order));
    });
    hold(value, held);
    return;
  }
  Held held;
  if (half) {
    held.at = at;
    for (const ClassId id : present(at)) {
      if (id != p.along) held.order.push_back(id);
    }
    held.order.push_back(p.along);
    held.packed = dtype;
    const std::string& name = f_.value(value).name;
    held.variable = b.var(array_type(DType::U32, count(held.order) / 2),
                          name.empty() ? "pairs" : name + "_pairs");
  } else {
    held = make_array(value, at, compute_dtype(dtype), p.along);
  }
  const std::vector<ClassId> outer(held.order.begin(), held.order.end() - 1);
  each_register(outer, [&] { each_vector(p.along, p.vector, [&] { load_vector(op, held, p); }); });
  hold(value, held);
}

/// Every element of the vector is valid; where the axis may end inside of one, by its last element.
std::optional<k::ValueId> Engine::vector_condition(const Classes& at, const SitePath& p,
                                                   std::optional<k::ValueId> inside) {
  std::optional<k::ValueId> condition = inside;
  for (const ClassId id : present(at)) {
    if (!masked(id)) continue;
    if (id == p.along && p.guarded) {
      const k::ValueId end = add(local(id), c32(p.vector - 1));
      condition = both(condition, b.compare(k::OpCode::Lt, end, limit(plan_.of(id).axis)));
    } else {
      condition = both(condition, valid(id));
    }
  }
  return condition;
}

void Engine::load_vector(const ir::Op& op, const Held& held, const SitePath& p) {
  const ir::Access& access = access_of(op);
  const DType dtype = f_.tensor(access.tensor).dtype;
  // The vector is moved as words of its elements, or of pairs of 16-bit elements.
  const DType word = held.packed ? DType::U32 : dtype;
  const int words = held.packed ? p.vector / 2 : p.vector;
  Place where = place(op, held.at);
  std::optional<k::ValueId> condition = vector_condition(held.at, p, where.inside);
  if (p.guarded) {
    b.open_if(*condition);
    condition.reset();
  }
  const k::Type type{.element = word, .lanes = static_cast<std::uint16_t>(words)};
  const k::Type pointer_type{.element = word, .pointer = k::Space::Global};
  k::ValueId other;
  if (condition) {
    k::ValueId fill = is_float(word) ? b.number(access.other, word)
                                     : b.integer(static_cast<std::int64_t>(access.other), word);
    if (held.packed) {
      const k::ValueId x = b.number(access.other, DType::F32);
      fill = access.other == 0
                 ? b.integer(0, word)
                 : one(k::OpCode::PackHalves, {x, x}, u32(), {{"dtype", std::string(name(dtype))}});
    }
    other = words == 1 ? fill
                       : one(k::OpCode::Pack,
                             std::vector<k::ValueId>(static_cast<std::size_t>(words), fill), type);
  }
  const bool once =
      !stored(access.tensor) && p.vector * size_bytes(dtype) >= 8 && size_bytes(word) == 4;
  const k::ValueId loaded = named(
      guarded_load(b.bitcast(where.pointer, pointer_type), condition, type, other, once), "loaded");
  const k::ValueId index = array_index(held.order);
  const k::ValueId first = held.packed ? named(div(index, c32(2)), "pair") : index;
  for (int i = 0; i < words; ++i) {
    k::ValueId v = words == 1 ? loaded
                              : one(k::OpCode::Element, {loaded}, {.element = word},
                                    {{"index", std::int64_t{i}}});
    if (!held.packed) v = compute_form(v, dtype);
    put(held.variable, v, add(first, c32(i)));
  }
  if (!p.guarded) return;
  b.otherwise();
  {
    Scope scope(*this);
    load_tail(op, held, p);
  }
  b.close();
}

/// The vector that the axis ends in, element by element.
void Engine::load_tail(const ir::Op& op, const Held& held, const SitePath& p) {
  const DType dtype = f_.type(op.results[0]).dtype;
  if (!held.packed) {
    each_element(p.along, p.vector, [&](k::ValueId) {
      const k::ValueId v = compute_form(load_element(op, held.at), dtype);
      put(held.variable, v, array_index(held.order));
    });
    return;
  }
  const k::ValueId first = div(array_index(held.order), c32(2));
  const k::ValueId halves =
      b.var({.element = DType::F32, .count = static_cast<std::uint32_t>(p.vector)}, "tail");
  each_element(p.along, p.vector, [&](k::ValueId e) {
    b.set(halves, compute_form(load_element(op, held.at), dtype), e);
  });
  for (int i = 0; i < p.vector / 2; ++i) {
    const k::ValueId low = b.get(halves, c32(2 * i)), high = b.get(halves, c32(2 * i + 1));
    const k::ValueId pair =
        one(k::OpCode::PackHalves, {low, high}, u32(), {{"dtype", std::string(name(dtype))}});
    put(held.variable, pair, add(first, c32(i)));
  }
}

}  // namespace parhelion::passes::cuda
