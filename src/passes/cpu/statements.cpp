// SPDX-License-Identifier: Apache-2.0
// Ops in order: stores, reductions, dots and loops are carried out, everything else waits until
// somebody needs it. A load waits no longer than the next store that may touch its memory.
#include "passes/cpu/engine.h"

#include "base/diag.h"

#include <algorithm>

namespace parhelion::passes::cpu {

namespace {

ir::TensorId memory_of(const ir::Function& f, ir::TensorId tensor) {
  const ir::Tensor& t = f.tensor(tensor);
  return t.kind == ir::Tensor::Kind::View ? t.base : tensor;
}

void stored_tensors(const ir::Function& f, const ir::Op& op, std::set<ir::TensorId>& tensors) {
  if (op.code == ir::OpCode::Store) {
    tensors.insert(memory_of(f, std::get<ir::Access>(op.payload).tensor));
  }
  for (const ir::RegionId r : op.regions) {
    for (const ir::OpId id : f.region(r).ops) stored_tensors(f, f.op(id), tensors);
  }
}

void needed_values(const ir::Function& f, const ir::Op& op, std::set<ir::ValueId>& needed) {
  for (const ir::ValueId v : op.operands) {
    if (!needed.insert(v).second) continue;
    const ir::OpId id = f.value(v).defined_by;
    if (id.valid() && f.op(id).regions.empty()) needed_values(f, f.op(id), needed);
  }
  for (const ir::RegionId r : op.regions) {
    for (const ir::OpId id : f.region(r).ops) needed_values(f, f.op(id), needed);
  }
}

bool same_place(const ir::Op& load, const ir::Op& store) {
  ir::Access a = std::get<ir::Access>(load.payload), b = std::get<ir::Access>(store.payload);
  if (a.masked || b.masked || a.tensor != b.tensor) return false;
  a.site = b.site = {};
  a.other = b.other = 0;
  const bool indexed = std::ranges::any_of(
      a.subscripts, [](const ir::Subscript& s) { return s.kind == ir::Subscript::Kind::Value; });
  return !indexed && a == b;
}

}  // namespace

/// Loads of memory that `ops[position]` writes are carried out now if anything later needs them.
void Engine::keep_loads_before(const std::vector<ir::OpId>& ops, std::size_t position) {
  const ir::Op& op = f.op(ops[position]);
  std::set<ir::TensorId> written;
  stored_tensors(f, op, written);
  if (written.empty()) return;
  std::set<ir::ValueId> later;
  for (std::size_t i = position + 1; i < ops.size(); ++i) needed_values(f, f.op(ops[i]), later);
  std::set<ir::ValueId> own;
  needed_values(f, op, own);
  for (const ir::ValueId v : own) {
    const ir::OpId id = f.value(v).defined_by;
    if (!id.valid() || f.op(id).code != ir::OpCode::Load) continue;
    if (op.code != ir::OpCode::Store || !same_place(f.op(id), op)) later.insert(v);
  }
  for (const ir::ValueId v : later) {
    const ir::OpId id = f.value(v).defined_by;
    if (!id.valid() || f.op(id).code != ir::OpCode::Load) continue;
    const ir::Op& load = f.op(id);
    if (!written.contains(memory_of(f, std::get<ir::Access>(load.payload).tensor))) continue;
    const bool here =
        std::ranges::find(ops.begin(), ops.begin() + static_cast<std::ptrdiff_t>(position), id) !=
        ops.begin() + static_cast<std::ptrdiff_t>(position);
    if (here) materialize(v);
  }
}

void Engine::region(ir::RegionId id) {
  const std::vector<ir::OpId>& ops = f.region(id).ops;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    keep_loads_before(ops, i);
    statement(ops[i]);
  }
}

void Engine::statement(ir::OpId id) {
  const ir::Op& op = f.op(id);
  switch (ir::row(op.code).group) {
    case ir::OpGroup::Reduce: reduce(op); return;
    case ir::OpGroup::Dot: dot(op); return;
    case ir::OpGroup::Memory:
      if (op.code == ir::OpCode::Store) store(op);
      return;
    case ir::OpGroup::Control: break;
    default: return;
  }
  switch (op.code) {
    case ir::OpCode::For: loop(id); return;
    case ir::OpCode::While: while_loop(id); return;
    case ir::OpCode::If: branch(id); return;
    default: return;  // Yield and Condition are read by their owner
  }
}

