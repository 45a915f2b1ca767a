// SPDX-License-Identifier: Apache-2.0
// The ops of a region in order: what has an effect or must be in registers becomes text at its
// place, pure values wait for their use.
#include "passes/cuda/engine.h"

#include "base/diag.h"
#include "ir/tile/walk.h"

#include <algorithm>

namespace parhelion::passes::cuda {

using ir::OpCode;

void Engine::region(ir::RegionId id) {
  for (const ir::OpId op : f_.region(id).ops) statement(op);
}

void Engine::statement(ir::OpId id) {
  const ir::Op& op = f_.op(id);
  switch (ir::row(op.code).group) {
    case ir::OpGroup::Memory:
      if (op.code == OpCode::Store) return store(id);
      if (ring_load(id) || uses_[op.results[0].index()] == 0) return;
      if (has_open_chunk(classes(op.results[0]))) return;  // loaded chunk by chunk at its uses
      return prepare(op.results[0], classes(op.results[0]));
    case ir::OpGroup::Reduce: {
      Classes kept = classes(op.operands[0]);
      kept.erase(kept.begin() + std::get<ir::ReduceAttr>(op.payload).dim);
      if (!has_open_chunk(kept)) reduce(op);
      return;
    }
    case ir::OpGroup::Dot:
      if (!has_open_chunk(classes(op.results[0]))) dot(id);
      return;
    case ir::OpGroup::Control:
      if (op.code == OpCode::If) return branch(op);
      if (op.code == OpCode::For) return loop(id);
      if (op.code == OpCode::While) return while_loop(op);
      return;
    case ir::OpGroup::Leaf:
    case ir::OpGroup::Unary:
    case ir::OpGroup::Binary:
    case ir::OpGroup::Compare:
    case ir::OpGroup::Select:
    case ir::OpGroup::Cast:
    case ir::OpGroup::Shape: break;
  }
  const bool leaf = ir::row(op.code).group == ir::OpGroup::Leaf;
  const Classes& at = classes(op.results[0]);
  if (!leaf && uses_[op.results[0].index()] > 0 && is_scalar(at)) prepare(op.results[0], at);
}

/// Values from outside that a region uses are made before it, not at every trip or in one branch.
void Engine::prepare_outside(const ir::Op& op) {
  std::set<ir::ValueId> seen;  // defined inside, or looked at
  const auto add_all = [&](const std::vector<ir::ValueId>& values) {
    seen.insert(values.begin(), values.end());
  };
  for (const ir::RegionId id : op.regions) {
    add_all(f_.region(id).arguments);
    ir::walk(f_, id, [&](ir::OpId inner) {
      add_all(f_.op(inner).results);
      for (const ir::RegionId region : f_.op(inner).regions) add_all(f_.region(region).arguments);
    });
  }
  const std::function<void(ir::ValueId)> look = [&](ir::ValueId v) {
    if (!seen.insert(v).second || any_held(v) != nullptr) return;
    if (kept_[v.index()] && !has_open_chunk(classes(v))) return prepare(v, classes(v));
    const ir::OpId by = f_.value(v).defined_by;
    if (!by.valid()) return;
    for (const ir::ValueId operand : f_.op(by).operands) look(operand);
  };
  for (const ir::RegionId id : op.regions) {
    ir::walk(f_, id, [&](ir::OpId inner) {
      for (const ir::ValueId v : f_.op(inner).operands) look(v);
    });
  }
}

k::ValueId Engine::bound_value(const ir::Op& op, const ir::Bound& bound) {
  if (bound.operand >= 0) {
    const ir::ValueId v = op.operands[static_cast<std::size_t>(bound.operand)];
    const Classes scalar(classes(v).size());
    prepare(v, scalar);
    const k::ValueId x = as(element(v, scalar), index_dtype());
    return known(x) ? x : one(k::OpCode::BlockUniform, {x}, m.type(x));
  }
  if (!bound.size.valid()) return b.integer(0, index_dtype());
  return size_value(bound.size);
}

/// Arrays that are carried become variables; plain values are carried by the loop itself.
Engine::Carry Engine::open_carry(const ir::Op& op, std::size_t first,
                                 const std::vector<ir::ValueId>& arguments) {
  Carry carry;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Classes& at = classes(arguments[i]);
    const ir::ValueId entry = op.operands[first + i];
    if (is_scalar(at)) {
      prepare(entry, classes(entry));
      carry.scalars.push_back(i);
      continue;
    }
    carry.arrays.push_back(i);
    const DType dtype = compute_dtype(f_.type(arguments[i]).dtype);
    const ir::OpId by = f_.value(entry).defined_by;
    std::optional<k::ValueId> initial;
    if (by.valid() && f_.op(by).code == OpCode::Full) initial = element(f_.op(by).operands[0], {});
    if (initial) initial = compute_form(*initial, f_.type(entry).dtype);
    Held variable = make_array(arguments[i], at, dtype, {}, initial);
    if (!initial) copy(entry, variable);
    carry.variables.push_back(std::move(variable));
  }
  return carry;
}

