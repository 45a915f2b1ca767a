// SPDX-License-Identifier: Apache-2.0
// Whole kernels against double references, over block sizes with tails.
#include "kernel_run.h"

#include "unit/ir_tile/example_texts.h"

#include <cmath>

using namespace parhelion;
using test::Array;

TEST_CASE("softmax: every block size gives the same numbers") {
  const ir::Function f = test::kernel(test::softmax_text);
  Rng rng(3);
  Array x(DType::F16, {5, 7});
  x.fill_normal(rng);
  std::optional<interp::Outcome> first;
  for (const std::int64_t block : {1, 3, 8, 0}) {
    CAPTURE(block);
    interp::Options options;
    options.default_block = block;
    const interp::Outcome out = test::interpret(f, {&x}, options);
    CHECK(out.findings.empty());
    REQUIRE(out.outputs.size() == 1);
    const interp::OutputTensor& y = out.outputs[0];
    CHECK(y.sizes == std::vector<std::int64_t>{5, 7});
    for (std::size_t r = 0; r < 5; ++r) {
      double top = -1e300, sum = 0;
      const auto at = [&](std::size_t c) {
        return from_bits(static_cast<std::uint16_t>(
                             std::to_integer<unsigned>(x.bytes()[2 * (7 * r + c)]) |
                             std::to_integer<unsigned>(x.bytes()[2 * (7 * r + c) + 1]) << 8),
                         DType::F16);
      };
      for (std::size_t c = 0; c < 7; ++c) top = std::max(top, at(c));
      for (std::size_t c = 0; c < 7; ++c) sum += std::exp(at(c) - top);
      for (std::size_t c = 0; c < 7; ++c) {
        const double expected = std::exp(at(c) - top) / sum;
        const double bound = y.bounds[7 * r + c];
        CHECK(std::abs(y.values[7 * r + c] - expected) <= bound);
        CHECK(bound <= 3e-3 * expected + 1e-7);
      }
    }
    if (first) CHECK(first->outputs[0].values == y.values);
    first = out;
  }
}

TEST_CASE("a row of -inf is NaN, as the ops say") {
  const ir::Function f = test::kernel(test::softmax_text);
  Array x(DType::F16, {1, 3});
  x.fill([] { return -INFINITY; });
  const interp::Outcome out = test::interpret(f, {&x});
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::isnan(out.outputs[0].values[i]));
    CHECK((out.outputs[0].flags[i] & interp::OutputTensor::ambiguous) == 0);
  }
}

TEST_CASE("matmul of small integers is exact, tails included") {
  const ir::Function f = test::kernel(test::matmul_text);
  Rng rng(4);
  Array a(DType::BF16, {7, 11}), b(DType::BF16, {11, 5});
  a.fill_small_integers(rng);
  b.fill_small_integers(rng);
  for (const std::int64_t block : {1, 3, 4, 0}) {
    interp::Options options;
    options.default_block = block;
    const interp::Outcome out = test::interpret(f, {&a, &b}, options);
    CHECK(out.findings.empty());
    const interp::OutputTensor& c = out.outputs[0];
    for (std::size_t i = 0; i < 35; ++i) {
      double expected = 0;
      for (std::size_t k = 0; k < 11; ++k) {
        const auto at = [](Array& t, std::size_t e) {
          std::uint16_t bits;
          std::memcpy(&bits, t.bytes().data() + 2 * e, 2);
          return from_bits(bits, DType::BF16);
        };
        expected += at(a, i / 5 * 11 + k) * at(b, k * 5 + i % 5);
      }
      CHECK(c.values[i] == expected);
      CHECK(c.bounds[i] == 0);
    }
  }
}

TEST_CASE("a wrong size is refused by the check in the kernel") {
  const ir::Function f = test::kernel(test::matmul_text);
  Array a(DType::BF16, {2, 3}), b(DType::BF16, {4, 2});
  interp::Inputs inputs{{a.view(), b.view()}, {}};
  const auto out = interp::run(f, inputs);
  REQUIRE_FALSE(out.has_value());
  CHECK(out.error()[0].message == "check failed: k2 == k (4 and 3)");
}

