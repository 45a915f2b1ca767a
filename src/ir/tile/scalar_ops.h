// SPDX-License-Identifier: Apache-2.0
// What ops do to single numbers where that is exact: integers, comparisons, conversions, and the
// float ops that are correctly rounded. The interpreter and constant folding share it.
#pragma once

#include "ir/tile/op.h"

#include <cstdint>
#include <optional>
#include <span>

namespace parhelion::ir {

/// Two's complement, width of the dtype; bool: 0 or 1.
[[nodiscard]] std::int64_t wrap_integer(std::int64_t value, DType dtype);
/// Truncated, saturated, NaN to 0.
[[nodiscard]] std::int64_t to_integer(double value, DType dtype);
/// As a double; u64 is held as its bits.
[[nodiscard]] double integer_value(std::int64_t value, DType dtype);

[[nodiscard]] std::int64_t unary_integer(OpCode code, std::int64_t a);
/// Floor division; division by 0 gives 0. Not wrapped to a width.
[[nodiscard]] std::int64_t binary_integer(OpCode code, std::int64_t a, std::int64_t b,
                                          bool is_unsigned);
[[nodiscard]] bool compare_numbers(OpCode code, double a, double b);
[[nodiscard]] bool compare_integers(OpCode code, std::int64_t a, std::int64_t b,
                                    bool is_unsigned);
/// NaN if any; -0 is less than +0.
[[nodiscard]] double extreme_number(bool largest, double a, double b);

/// A number of any dtype as `const` holds it.
[[nodiscard]] ConstAttr make_const(double value, DType dtype);
[[nodiscard]] ConstAttr convert_const(const ConstAttr& value, DType from, DType to);
[[nodiscard]] double number_of(const ConstAttr& value, DType dtype);

/// The op on constants; nullopt where a result would depend on a library (exp, ...).
/// `operand` is the dtype of the first operand (of the second for where).
[[nodiscard]] std::optional<ConstAttr> evaluate(OpCode code, std::span<const ConstAttr> operands,
                                                DType operand, DType result);

}  // namespace parhelion::ir
