// SPDX-License-Identifier: Apache-2.0
// Every pointwise op and reduction against its one-line definition, on values with special cases.
#include <cmath>
#include <functional>
#include <limits>

#include "interp/memory.h"
#include "kernel_run.h"

using namespace parhelion;
using test::Array;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

std::string pointwise(DType dtype, std::string_view op, int operands, std::string_view result) {
  const std::string d(name(dtype)), list = operands == 1   ? "%a"
                                           : operands == 2 ? "%a, %b"
                                                           : "%a, %b, %a";
  return "parhelion 1\nkernel k(@x: " + d + "[n], @y: " + d + "[n]) {\n  @out = empty " +
         std::string(result) + "[n]\n  grid t in n {\n    %a = load @x[t] : " + d +
         "[t]\n    %b = load @y[t] : " + d + "[t]\n    %r = " + std::string(op) + " " + list +
         " : " + std::string(result) + "[t]\n    store @out[t], %r\n  }\n  return @out\n}\n";
}

const std::vector<double> left = {0,   -0.0, 1,    -1,  2.5, -2.5, 0.125, 3,
                                  100, inf,  -inf, nan, -3,  7,    1e-3};
const std::vector<double> right = {1, 0, -2, 3, 2.5, 0.5, -8, 3, -7, 2, inf, 1, 2, -2, 1e3};

