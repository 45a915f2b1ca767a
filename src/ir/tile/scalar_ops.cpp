// SPDX-License-Identifier: Apache-2.0
#include "ir/tile/scalar_ops.h"

#include "base/diag.h"
#include "base/half.h"
#include "base/size_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parhelion::ir {

std::int64_t wrap_integer(std::int64_t value, DType dtype) {
  switch (dtype) {
    case DType::Bool: return value != 0 ? 1 : 0;
    case DType::I8: return static_cast<std::int8_t>(value);
    case DType::I16: return static_cast<std::int16_t>(value);
    case DType::I32: return static_cast<std::int32_t>(value);
    case DType::U8: return static_cast<std::uint8_t>(value);
    case DType::U16: return static_cast<std::uint16_t>(value);
    case DType::U32: return static_cast<std::uint32_t>(value);
    default: return value;
  }
}

std::int64_t to_integer(double value, DType dtype) {
  if (dtype == DType::Bool) return value != 0 ? 1 : 0;
  if (std::isnan(value)) return 0;
  const int bits = 8 * size_bytes(dtype);
  const bool is_signed = is_signed_integer(dtype);
  const double high = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  const double low = is_signed ? -high : 0.0;
  if (value >= high) {
    return is_signed ? static_cast<std::int64_t>((std::uint64_t{1} << (bits - 1)) - 1)
                     : wrap_integer(-1, dtype);
  }
  if (value <= low) return is_signed ? -static_cast<std::int64_t>(high / 2) * 2 : 0;
  const double whole = std::trunc(value);
  if (dtype == DType::U64) return static_cast<std::int64_t>(static_cast<std::uint64_t>(whole));
  return static_cast<std::int64_t>(whole);
}

double integer_value(std::int64_t value, DType dtype) {
  if (dtype == DType::U64) return static_cast<double>(static_cast<std::uint64_t>(value));
  return static_cast<double>(value);
}

std::int64_t unary_integer(OpCode code, std::int64_t a) {
  const std::uint64_t negative = 0 - static_cast<std::uint64_t>(a);
  switch (code) {
    case OpCode::Neg: return static_cast<std::int64_t>(negative);
    case OpCode::Abs: return a < 0 ? static_cast<std::int64_t>(negative) : a;
    case OpCode::Not: return ~a;
    default: return a;  // floor and ceil of an integer
  }
}

namespace {

std::int64_t divide(std::int64_t a, std::int64_t b, bool is_unsigned) {
  if (b == 0) return 0;
  if (is_unsigned) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) /
                                     static_cast<std::uint64_t>(b));
  }
  if (b == -1) return unary_integer(OpCode::Neg, a);
  return floor_div(a, b);
}

std::int64_t wrapping(OpCode code, std::uint64_t a, std::uint64_t b) {
  switch (code) {
    case OpCode::Add: return static_cast<std::int64_t>(a + b);
    case OpCode::Sub: return static_cast<std::int64_t>(a - b);
    default: return static_cast<std::int64_t>(a * b);
  }
}

}  // namespace

std::int64_t binary_integer(OpCode code, std::int64_t a, std::int64_t b, bool is_unsigned) {
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  const bool less = is_unsigned ? x < y : a < b;
  switch (code) {
    case OpCode::Add:
    case OpCode::Sub:
    case OpCode::Mul: return wrapping(code, x, y);
    case OpCode::FloorDiv: return divide(a, b, is_unsigned);
    case OpCode::Mod: return b == 0 ? 0 : wrapping(OpCode::Sub, x, static_cast<std::uint64_t>(
                                 wrapping(OpCode::Mul, static_cast<std::uint64_t>(
                                              divide(a, b, is_unsigned)), y)));
    case OpCode::Min: return less ? a : b;
    case OpCode::Max: return less ? b : a;
    case OpCode::And: return a & b;
    case OpCode::Or: return a | b;
    case OpCode::Xor: return a ^ b;
    default: break;
  }
  PH_ASSERT(false, "binary op of integers");
  return 0;
}

namespace {

template <class T>
bool compare(OpCode code, T a, T b) {
  switch (code) {
    case OpCode::Eq: return a == b;
    case OpCode::Ne: return a != b;
    case OpCode::Lt: return a < b;
    case OpCode::Le: return a <= b;
    case OpCode::Gt: return a > b;
    default: return a >= b;
  }
}

}  // namespace

bool compare_numbers(OpCode code, double a, double b) { return compare(code, a, b); }

