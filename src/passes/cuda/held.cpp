// SPDX-License-Identifier: Apache-2.0
// Values in registers: arrays, what must be in them before a nest opens, and the exchange of a
// value that is needed at other places than it is held.
#include "passes/cuda/engine.h"

#include "base/diag.h"

#include <algorithm>

namespace parhelion::passes::cuda {

const Held* Engine::find_held(ir::ValueId value, const Classes& at) const {
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const auto found = frames_[i].held.find(value);
    if (found == frames_[i].held.end()) continue;
    for (const Held& held : found->second) {
      if (held.at == at) return &held;
    }
  }
  return nullptr;
}

const Held* Engine::any_held(ir::ValueId value) const {
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const auto found = frames_[i].held.find(value);
    if (found != frames_[i].held.end()) return &found->second.front();
  }
  return nullptr;
}

std::int64_t Engine::count(const std::vector<ClassId>& order) const {
  std::int64_t product = 1;
  for (const ClassId id : order) product *= plan_.of(id).stripe.registers();
  return product;
}

k::ValueId Engine::array_index(const std::vector<ClassId>& order) {
  k::ValueId index = c32(0);
  for (const ClassId id : order) {
    const k::ValueId* at = lookup(&Frame::index, id);
    PH_ASSERT(at != nullptr, "an array is read outside of the loops over its registers");
    index = add(mul(index, c32(plan_.of(id).stripe.registers())), *at);
  }
  return index;
}

void Engine::put(k::ValueId variable, k::ValueId value, k::ValueId index) {
  const bool array = m.type(variable).count != 0;
  b.set(variable, value, array ? std::optional(index) : std::nullopt);
}

k::ValueId Engine::take(k::ValueId variable, k::ValueId index) {
  const bool array = m.type(variable).count != 0;
  return b.get(variable, array ? std::optional(index) : std::nullopt);
}

k::Type Engine::array_type(DType element, std::int64_t n) const {
  return {.element = element, .count = n == 1 ? 0 : static_cast<std::uint32_t>(n)};
}

Held Engine::make_array(ir::ValueId value, const Classes& at, DType element, ClassId fastest,
                        std::optional<k::ValueId> initial) {
  Held held;
  held.at = at;
  for (const ClassId id : present(at)) {
    if (id != fastest) held.order.push_back(id);
  }
  if (fastest.valid()) held.order.push_back(fastest);
  const std::string& own = f_.value(value).name;
  held.variable = b.var(array_type(element, count(held.order)), own.empty() ? "v" : own, initial);
  return held;
}

k::ValueId Engine::read_held(const Held& held, DType dtype) {
  if (held.order.empty()) return held.variable;
  const k::ValueId index = array_index(held.order);
  if (!held.packed) return take(held.variable, index);
  const k::ValueId word = take(held.variable, div(index, c32(2)));
  const std::vector<k::Attribute> which = {{"dtype", std::string(name(dtype))}};
  const k::Type f32{.element = DType::F32};
  if (const auto constant = known(index)) {
    return one(*constant % 2 == 0 ? k::OpCode::LowHalf : k::OpCode::HighHalf, {word}, f32, which);
  }
  const k::ValueId low = one(k::OpCode::LowHalf, {word}, f32, which);
  const k::ValueId high = one(k::OpCode::HighHalf, {word}, f32, which);
  return b.select(b.compare(k::OpCode::Eq, rem(index, c32(2)), c32(0)), low, high);
}

/// Brings into registers, before the loops of a nest open, what an element at `at` needs: loads,
/// reductions, values that are worth keeping.
void Engine::prepare(ir::ValueId value, const Classes& at) {
  if (find_held(value, at) != nullptr) return;
  const auto key = std::pair(value, at);
  for (const Frame& frame : frames_) {
    if (frame.prepared.contains(key)) return;
  }
  const ir::OpId by = f_.value(value).defined_by;
  const bool argument = !by.valid();
  const ir::OpGroup group = argument ? ir::OpGroup::Control : ir::row(f_.op(by).code).group;
  const bool made =
      group == ir::OpGroup::Control || group == ir::OpGroup::Reduce || group == ir::OpGroup::Dot;
  if (!made) {
    const ir::Op& op = f_.op(by);
    if (group == ir::OpGroup::Memory) {
      prepare_place(op, at);
      load_array(op, at);
      return;
    }
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      prepare(op.operands[i], operand_classes(op, i, at));
    }
    const bool scalar = is_scalar(at) && group != ir::OpGroup::Leaf;
    if (scalar || kept_[value.index()]) return keep(value, at);
    frames_.back().prepared.insert(key);
    return;
  }
  if (any_held(value) == nullptr) {
    // Inside a chunk: the reduction or product of this chunk.
    PH_ASSERT(!argument && group != ir::OpGroup::Control, "a value that no one has made");
    if (group == ir::OpGroup::Reduce) reduce(f_.op(by));
    if (group == ir::OpGroup::Dot) dot(by);
    if (find_held(value, at) != nullptr) return;
  }
  const Held held = *any_held(value);
  exchange(value, held, at);
}

void Engine::keep(ir::ValueId value, const Classes& at) {
  this->at(f_.op(f_.value(value).defined_by));
  if (is_scalar(at)) {
    const k::ValueId v = element(value, at);
    hold(value, {at, {}, v, {}});
    return;
  }
  // As its operands lie, so that loops over both agree.
  const Held held = make_array(value, at, compute_dtype(f_.type(value).dtype));
  each_register(held.order,
                [&] { put(held.variable, element(value, at), array_index(held.order)); });
  hold(value, held);
}

/// Through shared memory, in the order of the tile: the owners write, everyone reads.
void Engine::exchange(ir::ValueId value, const Held& held, const Classes& to) {
  PH_ASSERT(!is_scalar(to), "a scalar is the same for all threads");
  const DType dtype = compute_dtype(f_.type(value).dtype);
  const DType stored = dtype == DType::Bool ? DType::I32 : dtype;
  std::int64_t elements = 1;
  std::vector<std::int64_t> extents;
  for (std::size_t d = 0; d < to.size(); ++d) {
    if (!to[d].valid()) {
      extents.push_back(1);
      continue;
    }
    extents.push_back(
        std::max(plan_.of(to[d]).stripe.extent(), plan_.of(held.at[d]).stripe.extent()));
    elements *= extents.back();
  }
  const k::ValueId image =
      one(k::OpCode::Shared, {}, {.element = stored, .pointer = k::Space::Shared},
          {{"count", elements}, {"align", std::int64_t{16}}});
  b.name(image, "exchange");
  const auto place = [&](const Classes& at) {
    k::ValueId index = c32(0);
    for (std::size_t d = 0; d < at.size(); ++d) {
      index = mul(index, c32(extents[d]));
      if (at[d].valid()) index = add(index, local(at[d]));
    }
    return b.offset(image, index);
  };
  if (loops_ > 0) sync();
  const auto owns = owner(held.at);
  if (owns) b.open_if(*owns);
  each_register(held.order, [&] {
    const k::ValueId v = read_held(held, f_.type(value).dtype);
    b.store(place(held.at), dtype == DType::Bool ? b.select(v, c32(1), c32(0)) : v);
  });
  if (owns) b.close();
  sync();
  const Held result = make_array(value, to, dtype);
  each_register(result.order, [&] {
    k::ValueId v = b.load(place(to));
    if (dtype == DType::Bool) v = b.compare(k::OpCode::Ne, v, c32(0));
    put(result.variable, v, array_index(result.order));
  });
  hold(value, result);
}

}  // namespace parhelion::passes::cuda
