// SPDX-License-Identifier: Apache-2.0
// A tile value at the current position of a nest, as a scalar or as one vector along an axis.
// 16-bit floats are computed in f32 and rounded after each op, small integers in i32 and wrapped.
#include "passes/cpu/engine.h"

#include "base/diag.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parhelion::passes::cpu {

namespace {

using ir::OpCode;

k::OpCode binary_code(OpCode code, DType dtype) {
  const bool floating = is_float(dtype);
  switch (code) {
    case OpCode::Add: return k::OpCode::Add;
    case OpCode::Sub: return k::OpCode::Sub;
    case OpCode::Mul: return k::OpCode::Mul;
    case OpCode::Div: return floating ? k::OpCode::Div : k::OpCode::FloorDiv;
    case OpCode::FloorDiv: return k::OpCode::FloorDiv;
    case OpCode::Mod: return k::OpCode::FloorMod;
    case OpCode::Min: return floating ? k::OpCode::MinNan : k::OpCode::MinNumber;
    case OpCode::Max: return floating ? k::OpCode::MaxNan : k::OpCode::MaxNumber;
    case OpCode::And: return k::OpCode::And;
    case OpCode::Or: return k::OpCode::Or;
    case OpCode::Xor: return k::OpCode::Xor;
    case OpCode::Eq: return k::OpCode::Eq;
    case OpCode::Ne: return k::OpCode::Ne;
    case OpCode::Lt: return k::OpCode::Lt;
    case OpCode::Le: return k::OpCode::Le;
    case OpCode::Gt: return k::OpCode::Gt;
    case OpCode::Ge: return k::OpCode::Ge;
    default: break;
  }
  PH_ASSERT(false, "not a binary op");
  return k::OpCode::Add;
}

std::string_view math_name(OpCode code) {
  switch (code) {
    case OpCode::Exp: return "exp";
    case OpCode::Exp2: return "exp2";
    case OpCode::Log: return "log";
    case OpCode::Log2: return "log2";
    case OpCode::Sqrt: return "sqrt";
    case OpCode::Rsqrt: return "rsqrt";
    case OpCode::Reciprocal: return "rcp";
    case OpCode::Tanh: return "tanh";
    case OpCode::Erf: return "erf";
    case OpCode::Sigmoid: return "sigmoid";
    case OpCode::Floor: return "floor";
    case OpCode::Ceil: return "ceil";
    default: break;
  }
  PH_ASSERT(false, "not a function");
  return {};
}

/// Through casts and shape ops to the op that makes the value.
const ir::Op* strip_shape(const ir::Function& f, ir::ValueId v) {
  for (;;) {
    const ir::OpId id = f.value(v).defined_by;
    if (!id.valid()) return nullptr;
    const ir::Op& op = f.op(id);
    if (ir::row(op.code).group != ir::OpGroup::Shape) return &op;
    v = op.operands[0];
  }
}

/// exp(x - amax(x)): the argument is never positive.
bool is_nonpositive(const ir::Function& f, ir::ValueId v) {
  const ir::Op* sub = strip_shape(f, v);
  if (sub == nullptr || sub->code != OpCode::Sub) return false;
  const ir::Op* top = strip_shape(f, sub->operands[1]);
  return top != nullptr && top->code == OpCode::Amax && top->operands[0] == sub->operands[0];
}

/// Divisors that come out of a reduction carry its error, which covers one more rounding.
bool is_reduction(const ir::Function& f, ir::ValueId v) {
  const ir::Op* op = strip_shape(f, v);
  return op != nullptr && (op->code == OpCode::Sum || op->code == OpCode::Mean);
}

}  // namespace

k::ValueId* Engine::cached(ir::ValueId value) {
  for (std::size_t i = scopes.size(); i-- > 0;) {
    const auto it = scopes[i].values.find(value);
    if (it != scopes[i].values.end()) return &it->second;
  }
  return nullptr;
}

const k::ValueId* Engine::reciprocal(ir::ValueId divisor) const {
  for (std::size_t i = scopes.size(); i-- > 0;) {
    const auto it = scopes[i].reciprocals.find(divisor);
    if (it != scopes[i].reciprocals.end()) return &it->second;
  }
  return nullptr;
}

k::ValueId Engine::as_lanes(k::ValueId value, int lanes) {
  const k::Type type = m.type(value);
  if (type.lanes == lanes) return value;
  PH_ASSERT(type.lanes == 1, "only scalars are splat");
  return b.result(b.op(k::OpCode::Splat, {value},
                       {{type.element, static_cast<std::uint16_t>(lanes), 0, k::Space::None}}));
}

k::ValueId Engine::eval_vector(ir::ValueId value, const Lanes& lanes) {
  return as_lanes(eval(value, &lanes), lanes.lanes);
}

k::ValueId Engine::store_form(k::ValueId value, DType dtype) {
  return m.type(value).element == dtype ? value : b.convert(value, dtype);
}

