// SPDX-License-Identifier: Apache-2.0
#include "passes/tile/fold_rules.h"

#include <algorithm>

namespace parhelion::passes {

using ir::OpCode;
using ir::ValueId;

std::optional<ValueId> Folder::constant_operands(const ir::Op& op, const ir::TileType& type) {
  std::vector<ir::ConstAttr> values;
  for (const ValueId v : op.operands) {
    const auto c = known(v);
    if (!c) return std::nullopt;
    values.push_back(c->value);
  }
  const std::size_t typed = op.code == OpCode::Where ? 1 : 0;
  const DType operand = f_.type(op.operands[typed]).dtype;
  const auto result = ir::evaluate(op.code, values, operand, type.dtype);
  if (!result) return std::nullopt;
  return constant(*result, type, op.where);
}

std::optional<ValueId> Folder::unary(const ir::Op& op, const ir::TileType& type) {
  const ValueId x = op.operands[0];
  const ir::Op* inner = maker(x, op.code);
  switch (op.code) {
    case OpCode::Neg:
    case OpCode::Not: return inner != nullptr ? std::optional(inner->operands[0]) : std::nullopt;
    case OpCode::Abs:
      if (const ir::Op* negated = maker(x, OpCode::Neg)) {
        ir::Op plain = op;
        plain.operands = {negated->operands[0]};
        return emit(std::move(plain), type);
      }
      return inner != nullptr ? std::optional(x) : std::nullopt;
    case OpCode::Floor:
    case OpCode::Ceil:
      return inner != nullptr || !is_float(type.dtype) ? std::optional(x) : std::nullopt;
    default: return std::nullopt;
  }
}

namespace {

int significand_bits(DType t) {
  switch (t) {
    case DType::F8E5M2: return 3;
    case DType::F8E4M3: return 4;
    case DType::BF16: return 8;
    case DType::F16: return 11;
    case DType::F32: return 24;
    default: return 53;
  }
}

bool integer_widens(DType from, DType to) {
  const int a = 8 * size_bytes(from) - (is_signed_integer(from) ? 1 : 0);
  if (is_float(to)) return a <= significand_bits(to) && to != DType::F8E4M3;
  const int b = 8 * size_bytes(to) - (is_signed_integer(to) ? 1 : 0);
  return a <= b && (is_signed_integer(to) || !is_signed_integer(from));
}

}  // namespace

bool widens_exactly(DType from, DType to) {
  if (from == to || from == DType::Bool) return true;
  if (to == DType::Bool) return false;
  if (!is_float(from)) return integer_widens(from, to);
  if (!is_float(to)) return false;
  const bool small_exponent = from == DType::F8E4M3 || from == DType::F8E5M2;
  if (to == DType::F32) return from != DType::F64;
  if (to == DType::F64) return true;
  return small_exponent && (to == DType::F16 || to == DType::BF16);
}

std::optional<ValueId> Folder::cast(const ir::Op& op, const ir::TileType& type) {
  const ValueId x = op.operands[0];
  const DType from = f_.type(x).dtype;
  if (from == type.dtype) return x;
  const ir::Op* first = maker(x, OpCode::Cast);
  if (first == nullptr) return std::nullopt;
  const ValueId source = first->operands[0];
  if (!widens_exactly(f_.type(source).dtype, from)) return std::nullopt;
  ir::Op direct = op;
  direct.operands = {source};
  return emit(std::move(direct), type);
}

namespace {

bool commutes(OpCode code) {
  switch (code) {
    case OpCode::Add:
    case OpCode::Mul:
    case OpCode::Min:
    case OpCode::Max:
    case OpCode::And:
    case OpCode::Or:
    case OpCode::Xor: return true;
    default: return false;
  }
}

}  // namespace

std::optional<ValueId> Folder::binary(ir::Op& op, const ir::TileType& type) {
  const bool relaxed = numerics_ == Numerics::Relaxed || !is_float(type.dtype);
  if (op.operands[0] == op.operands[1]) {
    switch (op.code) {
      case OpCode::Min:
      case OpCode::Max:
      case OpCode::And:
      case OpCode::Or: return op.operands[0];
      case OpCode::Sub:
      case OpCode::Xor:
        if (relaxed) return constant({0, 0}, type, op.where);
        break;
      default: break;
    }
  }
  if (commutes(op.code) && known(op.operands[0]) && !known(op.operands[1])) {
    std::swap(op.operands[0], op.operands[1]);
  }
  const auto c = known(op.operands[1]);
  if (!c) return std::nullopt;
  if (auto simple = with_constant(op, *c, type)) return simple;
  return relaxed ? reassociate(op, *c, type) : std::nullopt;
}

/// `x op c` where c is neutral, or decides the result.
std::optional<ValueId> Folder::with_constant(const ir::Op& op, const KnownValue& c,
                                             const ir::TileType& type) {
  const bool number = is_float(type.dtype);
  const bool relaxed = numerics_ == Numerics::Relaxed || !number;
  const bool is_bool = type.dtype == DType::Bool;
  bool same = false, zero = false;
  switch (op.code) {
    case OpCode::Add: same = relaxed ? c.is_zero() : c.is(-0.0); break;  // -0 + 0 is +0
    case OpCode::Sub: same = relaxed ? c.is_zero() : c.is(0.0); break;
    case OpCode::Mul:
      same = c.is(1);
      zero = relaxed && c.is_zero();
      break;
    case OpCode::Div: same = c.is(1); break;
    case OpCode::FloorDiv: same = c.is(1) && !number; break;
    case OpCode::And:
      same = is_bool ? c.is(1) : c.value.integer == -1;
      zero = c.is_zero();
      break;
    case OpCode::Or:
    case OpCode::Xor: same = c.is_zero(); break;
    default: break;
  }
  if (same) return as(op.operands[0], type, op.where);
  if (zero) return constant({0, 0}, type, op.where);
  return std::nullopt;
}

/// (x op a) op b -> x op (a op b).
std::optional<ValueId> Folder::reassociate(const ir::Op& op, const KnownValue& c,
                                           const ir::TileType& type) {
  if (op.code != OpCode::Add && op.code != OpCode::Mul) return std::nullopt;
  const ir::Op* inner = maker(op.operands[0], op.code);
  if (inner == nullptr) return std::nullopt;
  const auto b = known(inner->operands[1]);
  if (!b) return std::nullopt;
  const ir::ConstAttr both[] = {b->value, c.value};
  const auto value = ir::evaluate(op.code, both, type.dtype, type.dtype);
  if (!value) return std::nullopt;
  ir::Op outer = op;
  outer.operands = {inner->operands[0], constant(*value, {type.dtype, {}}, op.where)};
  // The constant is a scalar: the axes must come from x.
  const ir::TileType narrow{type.dtype, f_.type(outer.operands[0]).axes};
  const ValueId r = emit(std::move(outer), narrow);
  return as(r, type, op.where);
}

std::optional<ValueId> Folder::where(const ir::Op& op, const ir::TileType& type) {
  if (const auto c = known(op.operands[0])) {
    return as(op.operands[c->is_zero() ? 2 : 1], type, op.where);
  }
  if (op.operands[1] == op.operands[2]) return as(op.operands[1], type, op.where);
  return std::nullopt;
}

}  // namespace parhelion::passes