TEST_CASE("empty tensors run no program") {
  const ir::Function f = test::kernel(test::softmax_text);
  Array x(DType::F16, {0, 7});
  const interp::Outcome out = test::interpret(f, {&x});
  CHECK(out.programs == 0);
  CHECK(out.outputs[0].values.empty());
}

TEST_CASE("a sample holds first, last and tails, and leaves the rest unwritten") {
  const ir::Function f = test::kernel(test::softmax_text);
  Array x(DType::F16, {1000, 2});
  Rng rng(1);
  x.fill_normal(rng);
  interp::Options options;
  options.sample = 16;
  const interp::Outcome out = test::interpret(f, {&x}, options);
  CHECK(out.sampled);
  CHECK(out.programs == 19);
  const auto& flags = out.outputs[0].flags;
  CHECK((flags.front() & interp::OutputTensor::written) != 0);
  CHECK((flags.back() & interp::OutputTensor::written) != 0);
  std::int64_t written = 0;
  for (const std::uint8_t flag : flags) written += flag & interp::OutputTensor::written;
  CHECK(written == 19 * 16);
}

TEST_CASE("views: permuted, narrowed and expanded memory") {
  const ir::Function f = test::kernel(R"(parhelion 1
kernel k(@x: f32[m, n], @w: f32[n]) {
  @t = permute @x 1, 0
  @p = narrow @x 1 1 (n - 1)
  @e = expand @w [m, n]
  @a = empty f32[n, m]
  @b = empty f32[m, n]
  grid i in m, j in n {
    %0 = load @t[j, i] : f32[j, i]
    store @a[j, i], %0
    %1 = load @p[i, j] {other=9} : f32[i, j]
    %2 = load @e[i, j] : f32[i, j]
    %3 = add %1, %2 : f32[i, j]
    store @b[i, j], %3
  }
  return @a, @b
}
)");
  Array x(DType::F32, {2, 3}, {8, 2}), w(DType::F32, {3});
  double next = 0;
  x.fill([&] { return next++; });
  w.fill({100, 200, 300});
  const interp::Outcome out = test::interpret(f, {&x, &w}, {.default_block = 2});
  CHECK(out.outputs[0].values == std::vector<double>{0, 8, 2, 10, 4, 12});
  CHECK(out.outputs[1].values == std::vector<double>{102, 204, 309, 110, 212, 309});
}

TEST_CASE("loops with device bounds, while and if") {
  const ir::Function f = test::kernel(R"(parhelion 1
kernel k(@x: f32[n], @l: i32[1]) {
  @out = empty f32[n]
  @trips = empty i64[n]
  grid i in n by 4 {
    %z = const 0 : i64
    %one = const 1 : i64
    %lim = load @l[0] : i32
    %hi = cast %lim : i64
    %first = load @x[i] : f32[i]
    %acc = for j in %z..%hi by 2 carry (%a = %first) {
      %s = load @x[j] : f32[j]
      %t = sum %s dim 0 : f32
      %u = add %a, %t : f32[i]
      yield %u
    }
    %b = begin i : i64
    %k = while carry (%c = %b) {
      %go = lt %c, %hi : bool
      condition %go
    } do {
      %d = add %c, %one : i64
      yield %d
    }
    %zero = eq %b, %z : bool
    %r = if %zero {
      yield %acc
    } else {
      %n = neg %acc : f32[i]
      yield %n
    }
    store @out[i], %r
    %kk = expand %k : i64[i]
    store @trips[i], %kk
  }
  return @out, @trips
}
)");
  Array x(DType::F32, {6}), l(DType::I32, {1});
  x.fill({1, 2, 3, 4, 5, 6});
  l.fill({3});
  const interp::Outcome out = test::interpret(f, {&x, &l});
  CHECK(out.outputs[0].values == std::vector<double>{7, 8, 9, 10, -11, -12});
  CHECK(out.outputs[1].integers == std::vector<std::int64_t>{3, 3, 3, 3, 4, 4});
}