bool compare_integers(OpCode code, std::int64_t a, std::int64_t b, bool is_unsigned) {
  if (!is_unsigned) return compare(code, a, b);
  return compare(code, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
}

double extreme_number(bool largest, double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
  const bool a_less = a < b || (a == b && std::signbit(a));
  return a_less != largest ? a : b;
}

ConstAttr make_const(double value, DType dtype) {
  if (is_integer(dtype)) return {0, to_integer(value, dtype)};
  if (dtype == DType::Bool) return {value != 0 ? 1.0 : 0.0, 0};
  return {round_to(value, dtype), 0};
}

double number_of(const ConstAttr& value, DType dtype) {
  return is_integer(dtype) ? integer_value(value.integer, dtype) : value.number;
}

ConstAttr convert_const(const ConstAttr& value, DType from, DType to) {
  if (is_integer(from) && is_integer(to)) return {0, wrap_integer(value.integer, to)};
  double number = number_of(value, from);
  // Narrow floats are reached through f32 from everything that f32 does not hold.
  const bool narrow = is_float(to) && size_bytes(to) < 4;
  if (narrow && (from == DType::F64 || !is_float(from))) number = round_to(number, DType::F32);
  return make_const(number, to);
}

namespace {

std::optional<double> float_op(OpCode code, double a, double b, double c) {
  switch (code) {
    case OpCode::Neg: return -a;
    case OpCode::Abs: return std::abs(a);
    case OpCode::Floor: return std::floor(a);
    case OpCode::Ceil: return std::ceil(a);
    case OpCode::Sqrt: return std::sqrt(a);
    case OpCode::Add: return a + b;
    case OpCode::Sub: return a - b;
    case OpCode::Mul: return a * b;
    case OpCode::Div: return a / b;
    case OpCode::Min: return extreme_number(false, a, b);
    case OpCode::Max: return extreme_number(true, a, b);
    case OpCode::Fma: return std::fma(a, b, c);
    default: return std::nullopt;
  }
}

std::int64_t bits_of(const ConstAttr& value, DType dtype) {
  return dtype == DType::Bool ? static_cast<std::int64_t>(value.number) : value.integer;
}

ConstAttr of_bits(std::int64_t bits, DType dtype) {
  const std::int64_t wrapped = wrap_integer(bits, dtype);
  if (dtype == DType::Bool) return {static_cast<double>(wrapped), 0};
  return {0, wrapped};
}

std::optional<ConstAttr> integer_op(OpCode code, std::span<const ConstAttr> v, DType dtype) {
  const std::int64_t a = bits_of(v[0], dtype);
  if (code == OpCode::Not && dtype == DType::Bool) return of_bits(1 - a, dtype);
  if (v.size() == 1) return of_bits(unary_integer(code, a), dtype);
  const std::int64_t b = bits_of(v[1], dtype);
  const bool is_unsigned = !is_signed_integer(dtype);
  if (v.size() == 2) return of_bits(binary_integer(code, a, b, is_unsigned), dtype);
  const std::int64_t product = binary_integer(OpCode::Mul, a, b, is_unsigned);
  return of_bits(binary_integer(OpCode::Add, product, bits_of(v[2], dtype), is_unsigned), dtype);
}

ConstAttr comparison(OpCode code, std::span<const ConstAttr> v, DType dtype) {
  const bool holds = is_float(dtype)
                         ? compare_numbers(code, v[0].number, v[1].number)
                         : compare_integers(code, bits_of(v[0], dtype), bits_of(v[1], dtype),
                                            !is_signed_integer(dtype));
  return {holds ? 1.0 : 0.0, 0};
}

}  // namespace

std::optional<ConstAttr> evaluate(OpCode code, std::span<const ConstAttr> v, DType operand,
                                  DType result) {
  const OpGroup group = row(code).group;
  if (code == OpCode::Where) return v[0].number != 0 ? v[1] : v[2];
  if (group == OpGroup::Cast) return convert_const(v[0], operand, result);
  if (group == OpGroup::Compare) return comparison(code, v, operand);
  const bool pointwise =
      group == OpGroup::Unary || group == OpGroup::Binary || code == OpCode::Fma;
  if (!pointwise) return std::nullopt;
  if (!is_float(operand)) return integer_op(code, v, operand);
  const auto number = float_op(code, v[0].number, v.size() > 1 ? v[1].number : 0,
                               v.size() > 2 ? v[2].number : 0);
  if (!number) return std::nullopt;
  return make_const(*number, result);
}

}  // namespace parhelion::ir
