// SPDX-License-Identifier: Apache-2.0
// The bound covers plain f32 arithmetic and finds planted faults.
#include <cmath>

#include "kernel_run.h"

using namespace parhelion;
using test::Array;

namespace {

constexpr std::string_view norm = R"(parhelion 1
kernel norm(@x: f32[m, n], @w: f32[n]) {
  @out = empty f32[m, n]
  grid i in m {
    %x = load @x[i, :n] : f32[i, :n]
    %sq = mul %x, %x : f32[i, :n]
    %mean = mean %sq dim 1 keep : f32[i, 1]
    %eps = const 1e-5 : f32
    %s = add %mean, %eps : f32[i, 1]
    %r = rsqrt %s : f32[i, 1]
    %y = mul %x, %r : f32[i, :n]
    %w = load @w[:n] : f32[:n]
    %z = mul %y, %w : f32[i, :n]
    store @out[i, :n], %z
  }
  return @out
}
)";

float at(Array& a, std::size_t k) {
  float v;
  std::memcpy(&v, a.bytes().data() + 4 * k, 4);
  return v;
}

/// The kernel in plain f32, with one fault on request.
Array backend(Array& x, Array& w, std::size_t rows, std::size_t columns, int fault) {
  Array out(DType::F32, x.sizes());
  for (std::size_t r = 0; r < rows; ++r) {
    float sum = 0;
    const std::size_t terms = fault == 1 ? columns - 1 : columns;
    for (std::size_t c = 0; c < terms; ++c) {
      sum += at(x, r * columns + c) * at(x, r * columns + c);
    }
    const float scale = 1.0f / std::sqrt(sum / static_cast<float>(columns) + 1e-5f);
    for (std::size_t c = 0; c < columns; ++c) {
      float y = at(x, r * columns + c) * scale * at(w, fault == 2 ? columns - 1 - c : c);
      if (fault == 3) y = static_cast<float>(round_to(static_cast<double>(y), DType::BF16));
      std::memcpy(out.bytes().data() + 4 * (r * columns + c), &y, 4);
    }
  }
  return out;
}

}  // namespace

TEST_CASE("f32 arithmetic lies within the bound, faults do not") {
  const ir::Function f = test::kernel(norm);
  for (const std::int64_t columns : {1, 7, 64, 1000}) {
    CAPTURE(columns);
    Rng rng(static_cast<std::uint64_t>(columns));
    Array x(DType::F32, {6, columns}), w(DType::F32, {columns});
    x.fill_normal(rng);
    w.fill_normal(rng);
    const interp::Outcome out = test::interpret(f, {&x, &w});
    CHECK(out.findings.empty());
    const auto n = static_cast<std::size_t>(columns);
    Array good = backend(x, w, 6, n, 0);
    const interp::Comparison c = interp::compare(out.outputs[0], good.view());
    CAPTURE(c.text());
    CHECK(c.ok());
    CHECK(c.compared == 6 * columns);
    if (columns < 7) continue;
    for (const int fault : {1, 2, 3}) {
      Array bad = backend(x, w, 6, n, fault);
      CHECK_FALSE(interp::compare(out.outputs[0], bad.view()).ok());
    }
  }
}

TEST_CASE("comparison: NaN where NaN, the same infinity, exact where the bound is 0") {
  interp::OutputTensor expected;
  expected.dtype = DType::F32;
  expected.sizes = {4};
  expected.values = {NAN, INFINITY, 1, 0};
  expected.bounds = {0, 0, 0.5, 0};
  expected.flags = {1, 1, 1, 1};
  Array got(DType::F32, {4});
  got.fill({NAN, INFINITY, 1.25, -0.0});
  interp::Comparison c = interp::compare(expected, got.view());
  CHECK(c.ok());
  CHECK(c.worst_ratio == 0.5);
  got.fill({0, -INFINITY, 1.75, 1e-30});
  c = interp::compare(expected, got.view());
  CHECK(c.mismatches == 4);
  CHECK(c.first_mismatch == 0);
  expected.flags = {0, 3, 3, 1};
  c = interp::compare(expected, got.view());
  CHECK(c.unwritten == 1);
  CHECK(c.ambiguous == 2);
  CHECK(c.text() ==
        "1 of 1 elements differ, first at 3: expected 0, got 1.0000000031710769e-30, bound 0");
}

TEST_CASE("a comparison that the errors can tip is not judged, a choice is covered") {
  const ir::Function f = test::kernel(R"(parhelion 1
kernel k(@x: f32[n]) {
  @out = empty f32[n]
  @flag = empty bool[n]
  grid t in n {
    %x = load @x[t] : f32[t]
    %e = exp %x : f32[t]
    %l = log %e : f32[t]
    %d = sub %l, %x : f32[t]
    %zero = const 0 : f32
    %c = gt %d, %zero : bool[t]
    %r = where %c, %l, %x : f32[t]
    store @out[t], %r
    store @flag[t], %c
  }
  return @out, @flag
}
)");
  Array x(DType::F32, {3});
  x.fill({0.3, 1.7, 2.2});
  const interp::Outcome out = test::interpret(f, {&x});
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK((out.outputs[0].flags[k] & interp::OutputTensor::ambiguous) == 0);
    CHECK(out.outputs[0].bounds[k] > 0);
    CHECK((out.outputs[1].flags[k] & interp::OutputTensor::ambiguous) != 0);
  }
}