k::ValueId Engine::compute_form(k::ValueId value, DType dtype) {
  const DType to = compute_dtype(dtype);
  return m.type(value).element == to ? value : b.convert(value, to);
}

bool Engine::depends_on(ir::ValueId value, ir::AxisId axis) const {
  const auto& list = f.type(value).axes;
  return std::ranges::find(list, axis) != list.end();
}

void Engine::evaluate_invariants(ir::ValueId value, ir::AxisId axis) {
  if (cached(value) != nullptr || buffers.contains(value)) return;
  if (!depends_on(value, axis)) {
    // Only what stands at one position here; values with other open axes wait for their loop.
    for (const ir::AxisId a : f.type(value).axes) {
      if (a == ir::unit_axis) continue;
      const auto it = axes.find(a);
      if (it == axes.end() || !it->second.index) return;
    }
    (void)eval(value, nullptr);
    return;
  }
  const ir::OpId id = f.value(value).defined_by;
  if (!id.valid()) return;
  const ir::Op& op = f.op(id);
  const ir::OpGroup group = ir::row(op.code).group;
  if (group == ir::OpGroup::Control || group == ir::OpGroup::Reduce || group == ir::OpGroup::Dot) {
    return;
  }
  for (const ir::ValueId v : op.operands) evaluate_invariants(v, axis);
  const bool divides = op.code == OpCode::Div && is_float(f.type(value).dtype) &&
                       plan.numerics != Numerics::Exact && is_reduction(f, op.operands[1]) &&
                       !depends_on(op.operands[1], axis);
  if (divides && reciprocal(op.operands[1]) == nullptr) {
    const k::ValueId* divisor = cached(op.operands[1]);
    if (divisor == nullptr || m.type(*divisor).lanes != 1) return;
    const k::ValueId one = b.number(1.0, m.type(*divisor).element);
    scopes.back().reciprocals[op.operands[1]] = b.binary(k::OpCode::Div, one, *divisor);
  }
}

k::ValueId Engine::eval(ir::ValueId value, const Lanes* lanes) {
  if (const k::ValueId* found = cached(value)) return *found;
  const auto buffer = buffers.find(value);
  if (buffer != buffers.end()) {
    const bool vector = lanes != nullptr && depends_on(value, lanes->axis);
    const k::ValueId v =
        compute_form(read_buffer(buffer->second, vector ? lanes : nullptr), f.type(value).dtype);
    remember(value, v);
    return v;
  }
  const ir::OpId id = f.value(value).defined_by;
  PH_ASSERT(id.valid(), "a region argument is in a buffer or in the cache");
  const ir::Op& op = f.op(id);
  at(op);
  const k::ValueId v = compute(op, value, lanes);
  if (!f.value(value).name.empty() && m.value(v).name.empty()) {
    m.value(v).name = f.value(value).name;
  }
  remember(value, v);
  for (auto& [held, where] : tees) {
    if (held == value) {
      write_buffer(where, lanes != nullptr ? as_lanes(v, lanes->lanes) : v, lanes);
    }
  }
  return v;
}

k::ValueId Engine::rounded(k::ValueId v, DType dtype) {
  if (compute_dtype(dtype) == dtype) return v;
  return compute_form(store_form(v, dtype), dtype);
}

k::ValueId Engine::leaf(const ir::Op& op, const Lanes* lanes) {
  switch (op.code) {
    case OpCode::Const: {
      const auto& c = std::get<ir::ConstAttr>(op.payload);
      const DType dtype = f.type(op.results[0]).dtype;
      if (is_integer(dtype)) return b.integer(c.integer, compute_dtype(dtype));
      if (dtype == DType::Bool) return b.integer(c.number != 0 ? 1 : 0, DType::Bool);
      return b.number(c.number, compute_dtype(dtype));
    }
    case OpCode::Size: return size_value(std::get<ir::SizeAttr>(op.payload).size);
    case OpCode::Scalar: return scalar_value(std::get<ir::ScalarAttr>(op.payload).scalar);
    case OpCode::Full: return eval(op.operands[0], nullptr);
    case OpCode::Arange: return position(std::get<ir::ShapeAttr>(op.payload).axes[0], lanes, true);
    case OpCode::Index: return position(std::get<ir::AxisAttr>(op.payload).axis, lanes, true);
    default: break;
  }
  const AxisBinding& axis = axes.at(std::get<ir::AxisAttr>(op.payload).axis);
  if (op.code == OpCode::Begin) return axis.begin;
  if (op.code == OpCode::End) return add(axis.begin, axis.count);
  return op.code == OpCode::TileId ? axis.tile_id : axis.tiles;
}

k::ValueId Engine::position(ir::AxisId axis, const Lanes* lanes, bool absolute) {
  const AxisBinding& bound = axes.at(axis);
  const bool vector = lanes != nullptr && lanes->axis == axis;
  k::ValueId at = vector ? lanes->start : *bound.index;
  if (absolute) at = add(bound.begin, at);
  if (!vector || lanes->lanes == 1) return at;
  const k::Type type{DType::I64, static_cast<std::uint16_t>(lanes->lanes), 0, k::Space::None};
  const k::ValueId iota = b.result(b.op(k::OpCode::Iota, {}, {type}));
  return b.binary(k::OpCode::Add, as_lanes(at, lanes->lanes), iota);
}

