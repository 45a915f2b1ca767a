// SPDX-License-Identifier: Apache-2.0
// Rounding of one result and the error that comes with it.
#pragma once

#include "ir/tile/scalar_ops.h"

#include <parhelion/dtype.h>

#include <cstdint>

namespace parhelion::interp {

/// What the interpreter needs to know of a float dtype.
struct Format {
  DType dtype = DType::F32;
  double unit = 0;     // error of one rounding, relative (half an ulp of f32, an ulp if narrower)
  double ulp = 0;      // relative
  double tiny = 0;     // smallest subnormal
  double limit = 0;    // results from here on become infinite; infinity where the dtype saturates
};
[[nodiscard]] const Format& format(DType dtype);
[[nodiscard]] double round_number(double value, DType dtype);
using ir::integer_value;
using ir::to_integer;
using ir::wrap_integer;

struct Lane {
  double x = 0, error = 0;
  bool unsure = false;
};

/// How an op's own error adds to what its operands bring.
struct Step {
  double result = 0;        // exact, or in double
  double propagated = 0;    // what the operands' errors amount to
  double function_ulp = 0;  // error of a function in ulp of f32
  double tiny = 0;
  bool exact = true;        // `result` is the true value: without rounding, equal bits are asked
  bool unsure = false;
};
[[nodiscard]] Lane settle(const Step& step, const Format& format);

/// Exponent of the lowest set bit; sums of multiples of one power of two below 2^24 of it are
/// exact in any order.
[[nodiscard]] int lowest_bit(double value);
inline constexpr int no_bit = 1 << 20;  // of zero

}  // namespace parhelion::interp
