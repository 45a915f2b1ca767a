// SPDX-License-Identifier: Apache-2.0
#include "interp/accumulate.h"
#include "interp/numbers.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace parhelion;
using namespace parhelion::interp;

TEST_CASE("integers wrap and floats saturate into them") {
  CHECK(wrap_integer(300, DType::I8) == 44);
  CHECK(wrap_integer(-1, DType::U16) == 65535);
  CHECK(wrap_integer(7, DType::Bool) == 1);
  CHECK(to_integer(1e30, DType::I32) == 2147483647);
  CHECK(to_integer(-1e30, DType::I32) == -2147483648LL);
  CHECK(to_integer(-1e30, DType::I64) == std::numeric_limits<std::int64_t>::min());
  CHECK(to_integer(1e30, DType::I64) == std::numeric_limits<std::int64_t>::max());
  CHECK(to_integer(-3.0, DType::U8) == 0);
  CHECK(to_integer(300.0, DType::U8) == 255);
  CHECK(to_integer(-2.9, DType::I8) == -2);
  CHECK(to_integer(std::nan(""), DType::I32) == 0);
  CHECK(integer_value(-1, DType::U64) == 18446744073709551615.0);
}

TEST_CASE("the lowest bit of a number") {
  CHECK(lowest_bit(1.0) == 0);
  CHECK(lowest_bit(6.0) == 1);
  CHECK(lowest_bit(0.75) == -2);
  CHECK(lowest_bit(0.0) == no_bit);
  CHECK(lowest_bit(0x1p-1074) == -1074);
  CHECK(exact_in_any_order(16777216.0, 0, DType::F32));
  CHECK_FALSE(exact_in_any_order(16777217.0, 0, DType::F32));
  CHECK(exact_in_any_order(0, no_bit, DType::F32));
}

TEST_CASE("rounding adds error only where a bit is lost") {
  const Format& f = format(DType::F32);
  CHECK(settle({.result = 1.5}, f).error == 0);
  const Lane third = settle({.result = 1.0 / 3, .exact = false}, f);
  CHECK(third.x == static_cast<double>(1.0f / 3));
  CHECK(third.error >= 0x1p-26);
  CHECK(settle({.result = 1e300}, f).x == std::numeric_limits<double>::infinity());
  CHECK_FALSE(settle({.result = 1e300}, f).unsure);
  CHECK(settle({.result = 3.4028235e38, .propagated = 1e32}, f).unsure);
  CHECK(settle({.result = std::nan(""), .propagated = 1}, f).unsure);
  CHECK(round_number(464, DType::F8E4M3) == 448);
  CHECK(round_number(65520, DType::F16) == std::numeric_limits<double>::infinity());
  CHECK(round_number(0x1.01p0, DType::BF16) == 1.0);
}

TEST_CASE("accumulation factors of the table") {
  CHECK(accumulation_factor(1024, {}) == doctest::Approx(66));
  CHECK(accumulation_factor(1024, {.kind = Accumulation::Kind::Mma, .lanes = 1}) == 72);
  CHECK(accumulation_factor(1024, {.kind = Accumulation::Kind::Chain, .lanes = 32}) ==
        doctest::Approx(2 + 2 * std::sqrt(37.0)));
}