void Engine::begin_tees(const std::vector<ir::ValueId>& roots, const Shape& shape) {
  std::set<ir::ValueId> reached;
  std::vector<ir::ValueId> stack = roots;
  while (!stack.empty()) {
    const ir::ValueId v = stack.back();
    stack.pop_back();
    if (!reached.insert(v).second || buffers.contains(v)) continue;
    const ir::OpId id = f.value(v).defined_by;
    if (!id.valid() || !f.op(id).regions.empty()) continue;
    const ir::OpGroup group = ir::row(f.op(id).code).group;
    if (group == ir::OpGroup::Reduce || group == ir::OpGroup::Dot) continue;
    for (const ir::ValueId operand : f.op(id).operands) stack.push_back(operand);
  }
  std::vector<ir::AxisId> nest = shape.outer;
  nest.push_back(shape.inner);
  std::ranges::sort(nest);
  for (const plan::cpu::HeldValue& h : plan.held) {
    if (h.hold == plan::cpu::Hold::Recompute || !reached.contains(h.value)) continue;
    if (buffers.contains(h.value) || cached(h.value) != nullptr) continue;
    std::vector<ir::AxisId> own = live_axes(f.type(h.value).axes);
    std::vector<ir::AxisId> sorted = own;
    std::ranges::sort(sorted);
    if (sorted != nest) continue;
    tees.emplace_back(h.value, h.hold == plan::cpu::Hold::Scratch
                                   ? allocate(own, compute_dtype(f.type(h.value).dtype), "held")
                                   : output_buffer(f.op(h.store)));
  }
}

void Engine::end_tees() {
  for (auto& [value, buffer] : tees) buffers[value] = buffer;
  tees.clear();
}

/// The place of a store as a buffer: the Plan has seen that its subscripts are plain.
Buffer Engine::output_buffer(const ir::Op& op) {
  const ir::Access& access = std::get<ir::Access>(op.payload);
  const ir::Tensor& t = f.tensor(access.tensor);
  Buffer buffer;
  buffer.element = t.dtype;
  buffer.pointer = tensor_pointer(access.tensor, true);
  buffer.absolute = true;
  std::size_t d = 0;
  for (const ir::Subscript& s : access.subscripts) {
    if (s.kind == ir::Subscript::Kind::New) continue;
    const bool unit = spec.tensors[access.tensor.index()].unit_stride_dim == static_cast<int>(d);
    buffer.strides.emplace_back(s.axis, unit ? c64(1) : size_value(t.strides[d]));
    ++d;
  }
  return buffer;
}

void Engine::materialize(ir::ValueId value) {
  if (cached(value) != nullptr || buffers.contains(value)) return;
  const std::vector<ir::AxisId> over = live_axes(f.type(value).axes);
  if (over.empty()) {
    (void)eval(value, nullptr);
    return;
  }
  const Buffer buffer = allocate(over, compute_dtype(f.type(value).dtype), "kept");
  fill(buffer, over, value);
  buffers[value] = buffer;
}

void Engine::fill(const Buffer& buffer, const std::vector<ir::AxisId>& over, ir::ValueId value) {
  const Shape shape = choose(over, {value}, {});
  begin_tees({value}, shape);
  walk(shape.outer, [&] {
    evaluate_invariants(value, shape.inner);
    strips(shape.inner, shape.lanes, 1, {}, {},
           [&](const Lanes& lanes, const std::vector<k::ValueId>&) {
             write_buffer(buffer, eval_vector(value, lanes), &lanes);
             return std::vector<k::ValueId>{};
           });
  });
  end_tees();
}

void Engine::store(const ir::Op& op) {
  at(op);
  const ir::Access& access = std::get<ir::Access>(op.payload);
  const std::vector<ir::AxisId> over = live_axes(access.axes);
  const ir::ValueId value = op.operands[0];
  if (over.empty()) {
    scopes.emplace_back();
    store_place(op, eval(value, nullptr), nullptr, false);
    scopes.pop_back();
    return;
  }
  std::vector<ir::ValueId> read(op.operands.begin(), op.operands.end());
  const Shape shape = choose(over, read, {&op});
  const bool non_temporal = plan.non_temporal[access.site.index()];
  begin_tees(read, shape);
  walk(shape.outer, [&] {
    for (const ir::ValueId v : read) evaluate_invariants(v, shape.inner);
    strips(shape.inner, shape.lanes, shape.lanes > 1 ? strip_ : 1, {}, {},
           [&](const Lanes& lanes, const std::vector<k::ValueId>&) {
             at(op);
             store_place(op, eval_vector(value, lanes), &lanes, non_temporal);
             return std::vector<k::ValueId>{};
           });
  });
  end_tees();
}

}  // namespace parhelion::passes::cpu