k::ValueId Engine::compute(const ir::Op& op, ir::ValueId value, const Lanes* lanes) {
  const DType dtype = f.type(value).dtype;
  switch (ir::row(op.code).group) {
    case ir::OpGroup::Leaf: return leaf(op, lanes);
    case ir::OpGroup::Memory: return compute_form(load_place(op, lanes), dtype);
    case ir::OpGroup::Shape: return eval(op.operands[0], lanes);
    case ir::OpGroup::Cast: return convert(op, lanes);
    case ir::OpGroup::Unary: return rounded(unary(op, lanes), dtype);
    case ir::OpGroup::Binary:
    case ir::OpGroup::Compare: return binary(op, lanes);
    case ir::OpGroup::Select: return select(op, lanes);
    case ir::OpGroup::Reduce:
    case ir::OpGroup::Dot:
    case ir::OpGroup::Control: break;
  }
  PH_ASSERT(false, "reductions, dots and loops are statements");
  return {};
}

k::ValueId Engine::convert(const ir::Op& op, const Lanes* lanes) {
  const k::ValueId x = eval(op.operands[0], lanes);
  const DType from = f.type(op.operands[0]).dtype, to = f.type(op.results[0]).dtype;
  if (to == DType::Bool) {
    const k::Type type = m.type(x);
    if (type.element == DType::Bool) return x;
    const k::ValueId zero =
        is_float(type.element) ? b.number(0, type.element) : b.integer(0, type.element);
    return b.compare(k::OpCode::Ne, x, as_lanes(zero, type.lanes));
  }
  if (is_float(from) && is_integer(to)) return compute_form(b.convert(x, to), to);
  k::ValueId y = m.type(x).element == compute_dtype(to) ? x : b.convert(x, compute_dtype(to));
  const bool widens = is_float(from) && is_float(to) && size_bytes(to) > size_bytes(from);
  return widens ? y : rounded(y, to);
}

k::ValueId Engine::unary(const ir::Op& op, const Lanes* lanes) {
  const k::ValueId x = eval(op.operands[0], lanes);
  switch (op.code) {
    case OpCode::Neg: return b.unary(k::OpCode::Neg, x);
    case OpCode::Abs: return b.unary(k::OpCode::Abs, x);
    case OpCode::Not: return b.unary(k::OpCode::Not, x);
    case OpCode::Floor:
    case OpCode::Ceil:
      if (!is_float(m.type(x).element)) return x;
      break;
    case OpCode::Exp:
      if (is_nonpositive(f, op.operands[0])) return b.math("exp_nonpositive", x);
      break;
    default: break;
  }
  return b.math(math_name(op.code), x);
}

k::ValueId Engine::binary(const ir::Op& op, const Lanes* lanes) {
  const DType result = f.type(op.results[0]).dtype;
  const DType operand = ir::promote(f.type(op.operands[0]).dtype, f.type(op.operands[1]).dtype);
  k::ValueId x = eval(op.operands[0], lanes);
  if (op.code == OpCode::Div) {
    if (const k::ValueId* found = reciprocal(op.operands[1])) {
      const k::ValueId r = as_lanes(*found, m.type(x).lanes);
      return rounded(b.binary(k::OpCode::Mul, x, r), result);
    }
  }
  k::ValueId y = eval(op.operands[1], lanes);
  const DType common =
      op.code == OpCode::Div && !is_float(operand) ? DType::F32 : compute_dtype(operand);
  if (m.type(x).element != common) x = b.convert(x, common);
  if (m.type(y).element != common) y = b.convert(y, common);
  const int n = std::max(m.type(x).lanes, m.type(y).lanes);
  x = as_lanes(x, n);
  y = as_lanes(y, n);
  const k::OpCode code = binary_code(op.code, common);
  if (ir::row(op.code).group == ir::OpGroup::Compare) return b.compare(code, x, y);
  return rounded(b.binary(code, x, y), result);
}

k::ValueId Engine::select(const ir::Op& op, const Lanes* lanes) {
  k::ValueId v[3];
  int n = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    v[i] = eval(op.operands[i], lanes);
    n = std::max<int>(n, m.type(v[i]).lanes);
  }
  const DType dtype = f.type(op.results[0]).dtype;
  for (std::size_t i = 0; i < 3; ++i) {
    const bool is_condition = op.code == OpCode::Where && i == 0;
    if (!is_condition && m.type(v[i]).element != compute_dtype(dtype)) {
      v[i] = b.convert(v[i], compute_dtype(dtype));
    }
    v[i] = as_lanes(v[i], n);
  }
  if (op.code == OpCode::Where) return b.select(v[0], v[1], v[2]);
  return rounded(b.fma(v[0], v[1], v[2]), dtype);
}

}  // namespace parhelion::passes::cpu