std::vector<k::ValueId> Engine::scalar_values(const std::vector<ir::ValueId>& values,
                                              const Carry& carry) {
  std::vector<k::ValueId> list;
  for (const std::size_t i : carry.scalars) {
    const ir::ValueId v = values[i];
    prepare(v, classes(v));
    list.push_back(compute_form(element(v, classes(v)), f_.type(v).dtype));
  }
  return list;
}

void Engine::copy(ir::ValueId value, const Held& to) {
  const Classes from = broadcast(value, to.at);
  prepare(value, from);
  each_register(to.order, [&] {
    put(to.variable, compute_form(element(value, from), f_.type(value).dtype),
        array_index(to.order));
  });
}

/// Does computing `value` read the carried `argument`?
bool Engine::reads(ir::ValueId value, ir::ValueId argument) const {
  std::set<ir::ValueId> seen;
  const std::function<bool(ir::ValueId)> look = [&](ir::ValueId v) {
    if (v == argument) return true;
    if (!seen.insert(v).second || any_held(v) != nullptr) return false;
    const ir::OpId by = f_.value(v).defined_by;
    return by.valid() && std::ranges::any_of(f_.op(by).operands, look);
  };
  return look(value);
}

/// New values of the carried arrays, all computed from the old ones.
void Engine::assign(const Carry& carry, const std::vector<ir::ValueId>& yielded,
                    const std::vector<ir::ValueId>& arguments) {
  std::vector<std::pair<const Held*, Held>> late;
  for (std::size_t n = 0; n < carry.arrays.size(); ++n) {
    const std::size_t i = carry.arrays[n];
    const Held& variable = carry.variables[n];
    const ir::ValueId v = yielded[i];
    const Held* held = any_held(v);
    if (held != nullptr && held->variable == variable.variable) continue;  // made in place
    bool read_later = false;
    for (std::size_t o = n + 1; o < carry.arrays.size(); ++o) {
      read_later = read_later || reads(yielded[carry.arrays[o]], arguments[i]);
    }
    if (!read_later) {
      copy(v, variable);
      continue;
    }
    Held next = make_array(v, variable.at, compute_dtype(f_.type(v).dtype));
    copy(v, next);
    late.emplace_back(&variable, std::move(next));
  }
  for (const auto& [variable, next] : late) {
    each_register(variable->order, [&, v = variable, x = next] {
      const k::ValueId index = array_index(v->order);
      put(v->variable, take(x.variable, index), index);
    });
  }
}

void Engine::branch(const ir::Op& op) {
  prepare_outside(op);
  const Classes scalar(classes(op.operands[0]).size());
  prepare(op.operands[0], scalar);
  k::ValueId condition = element(op.operands[0], scalar);
  if (!is_constant(condition)) condition = one(k::OpCode::BlockUniform, {condition}, boolean());
  Carry carry;
  std::vector<k::Type> types;
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    const Classes& at = classes(op.results[i]);
    const DType dtype = compute_dtype(f_.type(op.results[i]).dtype);
    if (is_scalar(at)) {
      carry.scalars.push_back(i);
      types.push_back({.element = dtype});
    } else {
      carry.arrays.push_back(i);
      carry.variables.push_back(make_array(op.results[i], at, dtype));
    }
  }
  b.open_if(condition, types);
  std::vector<k::ValueId> results;
  const auto touched = touched_;
  auto either = touched_;  // a barrier in one branch is none in the other
  for (std::size_t r = 0; r < 2; ++r) {
    Scope scope(*this);
    touched_ = touched;
    region(op.regions[r]);
    const auto& yielded = f_.op(f_.region(op.regions[r]).ops.back()).operands;
    for (std::size_t n = 0; n < carry.arrays.size(); ++n)
      copy(yielded[carry.arrays[n]], carry.variables[n]);
    const auto scalars = scalar_values(yielded, carry);
    if (r == 0) b.otherwise(scalars);
    if (r == 1) results = b.close(scalars);
    either.insert(touched_.begin(), touched_.end());
  }
  touched_ = either;
  hold_results(op, carry, results);
}

/// What a loop or a branch leaves.
void Engine::hold_results(const ir::Op& op, const Carry& carry,
                          const std::vector<k::ValueId>& scalars) {
  for (std::size_t n = 0; n < carry.scalars.size(); ++n) {
    const ir::ValueId v = op.results[carry.scalars[n]];
    hold(v, {classes(v), {}, scalars[n], {}});
  }
  for (std::size_t n = 0; n < carry.arrays.size(); ++n) {
    const ir::ValueId v = op.results[carry.arrays[n]];
    Held result = carry.variables[n];
    result.at = classes(v);
    hold(v, result);
  }
}

