// SPDX-License-Identifier: Apache-2.0
// Folding of integer index arithmetic while it is built, so that texts show `x + 8` and not
// `x + (0 + 1 * 8)`. Named constants stay visible unless the result is one of the operands.
#include "ir/kernel/module.h"

#include "base/size_program.h"

#include <limits>

namespace parhelion::ir::kernel {
namespace {

std::optional<std::int64_t> evaluate(OpCode code, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  switch (code) {
    case OpCode::Add:
      return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case OpCode::Sub:
      return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case OpCode::Mul:
      return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
    case OpCode::Div:
    case OpCode::Rem:
      if (b <= 0 || a < 0) return std::nullopt;
      return code == OpCode::Div ? a / b : a % b;
    case OpCode::FloorDiv: return floor_div(a, b);
    case OpCode::FloorMod: return floor_mod(a, b);
    case OpCode::MinNumber: return a < b ? a : b;
    case OpCode::MaxNumber: return a < b ? b : a;
    default: return std::nullopt;
  }
}

bool fits(std::int64_t value, DType type) {
  if (type == DType::I64) return true;
  if (type == DType::I32) {
    return value >= std::numeric_limits<std::int32_t>::min() &&
           value <= std::numeric_limits<std::int32_t>::max();
  }
  return type == DType::U32 && value >= 0 && value <= std::numeric_limits<std::uint32_t>::max();
}

bool zero_keeps_left(OpCode code) {
  return code == OpCode::Add || code == OpCode::Sub || code == OpCode::Shl || code == OpCode::Shr ||
         code == OpCode::Or || code == OpCode::Xor;
}

bool one_keeps_left(OpCode code) {
  return code == OpCode::Mul || code == OpCode::Div || code == OpCode::FloorDiv;
}

bool commutes(OpCode code) {
  return code == OpCode::Add || code == OpCode::Mul || code == OpCode::Or || code == OpCode::Xor;
}

}  // namespace

const Op* Builder::constant_of(ValueId value) const {
  const OpId by = module_.value(value).defined_by;
  if (!by.valid()) return nullptr;
  const Op& op = module_.op(by);
  const Type& type = module_.type(value);
  const bool integer = is_integer(type.element) && type.lanes == 1;
  return op.code == OpCode::Const && integer ? &op : nullptr;
}

std::optional<ValueId> Builder::fold(OpCode code, ValueId a, ValueId b) {
  const Type type = module_.type(a);
  if (!is_integer(type.element) || type.lanes != 1 || type.pointer != Space::None) return {};
  const Op* left = constant_of(a);
  const Op* right = constant_of(b);
  if (left == nullptr && right == nullptr) return {};
  if (right != nullptr) {
    const std::int64_t value = right->integer("value");
    if (value == 0 && zero_keeps_left(code)) return a;
    if (value == 1 && one_keeps_left(code)) return a;
    if (value == 0 && code == OpCode::Mul) return b;
    if (value == 1 && (code == OpCode::Rem || code == OpCode::FloorMod)) {
      return integer(0, type.element);
    }
  }
  if (left != nullptr) {
    const std::int64_t value = left->integer("value");
    if (commutes(code) && value == (code == OpCode::Mul ? 1 : 0)) return b;
    if (code == OpCode::Mul && value == 0) return a;
  }
  if (left == nullptr || right == nullptr) return {};
  if (!left->word("constant").empty() || !right->word("constant").empty()) return {};
  const auto value = evaluate(code, left->integer("value"), right->integer("value"));
  if (!value || !fits(*value, type.element)) return {};
  return integer(*value, type.element);
}

}  // namespace parhelion::ir::kernel