struct Unary {
  std::string_view op;
  double (*f)(double);
};
const Unary unaries[] = {
    {"neg", [](double x) { return -x; }},
    {"abs", [](double x) { return std::fabs(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"exp2", [](double x) { return std::exp2(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"log2", [](double x) { return std::log2(x); }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
    {"reciprocal", [](double x) { return 1 / x; }},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"erf", [](double x) { return std::erf(x); }},
    {"sigmoid", [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"floor", [](double x) { return std::floor(x); }},
    {"ceil", [](double x) { return std::ceil(x); }},
};

double floor_mod_of(double a, double b) {
  const double r = std::fmod(a, b);
  if (std::isinf(b) && std::isfinite(a)) return (a < 0) != (b < 0) && a != 0 ? b : a;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
double max_of(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return nan;
  return a == b ? (std::signbit(a) ? b : a) : std::max(a, b);
}
double min_of(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return nan;
  return a == b ? (std::signbit(a) ? a : b) : std::min(a, b);
}

struct Binary {
  std::string_view op;
  double (*f)(double, double);
  bool to_bool;
};
const Binary binaries[] = {
    {"add", [](double a, double b) { return a + b; }, false},
    {"sub", [](double a, double b) { return a - b; }, false},
    {"mul", [](double a, double b) { return a * b; }, false},
    {"div", [](double a, double b) { return a / b; }, false},
    {"floordiv", [](double a, double b) { return std::floor(a / b); }, false},
    {"mod", floor_mod_of, false},
    {"min", min_of, false},
    {"max", max_of, false},
    {"eq", [](double a, double b) { return double(a == b); }, true},
    {"ne", [](double a, double b) { return double(a != b); }, true},
    {"lt", [](double a, double b) { return double(a < b); }, true},
    {"le", [](double a, double b) { return double(a <= b); }, true},
    {"gt", [](double a, double b) { return double(a > b); }, true},
    {"ge", [](double a, double b) { return double(a >= b); }, true},
};

/// `wanted`: the definition in double, rounded to the dtype. Functions may be off by their bound.
void expect(const interp::OutputTensor& out, std::size_t k, double wanted) {
  CAPTURE(k);
  CHECK((out.flags[k] & interp::OutputTensor::ambiguous) == 0);
  if (std::isnan(wanted)) {
    CHECK(std::isnan(out.values[k]));
  } else if (std::isinf(wanted)) {
    CHECK(out.values[k] == wanted);
  } else {
    CHECK(std::abs(out.values[k] - wanted) <= out.bounds[k]);
    CHECK(out.bounds[k] <= 0x1p-6 * std::abs(wanted) + 1e-7);
  }
}

}  // namespace

TEST_CASE("pointwise ops of floats") {
  for (const DType dtype : {DType::F32, DType::F16, DType::BF16, DType::F64}) {
    CAPTURE(name(dtype));
    Array x(dtype, {15}), y(dtype, {15});
    std::size_t i = 0, j = 0;
    x.fill([&] { return left[i++]; });
    y.fill([&] { return right[j++]; });
    const auto value = [&](Array& a, std::size_t k) {
      return interp::load_number(a.view(), static_cast<std::int64_t>(k));
    };
    for (const Unary& u : unaries) {
      CAPTURE(u.op);
      const ir::Function f = test::kernel(pointwise(dtype, u.op, 1, name(dtype)));
      const auto out = test::interpret(f, {&x, &y});
      for (std::size_t k = 0; k < 15; ++k) {
        expect(out.outputs[0], k, round_to(u.f(value(x, k)), dtype));
      }
    }
    for (const Binary& b : binaries) {
      CAPTURE(b.op);
      const DType result = b.to_bool ? DType::Bool : dtype;
      const ir::Function f = test::kernel(pointwise(dtype, b.op, 2, name(result)));
      const auto out = test::interpret(f, {&x, &y});
      for (std::size_t k = 0; k < 15; ++k) {
        expect(out.outputs[0], k, round_to(b.f(value(x, k), value(y, k)), result));
      }
    }
    const auto out =
        test::interpret(test::kernel(pointwise(dtype, "fma", 3, name(dtype))), {&x, &y});
    for (std::size_t k = 0; k < 15; ++k) {
      expect(out.outputs[0], k, round_to(std::fma(value(x, k), value(y, k), value(x, k)), dtype));
    }
  }
}

TEST_CASE("integers: two's complement, floor division, zero for a division by zero") {
  const auto run = [](DType dtype, std::string_view op, std::vector<double> a,
                      std::vector<double> b) {
    Array x(dtype, {4}), y(dtype, {4});
    std::size_t i = 0, j = 0;
    x.fill([&] { return a[i++]; });
    y.fill([&] { return b[j++]; });
    return test::interpret(test::kernel(pointwise(dtype, op, op == "not" ? 1 : 2, name(dtype))),
                           {&x, &y})
        .outputs[0]
        .integers;
  };
  using Integers = std::vector<std::int64_t>;
  CHECK(run(DType::I8, "add", {100, -100, 127, 1}, {100, -100, 1, 1}) ==
        Integers{-56, 56, -128, 2});
  CHECK(run(DType::I32, "floordiv", {7, -7, 7, 5}, {2, 2, -2, 0}) == Integers{3, -4, -4, 0});
  CHECK(run(DType::I32, "mod", {7, -7, 7, 5}, {2, 2, -2, 0}) == Integers{1, 1, -1, 0});
  CHECK(run(DType::U8, "sub", {1, 5, 0, 200}, {2, 3, 1, 100}) == Integers{255, 2, 255, 100});
  CHECK(run(DType::U8, "max", {1, 200, 0, 7}, {2, 100, 1, 7}) == Integers{2, 200, 1, 7});
  CHECK(run(DType::I16, "and", {6, 5, -1, 0}, {3, 4, 7, 9}) == Integers{2, 4, 7, 0});
  CHECK(run(DType::I16, "xor", {6, 5, -1, 0}, {3, 4, 7, 9}) == Integers{5, 1, -8, 9});
  CHECK(run(DType::I16, "not", {6, 5, -1, 0}, {3, 4, 7, 9}) == Integers{-7, -6, 0, -1});
  CHECK(run(DType::Bool, "or", {0, 0, 1, 1}, {0, 1, 0, 1}) == Integers{0, 1, 1, 1});
  CHECK(run(DType::Bool, "not", {0, 0, 1, 1}, {0, 1, 0, 1}) == Integers{1, 1, 0, 0});
  CHECK(run(DType::I64, "mul", {4e18, 3, -3, 1}, {4, 3, 3, 1})[1] == 9);
}

TEST_CASE("reductions go over valid lanes only") {
  const auto run = [](std::string_view op, DType dtype, DType result, std::int64_t block) {
    const std::string d(name(dtype)), r(name(result));
    const ir::Function f = test::kernel(
        "parhelion 1\nkernel k(@x: " + d + "[n, m]) {\n  @out = empty " + r +
        "[m, 2]\n  grid j in m by 2 {\n    %one = const 0 : i64\n    for i in n by " +
        std::to_string(block) + " {\n      %a = load @x[i, j] {other=99} : " + d +
        "[i, j]\n      %r = " + std::string(op) + " %a dim 0 : " + r +
        "[j]\n      %k = id i : i64\n      store @out[j, %k], %r\n    }\n  }\n  return @out\n}\n");
    Array x(dtype, {5, 3});
    x.fill({1, 2, 3, 4, -5, 6, 7, 8, -9, 1, 1, 1, 2, 2, 2});
    return test::interpret(f, {&x}).outputs[0].values;
  };
  using Numbers = std::vector<double>;
  CHECK(run("sum", DType::F32, DType::F32, 3) == Numbers{12, 3, 5, 3, 0, 3});
  CHECK(run("sum", DType::I8, DType::I64, 3) == Numbers{12, 3, 5, 3, 0, 3});
  CHECK(run("prod", DType::F32, DType::F32, 3) == Numbers{28, 2, -80, 2, -162, 2});
  CHECK(run("amax", DType::F16, DType::F16, 3) == Numbers{7, 2, 8, 2, 6, 2});
  CHECK(run("amin", DType::I32, DType::I32, 3) == Numbers{1, 1, -5, 1, -9, 1});
  CHECK(run("mean", DType::F32, DType::F32, 3) == Numbers{4, 1.5, 5.0f / 3, 1.5, 0, 1.5});
}

TEST_CASE("empty reductions") {
  const ir::Function f = test::kernel(R"(parhelion 1
kernel k(@x: f32[m, n]) {
  @out = empty f32[m, 5]
  grid i in m {
    %a = load @x[i, :n] : f32[i, :n]
    %0 = sum %a dim 1 : f32[i]
    store @out[i, 0], %0
    %1 = prod %a dim 1 : f32[i]
    store @out[i, 1], %1
    %2 = amax %a dim 1 : f32[i]
    store @out[i, 2], %2
    %3 = amin %a dim 1 : f32[i]
    store @out[i, 3], %3
    %4 = mean %a dim 1 : f32[i]
    store @out[i, 4], %4
  }
  return @out
}
)");
  Array x(DType::F32, {1, 0});
  const auto values = test::interpret(f, {&x}).outputs[0].values;
  CHECK(values[0] == 0);
  CHECK(values[1] == 1);
  CHECK(values[2] == -inf);
  CHECK(values[3] == inf);
  CHECK(std::isnan(values[4]));
}

TEST_CASE("casts") {
  const auto run = [](DType from, DType to, std::vector<double> values) {
    const std::string a(name(from)), b(name(to));
    const ir::Function f = test::kernel(
        "parhelion 1\nkernel k(@x: " + a + "[n]) {\n  @out = empty " + b +
        "[n]\n  grid t in n {\n    %a = load @x[t] : " + a + "[t]\n    %r = cast %a : " + b +
        "[t]\n    store @out[t], %r\n  }\n  return @out\n}\n");
    Array x(from, {static_cast<std::int64_t>(values.size())});
    std::size_t i = 0;
    x.fill([&] { return values[i++]; });
    return test::interpret(f, {&x}).outputs[0];
  };
  using Numbers = std::vector<double>;
  CHECK(run(DType::F32, DType::I8, {2.9, -2.9, 300, -300}).values == Numbers{2, -2, 127, -128});
  CHECK(run(DType::F32, DType::F8E4M3, {464, 465, 126.24, 1000}).values ==
        Numbers{448, 448, 128, 448});
  CHECK(run(DType::F32, DType::Bool, {0, -0.0, 0.5, -3}).values == Numbers{0, 0, 1, 1});
  CHECK(run(DType::I32, DType::U8, {257, -1, 0, 5}).values == Numbers{1, 255, 0, 5});
  CHECK(run(DType::I64, DType::F32, {16777217, 3}).values == Numbers{16777216, 3});
  const auto half = run(DType::F32, DType::F16, {1.0 / 3});
  CHECK(half.values[0] == round_to(static_cast<double>(1.0f / 3), DType::F16));
  CHECK(half.bounds[0] == 0);
}