/// What a region sees of the values that are carried into it.
void Engine::hold_arguments(const std::vector<ir::ValueId>& arguments, const Carry& carry,
                            const std::vector<k::ValueId>& scalars) {
  for (std::size_t n = 0; n < carry.scalars.size(); ++n) {
    const ir::ValueId v = arguments[carry.scalars[n]];
    hold(v, {classes(v), {}, scalars[n], {}});
  }
  for (std::size_t n = 0; n < carry.arrays.size(); ++n) {
    const ir::ValueId v = arguments[carry.arrays[n]];
    Held variable = carry.variables[n];
    variable.at = classes(v);
    hold(v, variable);
  }
}

/// Opens the kernel loops of a For; `values` becomes what they carry. Returns their indices.
std::vector<k::ValueId> Engine::open_loops(ir::OpId id, const std::vector<Bounds>& bounds,
                                           std::vector<k::ValueId>& values) {
  const auto& dims = std::get<ir::LoopAttr>(f_.op(id).payload).dims;
  const auto plan = std::ranges::find(plan_.common.loops, id, &plan::LoopPlan::loop);
  std::vector<k::ValueId> starts;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const k::ValueId step = b.integer(facts_.block(dims[d].block), index_dtype());
    const k::OpId made =
        b.open_for(bounds[d].begin, bounds[d].end, step, values, f_.axis(dims[d].axis).name);
    if (plan->unroll > 1) m.op(made).attributes.push_back({"unroll", std::int64_t{plan->unroll}});
    starts.push_back(m.region(m.op(made).regions[0]).arguments[0]);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = b.carried(i);
  }
  return starts;
}

void Engine::loop(ir::OpId id) {
  const ir::Op& op = f_.op(id);
  prepare_outside(op);
  const auto& dims = std::get<ir::LoopAttr>(op.payload).dims;
  const auto& arguments = f_.region(op.regions[0]).arguments;
  const std::size_t first = op.operands.size() - op.results.size();
  const Carry carry = open_carry(op, first, arguments);
  const std::vector<ir::ValueId> entries(op.operands.begin() + static_cast<std::ptrdiff_t>(first),
                                         op.operands.end());
  std::vector<k::ValueId> values = scalar_values(entries, carry);
  std::vector<Bounds> bounds;
  for (const ir::LoopDim& dim : dims) {
    bounds.push_back({bound_value(op, dim.begin), bound_value(op, dim.end)});
  }
  open_rings(id, bounds[0]);
  this->at(op);
  const std::vector<k::ValueId> starts = open_loops(id, bounds, values);
  ++loops_;
  {
    Scope scope(*this);
    for (std::size_t d = 0; d < dims.size(); ++d) {
      const k::ValueId block = b.integer(facts_.block(dims[d].block), index_dtype());
      const k::ValueId span = sub(bounds[d].end, bounds[d].begin);
      const k::ValueId round = b.integer(facts_.block(dims[d].block) - 1, index_dtype());
      bind_axis(dims[d], starts[d], bounds[d].end, div(sub(starts[d], bounds[d].begin), block),
                div(add(span, round), block));
    }
    hold_arguments(arguments, carry, values);
    advance_rings(id, bounds[0]);
    region(op.regions[0]);
    const auto& yielded = f_.op(f_.region(op.regions[0]).ops.back()).operands;
    values = scalar_values(yielded, carry);
    assign(carry, yielded, arguments);
  }
  --loops_;
  for (std::size_t d = 0; d < dims.size(); ++d) values = b.close(values);
  close_rings(id);
  hold_results(op, carry, values);
}

void Engine::while_loop(const ir::Op& op) {
  prepare_outside(op);
  const Carry carry = open_carry(op, 0, f_.region(op.regions[0]).arguments);
  b.open_while(scalar_values(op.operands, carry));
  ++loops_;
  std::vector<k::ValueId> values;
  for (std::size_t r = 0; r < 2; ++r) {
    Scope scope(*this);
    std::vector<k::ValueId> carried;
    for (std::size_t n = 0; n < carry.scalars.size(); ++n) carried.push_back(b.carried(n));
    const auto& arguments = f_.region(op.regions[r]).arguments;
    hold_arguments(arguments, carry, carried);
    region(op.regions[r]);
    const ir::Op& end = f_.op(f_.region(op.regions[r]).ops.back());
    if (r == 0) {
      const Classes scalar(classes(end.operands[0]).size());
      prepare(end.operands[0], scalar);
      b.condition(one(k::OpCode::BlockUniform, {element(end.operands[0], scalar)}, boolean()));
      continue;
    }
    values = scalar_values(end.operands, carry);
    assign(carry, end.operands, arguments);
  }
  --loops_;
  hold_results(op, carry, b.close(values));
}

}  // namespace parhelion::passes::cuda
