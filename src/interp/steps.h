// SPDX-License-Identifier: Apache-2.0
// One lane of one op: the result in double, and what the operands' errors amount to.
#pragma once

#include "interp/interp.h"
#include "interp/numbers.h"

namespace parhelion::interp {

[[nodiscard]] Step unary_step(ir::OpCode code, double x, double t, const FunctionErrors& errors);
[[nodiscard]] Step binary_step(ir::OpCode code, double a, double ta, double b, double tb,
                               const FunctionErrors& errors);
[[nodiscard]] std::int64_t unary_integer(ir::OpCode code, std::int64_t a);
[[nodiscard]] std::int64_t binary_integer(ir::OpCode code, std::int64_t a, std::int64_t b,
                                          bool is_unsigned);
[[nodiscard]] bool compare_numbers(ir::OpCode code, double a, double b);
[[nodiscard]] bool compare_integers(ir::OpCode code, std::int64_t a, std::int64_t b,
                                    bool is_unsigned);

}  // namespace parhelion::interp
