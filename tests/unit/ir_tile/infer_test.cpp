// SPDX-License-Identifier: Apache-2.0
// Each type rule that refuses: code, text, help, by the text of an op.
#include "ir/tile/function.h"

#include <doctest/doctest.h>

#include <string>

using namespace parhelion;

namespace {

struct Case {
  int code;
  std::string_view line;     // the last op of the loop
  std::string_view message;
};

std::string kernel(std::string_view line) {
  return R"(parhelion 1
kernel k(@x: f16[m, n], @l: i32[m]) {
  @out = empty f32[m, n]
  grid i in m, j in n {
    %a = load @x[i, :n] : f16[i, :n]
    %f = cast %a : f32[i, :n]
    %b = load @l[i] : i32[i]
    %v = index i : i64[i]
    %w = index j : i64[j]
    %one = const 1 : f32
    %c = lt %v, %v : bool[i]
    %t = load @x[i, j] : f16[i, j]
    %r = load @x[:m, 0] : f16[:m]
    %yes = const 1 : bool
    )" + std::string(line) +
         "\n  }\n}\n";
}

constexpr Case cases[] = {
    {2101, "%q = add %v, %w : i64[i]", "add: axis 'i' of i64[i] meets axis 'j' of i64[j]"},
    {2105, "%q = add %a, %r : f16[i, :n]",
     "dimensions 1 and 0 of 'x' are different axes even if equal now"},
    {2110, "%q = add %a, %f : f32[i, :n]", "add of f16[i, :n] and f32[i, :n]"},
    {2110, "%q = exp %b : i32[i]", "exp of i32[i]"},
    {2110, "%q = and %a, %a : f16[i, :n]", "and of f16[i, :n]"},
    {2110, "%q = neg %c : bool[i]", "neg of bool[i]"},
    {2110, "%q = where %b, %a, %a : f16[i, :n]", "the condition of where is i32[i]"},
    {2110, "%q = neg %a, %a : f16[i, :n]", "'neg' takes 1 operand, here are 2"},
    {2110, "%q = full %b : f32[i]", "full of i32[i], it needs one number"},
    {2110, "%q = arange : i64[i]", "arange has one axis of a fixed extent"},
    {2110, "%q = const 1 : i64[i]", "a constant has no axes"},
    {2106, "%q = const 300 : i8", "300 does not fit i8"},
    {2102, "store @out[i, j], %f", "store of f32[i, :n] to a place of f32[i, j]"},
    {2103, "store @out[i, j], %t", "store converts f16 to f32"},
    {2001, "%q = load @x[i] : f16[i]", "'x' has rank 2, the subscript has 1"},
    {2004, "%q = load @x[%c, j] : f16[i, j]", "an index must be an integer, this is bool[i]"},
    {2102, "%q = load @x[i, j] {mask=%b} : f16[i, j]", "the mask of f16[i, j] is i32[i]"},
    {2104, "%q = squeeze %a dim 0 : f16[:n]", "squeeze of f16[i, :n] at 0"},
    {2104, "%q = unsqueeze %a dim 3 : f16[:n]", "unsqueeze of f16[i, :n] at 3"},
    {2104, "%q = permute %a 0, 0 : f16[i, i]", "permute of f16[i, :n] by 2 numbers"},
    {2104, "%q = expand %v : i64[j]", "expand of i64[i] to i64[j]"},
    {2201, "%q = sum %a dim 2 : f16[i]", "sum: dimension 2 of a value with rank 2"},
    {2202, "%q = amax %one dim 0 : f32", "amax of a scalar"},
    {2301, "%q = dot %b, %b : f32", "dot needs two matrices, got i32[i] and i32[i]"},
    {2302, "%q = dot %a, %a : f32[i, :n]",
     "dot contracts dimension 1 of f16[i, :n] with dimension 0 of f16[i, :n]"},
    {3201, "if %c {\n}", "'if' needs one condition, this is bool[i]"},
    {3004, "%q = if %yes {\nyield %a\n} else {\nyield %f\n}",
     "the branches leave a value as f16[i, :n] and f32[i, :n]"},
    {1206, "for k in %b..4 {\n}", "loop bound is i32[i], not one integer"},
};

}  // namespace

TEST_CASE("type rules refuse with code and text") {
  for (const Case& c : cases) {
    CAPTURE(c.line);
    const auto parsed = ir::parse(kernel(c.line), "k.ph");
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error()[0].code == c.code);
    CHECK(parsed.error()[0].message == c.message);
    CHECK(parsed.error()[0].where.line == 15);
  }
}

TEST_CASE("dot: accumulators and dtypes") {
  const auto check = [](std::string_view line, int code, std::string_view message) {
    const std::string text = R"(parhelion 1
kernel k(@x: f16[m, n], @y: f16[n2, p], @z: i16[n2, p]) {
  grid i in m, j in p {
    %acc = const 0 : f32
    %bad = full %acc : f32[i]
    for t in n {
      %a = load @x[i, t] : f16[i, t]
      %b = load @y[t, j] : f16[t, j]
      %c = load @z[t, j] : i16[t, j]
      )" + std::string(line) + "\n    }\n  }\n}\n";
    const auto parsed = ir::parse(text, "k.ph");
    REQUIRE_FALSE(parsed.has_value());
    CHECK(parsed.error()[0].code == code);
    CHECK(parsed.error()[0].message == message);
  };
  check("%q = dot %a, %b, %bad : f32[i, j]", 2303,
        "accumulator is f32[i], the product is f32[i, j]");
  check("%q = dot %a, %c : f32[i, j]", 2304, "dot of f16 and i16");
}

TEST_CASE("promotion is torch's") {
  using enum DType;
  CHECK(ir::promote(F16, BF16) == F32);
  CHECK(ir::promote(F16, I64) == F16);
  CHECK(ir::promote(F8E4M3, F8E5M2) == F32);
  CHECK(ir::promote(F8E4M3, BF16) == BF16);
  CHECK(ir::promote(U8, I8) == I16);
  CHECK(ir::promote(U8, I32) == I32);
  CHECK(ir::promote(U32, I32) == I64);
  CHECK(ir::promote(Bool, I8) == I8);
  CHECK(ir::promote(F64, F16) == F64);
  for (int a = 0; a < dtype_count; ++a) {
    for (int b = 0; b < dtype_count; ++b) {
      const auto x = static_cast<DType>(a), y = static_cast<DType>(b);
      CHECK(ir::promote(x, y) == ir::promote(y, x));
    }
  }
}
