// SPDX-License-Identifier: Apache-2.0
// One element of a value at the registers that are open. 16-bit floats are computed in f32 and
// rounded after each op, small integers in i32 and wrapped.
#include "passes/cuda/engine.h"

#include "base/diag.h"
#include "base/half.h"

#include <algorithm>
#include <cstdlib>

namespace parhelion::passes::cuda {
namespace {

using ir::OpCode;

k::OpCode binary_code(OpCode code, bool floating) {
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

}  // namespace

k::ValueId Engine::constant(double number, DType dtype) {
  const DType to = compute_dtype(dtype);
  if (to == DType::Bool) return b.integer(number != 0 ? 1 : 0, DType::Bool);
  if (is_integer(to)) return b.integer(static_cast<std::int64_t>(number), to);
  return b.number(number, to);
}

k::ValueId Engine::store_form(k::ValueId v, DType dtype) {
  return m.type(v).element == dtype ? v : b.convert(v, dtype);
}

k::ValueId Engine::compute_form(k::ValueId v, DType dtype) {
  const DType to = compute_dtype(dtype);
  if (m.type(v).element == to) return v;
  const auto number = known(v);
  if (number && is_float(to) && std::abs(*number) < 1 << 24) {
    return b.number(static_cast<double>(*number), to);
  }
  return b.convert(v, to);
}

k::ValueId Engine::rounded(k::ValueId v, DType dtype) {
  if (compute_dtype(dtype) == dtype) return v;
  return compute_form(store_form(v, dtype), dtype);
}

Classes Engine::broadcast(ir::ValueId value, const Classes& at) const {
  const auto& axes = f_.type(value).axes;
  Classes list(axes.size());
  for (std::size_t i = 1; i <= axes.size() && i <= at.size(); ++i) {
    const std::size_t d = axes.size() - i;
    if (axes[d] != ir::unit_axis) list[d] = at[at.size() - i];
  }
  return list;
}

Classes Engine::operand_classes(const ir::Op& op, std::size_t index, const Classes& at) const {
  const ir::ValueId value = op.operands[index];
  switch (op.code) {
    case OpCode::Full: return {};
    case OpCode::Unsqueeze: {
      Classes list = at;
      list.erase(list.begin() + std::get<ir::DimAttr>(op.payload).dim);
      return list;
    }
    case OpCode::Squeeze: {
      Classes list = at;
      list.insert(list.begin() + std::get<ir::DimAttr>(op.payload).dim, ClassId{});
      return list;
    }
    case OpCode::Permute: {
      const auto& order = std::get<ir::PermuteAttr>(op.payload).order;
      Classes list(at.size());
      for (std::size_t i = 0; i < order.size(); ++i)
        list[static_cast<std::size_t>(order[i])] = at[i];
      return list;
    }
    default: return broadcast(value, at);
  }
}

k::ValueId Engine::operand(const ir::Op& op, std::size_t index, const Classes& at) {
  return element(op.operands[index], operand_classes(op, index, at));
}

k::ValueId Engine::element(ir::ValueId value, const Classes& at) {
  const auto key = std::pair(value, at);
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const auto found = frames_[i].computed.find(key);
    if (found != frames_[i].computed.end()) return found->second;
  }
  k::ValueId result;
  if (const Held* held = find_held(value, at)) {
    result = read_held(*held, f_.type(value).dtype);
  } else {
    const ir::OpId by = f_.value(value).defined_by;
    PH_ASSERT(by.valid(), "a carried value is not held");
    const ir::Op& op = f_.op(by);
    this->at(op);
    result = compute(op, value, at);
    const std::string& name = f_.value(value).name;
    if (!name.empty() && m.value(result).name.empty() && !is_constant(result)) b.name(result, name);
  }
  frames_.back().computed[key] = result;
  return result;
}

k::ValueId Engine::compute(const ir::Op& op, ir::ValueId value, const Classes& at) {
  const DType dtype = f_.type(value).dtype;
  switch (ir::row(op.code).group) {
    case ir::OpGroup::Leaf: return leaf(op, value, at);
    case ir::OpGroup::Memory: return compute_form(load_element(op, at), dtype);
    case ir::OpGroup::Shape: return operand(op, 0, at);
    case ir::OpGroup::Cast: return cast(operand(op, 0, at), f_.type(op.operands[0]).dtype, dtype);
    case ir::OpGroup::Unary: return rounded(unary(op, at), dtype);
    case ir::OpGroup::Binary:
    case ir::OpGroup::Compare: return binary(op, at);
    case ir::OpGroup::Select: return select(op, at);
    case ir::OpGroup::Reduce:
    case ir::OpGroup::Dot:
    case ir::OpGroup::Control: break;
  }
  PH_ASSERT(false, "reductions, dots and loops are held");
  return {};
}

k::ValueId Engine::leaf(const ir::Op& op, ir::ValueId value, const Classes& at) {
  const DType dtype = f_.type(value).dtype;
  switch (op.code) {
    case OpCode::Const: {
      const auto& c = std::get<ir::ConstAttr>(op.payload);
      if (is_integer(dtype)) return b.integer(c.integer, compute_dtype(dtype));
      return constant(round_to(c.number, dtype), dtype);
    }
    case OpCode::Size: return as(size_value(std::get<ir::SizeAttr>(op.payload).size), DType::I64);
    case OpCode::Scalar:
      return compute_form(scalar_value(std::get<ir::ScalarAttr>(op.payload).scalar), dtype);
    case OpCode::Full: return compute_form(element(op.operands[0], {}), dtype);
    case OpCode::Arange: return as(local(at[0]), DType::I64);
    case OpCode::Index: {
      const ir::AxisId axis = plan_.of(at[0]).axis;
      return as(add(axis_begin(axis), as(local(at[0]), index_dtype())), DType::I64);
    }
    default: break;
  }
  const ir::AxisId axis = std::get<ir::AxisAttr>(op.payload).axis;
  const k::ValueId begin = axis_begin(axis);
  if (op.code == OpCode::Begin) return as(begin, DType::I64);
  if (op.code == OpCode::End) return as(add(begin, as(limit(axis), index_dtype())), DType::I64);
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const auto found = frames_[i].axes.find(axis);
    if (found == frames_[i].axes.end()) continue;
    return as(op.code == OpCode::TileId ? found->second.tile_id : found->second.tiles, DType::I64);
  }
  PH_ASSERT(false, "the loop of a tile is not open");
  return {};
}

