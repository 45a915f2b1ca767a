// SPDX-License-Identifier: Apache-2.0
// One lane of one op: the result in double, and what the operands' errors amount to.
#pragma once

#include "interp/interp.h"
#include "interp/numbers.h"

namespace parhelion::interp {

[[nodiscard]] Step unary_step(ir::OpCode code, double x, double t, const FunctionErrors& errors);
[[nodiscard]] Step binary_step(ir::OpCode code, double a, double ta, double b, double tb,
                               const FunctionErrors& errors);
using ir::binary_integer;
using ir::compare_integers;
using ir::compare_numbers;
using ir::unary_integer;

}  // namespace parhelion::interp
