// SPDX-License-Identifier: Apache-2.0
// Stores: each place once, by the thread that owns it.
#include "passes/cuda/engine.h"

namespace parhelion::passes::cuda {

using plan::cuda::access_of;
using plan::cuda::SitePath;

void Engine::store(ir::OpId id) {
  const ir::Op& op = f_.op(id);
  const Classes& at = plan_.places.at(id);
  const SitePath p = path(op, at);
  each_chunk(present(at), [&] {
    this->at(op);
    prepare(op.operands[0], broadcast(op.operands[0], at));
    prepare_place(op, at);
    order_access(access_of(op).tensor, true);
    const auto owns = owner(at);
    if (owns) b.open_if(*owns);
    {
      Scope scope(*this);
      if (p.vector > 1) {
        store_vector(op, at, p);
      } else {
        store_scalars(op, at);
      }
    }
    if (owns) b.close();
  });
}

/// A value that was just rounded to the dtype of the store: the store rounds it once more, alike.
k::ValueId Engine::unrounded(k::ValueId v, DType dtype) const {
  if (compute_dtype(dtype) == dtype || !is_float(dtype)) return v;
  const k::OpId widened = m.value(v).defined_by;
  if (!widened.valid() || m.op(widened).code != k::OpCode::Convert) return v;
  const k::ValueId narrow = m.op(widened).operands[0];
  const k::OpId rounding = m.value(narrow).defined_by;
  const bool same = m.type(narrow).element == dtype && rounding.valid() &&
                    m.op(rounding).code == k::OpCode::Convert;
  return same ? m.op(rounding).operands[0] : v;
}

void Engine::store_scalars(const ir::Op& op, const Classes& at) {
  const DType dtype = f_.tensor(access_of(op).tensor).dtype;
  each_register(present(at), [&] {
    const Place where = place(op, at);
    std::optional<k::ValueId> condition = where.inside;
    if (const auto lanes = all_valid(at)) condition = both(condition, *lanes);
    const k::ValueId v = unrounded(element(op.operands[0], broadcast(op.operands[0], at)), dtype);
    if (condition) b.open_if(*condition);
    b.store(where.pointer, store_form(v, dtype));
    if (condition) b.close();
  });
}

/// Words of one access from an array of its elements.
k::ValueId Engine::vector_value(k::ValueId elements, int vector, DType dtype) {
  const bool half = dtype == DType::F16 || dtype == DType::BF16;
  std::vector<k::ValueId> words;
  for (int i = 0; i < vector; i += half ? 2 : 1) {
    k::ValueId v = b.get(elements, c32(i));
    if (half) {
      v = one(k::OpCode::PackHalves, {v, b.get(elements, c32(i + 1))}, u32(),
              {{"dtype", std::string(name(dtype))}});
    } else {
      v = store_form(v, dtype);
    }
    words.push_back(v);
  }
  if (words.size() == 1) return words[0];
  const k::Type type{.element = half ? DType::U32 : dtype,
                     .lanes = static_cast<std::uint16_t>(words.size())};
  return one(k::OpCode::Pack, words, type);
}

void Engine::store_vector(const ir::Op& op, const Classes& at, const SitePath& p) {
  const ir::ValueId value = op.operands[0];
  const DType dtype = f_.tensor(access_of(op).tensor).dtype;
  const bool half = dtype == DType::F16 || dtype == DType::BF16;
  std::vector<ClassId> outer;
  for (const ClassId id : present(at)) {
    if (id != p.along) outer.push_back(id);
  }
  each_register(outer, [&] {
    each_vector(p.along, p.vector, [&] {
      Place where = place(op, at);
      const k::Type type{.element = compute_dtype(dtype),
                         .count = static_cast<std::uint32_t>(p.vector)};
      const k::ValueId elements = b.var(type, access_of(op).tensor.valid() ? "y" : "v");
      each_element(p.along, p.vector, [&](k::ValueId e) {
        b.set(elements, unrounded(element(value, broadcast(value, at)), dtype), e);
      });
      const std::optional<k::ValueId> whole = vector_condition(at, p, where.inside);
      if (whole) b.open_if(*whole);
      const k::Type word{.element = half ? DType::U32 : dtype, .pointer = k::Space::Global};
      std::vector<k::Attribute> cache;
      if (root_->dots.empty() && p.vector * size_bytes(dtype) >= 8 &&
          size_bytes(word.element) == 4) {
        cache.push_back({"cache", std::string("once")});
      }
      b.op(k::OpCode::Store,
           {b.bitcast(where.pointer, word), vector_value(elements, p.vector, dtype)}, {}, cache);
      if (p.guarded) {
        b.otherwise();
        Scope scope(*this);
        each_element(p.along, p.vector, [&](k::ValueId e) {
          std::optional<k::ValueId> inside = where.inside;
          if (const auto lanes = all_valid(at)) inside = both(inside, *lanes);
          b.open_if(*inside);
          b.store(b.offset(where.pointer, as(e, index_dtype())),
                  store_form(b.get(elements, e), dtype));
          b.close();
        });
      }
      if (whole) b.close();
    });
  });
}

}  // namespace parhelion::passes::cuda