k::ValueId Engine::cast(k::ValueId x, DType from, DType to) {
  if (to == DType::Bool) {
    const DType element = m.type(x).element;
    return element == DType::Bool ? x : b.compare(k::OpCode::Ne, x, constant(0, element));
  }
  if (from == DType::Bool) return b.select(x, rounded(constant(1, to), to), constant(0, to));
  if (is_float(from) && is_integer(to)) return compute_form(b.convert(x, to), to);
  const k::ValueId y = compute_form(x, to);
  const bool widens = is_float(from) && is_float(to) && size_bytes(to) > size_bytes(from);
  return widens ? y : rounded(y, to);
}

k::ValueId Engine::unary(const ir::Op& op, const Classes& at) {
  const k::ValueId x = operand(op, 0, at);
  switch (op.code) {
    case OpCode::Neg: return b.unary(k::OpCode::Neg, x);
    case OpCode::Abs: return b.unary(k::OpCode::Abs, x);
    case OpCode::Not: return b.unary(k::OpCode::Not, x);
    case OpCode::Floor:
    case OpCode::Ceil:
      if (!is_float(m.type(x).element)) return x;
      break;
    default: break;
  }
  return b.math(math_name(op.code), x);
}

k::ValueId Engine::binary(const ir::Op& op, const Classes& at) {
  const DType result = f_.type(op.results[0]).dtype;
  const DType promoted = ir::promote(f_.type(op.operands[0]).dtype, f_.type(op.operands[1]).dtype);
  const bool fraction = op.code == OpCode::Div && !is_float(promoted);
  const DType common = fraction ? DType::F32 : compute_dtype(promoted);
  const auto side = [&](std::size_t i) {
    const k::ValueId v = operand(op, i, at);
    return m.type(v).element == common
               ? v
               : cast(v, f_.type(op.operands[i]).dtype, fraction ? DType::F32 : promoted);
  };
  const k::ValueId x = side(0), y = side(1);
  const bool floating = is_float(common);
  if (floating && (op.code == OpCode::FloorDiv || op.code == OpCode::Mod)) {
    const k::ValueId quotient = b.math("floor", b.binary(k::OpCode::Div, x, y));
    if (op.code == OpCode::FloorDiv) return rounded(quotient, result);
    return rounded(b.binary(k::OpCode::Sub, x, b.binary(k::OpCode::Mul, quotient, y)), result);
  }
  const k::OpCode code = binary_code(op.code, floating);
  if (ir::row(op.code).group == ir::OpGroup::Compare) return b.compare(code, x, y);
  return rounded(b.binary(code, x, y), result);
}

k::ValueId Engine::select(const ir::Op& op, const Classes& at) {
  const DType dtype = f_.type(op.results[0]).dtype;
  k::ValueId v[3];
  for (std::size_t i = 0; i < 3; ++i) {
    v[i] = operand(op, i, at);
    const bool condition = op.code == OpCode::Where && i == 0;
    const DType from = f_.type(op.operands[i]).dtype;
    if (!condition && from != dtype) v[i] = cast(v[i], from, dtype);
  }
  if (op.code == OpCode::Where) return b.select(v[0], v[1], v[2]);
  return rounded(b.fma(v[0], v[1], v[2]), dtype);
}

}  // namespace parhelion::passes::cuda
