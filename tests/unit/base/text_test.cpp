// SPDX-License-Identifier: Apache-2.0
#include "base/half.h"
#include "base/rng.h"
#include "base/text.h"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>

using namespace parhelion;

TEST_CASE("splitting, joining, trimming") {
  CHECK(split("a,,b", ',') == std::vector<std::string_view>{"a", "", "b"});
  CHECK(split("", ',') == std::vector<std::string_view>{""});
  const std::array<std::string, 3> parts = {"a", "b", "c"};
  CHECK(join(parts, ", ") == "a, b, c");
  CHECK(join({}, ", ") == "");
  CHECK(trim(" \t a b\r\n") == "a b");
  CHECK(trim("  ") == "");
  CHECK(starts_with("block[a0]", "block"));
  CHECK_FALSE(starts_with("b", "block"));
}

TEST_CASE("numbers are read whole or not at all") {
  CHECK(parse_integer("-12") == -12);
  for (const char* bad : {"", "+1", "1 ", "1.0", "9223372036854775808", "x"}) {
    CHECK_FALSE(parse_integer(bad));
  }
  CHECK(parse_number("1e3") == 1000);
  CHECK(std::isnan(*parse_number("nan")));
  CHECK(parse_number("-inf") == -std::numeric_limits<double>::infinity());
  CHECK_FALSE(parse_number("1,5"));
  CHECK_FALSE(parse_number(""));
}

TEST_CASE("a number's text is the shortest that reads back") {
  CHECK(number_text(0.1) == "0.1");
  CHECK(number_text(static_cast<double>(0.1F), DType::F32) == "0.1");
  CHECK(number_text(static_cast<double>(0.1F)) == "0.10000000149011612");
  CHECK(number_text(round_to(0.1, DType::BF16), DType::BF16) == "0.1");
  CHECK(number_text(65504, DType::F16) == "65504");  // shorter than 6.55e+04
  CHECK(number_text(-0.0) == "-0");
  CHECK(number_text(NAN) == "nan");
  CHECK(number_text(-INFINITY) == "-inf");
  Rng rng(3);
  for (int i = 0; i < 2000; ++i) {
    const auto x = std::bit_cast<double>(rng.bits());
    if (std::isfinite(x) && *parse_number(number_text(x)) != x) FAIL("f64 " << x);
    for (const DType dtype : {DType::F16, DType::BF16, DType::F8E4M3}) {
      const double y = from_bits(static_cast<std::uint16_t>(rng.bits() & 0x7f), dtype);
      if (std::isfinite(y) && round_to(*parse_number(number_text(y, dtype)), dtype) != y) {
        FAIL("narrow " << y);
      }
    }
  }
}

TEST_CASE("close matches are near, or none") {
  const std::array<std::string, 3> names = {"softmax", "matmul", "vector_add"};
  CHECK(close_match("sofmax", names) == "softmax");
  CHECK(close_match("matmull", names) == "matmul");
  CHECK(close_match("vectoradd", names) == "vector_add");
  CHECK_FALSE(close_match("attention", names));
  CHECK_FALSE(close_match("x", names));
  CHECK_FALSE(close_match("softmax", {}));
}

TEST_CASE("dtypes have names that read back, sizes and kinds") {
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    CHECK(parse_dtype(name(dtype)) == dtype);
    CHECK(size_bytes(dtype) >= 1);
    CHECK(size_bytes(dtype) <= 8);
    const int kinds = is_float(dtype) + is_integer(dtype) + (dtype == DType::Bool);
    CHECK(kinds == 1);
    CHECK(is_integer(dtype) == (is_signed_integer(dtype) || is_unsigned_integer(dtype)));
  }
  CHECK_FALSE(parse_dtype("float"));
  CHECK(size_bytes(bf16) == 2);
}
