// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "runtime/elements.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <vector>

namespace parhelion::runtime {
namespace {

constexpr Distribution all[] = {Distribution::Zeros,         Distribution::Poison,
                                Distribution::SmallIntegers, Distribution::Uniform,
                                Distribution::Normal,        Distribution::SameSign,
                                Distribution::WideExponents, Distribution::Specials};

std::vector<double> filled(DType dtype, Distribution distribution, std::int64_t count,
                           std::uint64_t seed = 1) {
  const Buffer b = Buffer::empty({count}, dtype);
  fill(b, distribution, seed, 0);
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(load_element(static_cast<char*>(b.data()) + i * size_bytes(dtype), dtype));
  }
  return values;
}

TEST_CASE("elements are stored and loaded in every dtype") {
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    CAPTURE(name(dtype));
    alignas(8) char cell[8] = {};
    for (const double value : {0.0, 1.0}) {
      store_element(cell, dtype, value);
      CHECK(load_element(cell, dtype) == value);
    }
  }
  alignas(8) char cell[8] = {};
  const auto through = [&](DType dtype, double value) {
    store_element(cell, dtype, value);
    return load_element(cell, dtype);
  };
  CHECK(through(DType::I8, 300) == 127);
  CHECK(through(DType::I8, -300) == -128);
  CHECK(through(DType::U8, -1) == 0);
  CHECK(through(DType::I32, 2.5) == 2);
  CHECK(through(DType::I32, std::nan("")) == 0);
  CHECK(through(DType::BF16, 1 + 0x1p-8) == 1);
  CHECK(through(DType::F16, 65520) == std::numeric_limits<double>::infinity());
}

TEST_CASE("content depends on seed, stream and place alone") {
  for (const Distribution d : all) {
    CHECK(parse_distribution(name(d)) == d);
    for (const DType dtype : {DType::F32, DType::BF16, DType::F16, DType::I32, DType::Bool}) {
      const Buffer a = Buffer::empty({7, 5}, dtype), b = Buffer::empty({5, 7}, dtype);
      fill(a, d, 3, 1);
      // The same tensor, lying transposed in memory.
      TensorView transposed(b.data(), dtype, {7, 5}, {1, 7});
      fill(transposed, d, 3, 1);
      const Buffer dense = Buffer::copy_of(transposed);
      CHECK(std::memcmp(a.data(), dense.data(), static_cast<std::size_t>(35 * size_bytes(dtype))) ==
            0);
    }
  }
  CHECK(filled(DType::F32, Distribution::Normal, 8, 1) !=
        filled(DType::F32, Distribution::Normal, 8, 2));
  CHECK_FALSE(parse_distribution("gamma").has_value());
}

TEST_CASE("each distribution is what its name says") {
  const std::int64_t n = 4096;
  const std::vector<double> small = filled(DType::BF16, Distribution::SmallIntegers, n);
  CHECK(std::set<double>(small.begin(), small.end()) == std::set<double>{-2, -1, 0, 1, 2});
  double sum = 0, squares = 0;
  for (const double v : filled(DType::F32, Distribution::Normal, n)) {
    sum += v;
    squares += v * v;
  }
  // Five standard errors of the mean and of the second moment.
  CHECK(std::fabs(sum / n) < 5 / std::sqrt(n));
  CHECK(std::fabs(squares / n - 1) < 5 * std::sqrt(2.0 / n));
  for (const double v : filled(DType::F16, Distribution::SameSign, n)) CHECK(v >= 0.25);
  for (const double v : filled(DType::F16, Distribution::Uniform, n)) CHECK(std::fabs(v) <= 1);
  for (const double v : filled(DType::F16, Distribution::WideExponents, n)) {
    CHECK(std::isfinite(v));
  }
  for (const double v : filled(DType::F16, Distribution::Poison, n)) CHECK(std::isnan(v));
  int infinite = 0, nan = 0, zero = 0;
  for (const double v : filled(DType::F32, Distribution::Specials, n)) {
    infinite += std::isinf(v) ? 1 : 0;
    nan += std::isnan(v) ? 1 : 0;
    zero += v == 0 ? 1 : 0;
  }
  CHECK(infinite > 20);
  CHECK(nan > 10);
  CHECK(zero > 20);
  for (const double v : filled(DType::U8, Distribution::Normal, n)) CHECK(v <= 100);
}

}  // namespace
}  // namespace parhelion::runtime
