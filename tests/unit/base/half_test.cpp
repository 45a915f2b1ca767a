// SPDX-License-Identifier: Apache-2.0
#include "base/half.h"

#include "base/rng.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace parhelion;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Rounding by another way: the nearest of all values of the format, ties to the even pattern.
double nearest(double x, DType dtype, unsigned patterns) {
  double best = 0, best_distance = infinity;
  unsigned best_bits = 0;
  for (unsigned bits = 0; bits < patterns / 2; ++bits) {
    const double v = from_bits(static_cast<std::uint16_t>(bits), dtype);
    if (!std::isfinite(v)) continue;
    const double distance = std::fabs(v - std::fabs(x));
    const bool tie = distance == best_distance && (bits & 1) == 0 && (best_bits & 1) == 1;
    if (distance < best_distance || tie) {
      best = v;
      best_distance = distance;
      best_bits = bits;
    }
  }
  return std::copysign(best, x);
}

}  // namespace

TEST_CASE("every pattern of 16 bits comes back") {
  for (const DType dtype : {DType::F16, DType::BF16}) {
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const double v = from_bits(static_cast<std::uint16_t>(bits), dtype);
      const std::uint16_t back = to_bits(v, dtype);
      if (std::isnan(v)) {
        if (!std::isnan(from_bits(back, dtype))) FAIL("a NaN is lost: " << bits);
      } else if (back != bits) {
        FAIL(bits << " comes back as " << back);
      } else if (round_to(v, dtype) != v) {
        FAIL("a value of the format is rounded: " << bits);
      }
    }
  }
}

TEST_CASE("f16 and bf16 agree with the compiler's own") {
  Rng rng(7);
  for (int i = 0; i < 200000; ++i) {
    // Floats of all magnitudes: random patterns.
    const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(rng.bits()));
    if (std::isnan(x)) continue;
    const auto half = static_cast<_Float16>(x);
    if (std::bit_cast<std::uint16_t>(half) != to_bits(x, DType::F16)) FAIL("f16 of " << x);
    std::uint32_t b = std::bit_cast<std::uint32_t>(x);
    b += 0x7fff + (b >> 16 & 1);  // ties to even; overflow runs into infinity by itself
    if (static_cast<std::uint16_t>(b >> 16) != to_bits(x, DType::BF16)) FAIL("bf16 of " << x);
  }
}

TEST_CASE("a double is rounded once") {
  // Through f32 this is a tie (1 + 2^-11) and goes down; once, it lies above the tie.
  const double x = 1.0 + 0x1p-11 + 0x1p-40;
  CHECK(static_cast<double>(static_cast<float>(x)) == 1.0 + 0x1p-11);
  CHECK(round_to(x, DType::F16) == 1.0 + 0x1p-10);
  const double y = 1.0 + 0x1p-8 + 0x1p-40;
  CHECK(round_to(y, DType::BF16) == 1.0 + 0x1p-7);
  CHECK(round_to(1.0 + 0x1p-24, DType::F32) == 1.0);
  CHECK(round_to(1.0 + 0x1p-24 + 0x1p-50, DType::F32) == 1.0 + 0x1p-23);
}

TEST_CASE("overflow: f16 and bf16 to infinity, f8 saturates; NaN stays") {
  CHECK(round_to(65519.9, DType::F16) == 65504);
  CHECK(round_to(65520, DType::F16) == infinity);
  CHECK(round_to(-1e30, DType::F16) == -infinity);
  CHECK(round_to(3.4e38, DType::BF16) == infinity);
  CHECK(round_to(infinity, DType::BF16) == infinity);
  CHECK(round_to(464, DType::F8E4M3) == 448);
  CHECK(round_to(465, DType::F8E4M3) == 448);
  CHECK(round_to(-infinity, DType::F8E4M3) == -448);
  CHECK(round_to(infinity, DType::F8E5M2) == 57344);
  CHECK(round_to(126.24, DType::F8E4M3) == 128);
  CHECK(round_to(1.31640625, DType::F8E4M3) == 1.375);
  for (const DType dtype : {DType::F16, DType::BF16, DType::F8E4M3, DType::F8E5M2, DType::F32}) {
    CHECK(std::isnan(round_to(NAN, dtype)));
    CHECK(std::signbit(round_to(-0.0, dtype)));
    CHECK(round_to(1e-300, dtype) == 0);
  }
  CHECK(std::isnan(from_bits(to_bits(NAN, DType::F8E4M3), DType::F8E4M3)));
  CHECK(round_to(3.7, DType::I32) == 3.7);
}

TEST_CASE("f8: every pattern, midpoint and neighbour of a midpoint") {
  for (const DType dtype : {DType::F8E4M3, DType::F8E5M2}) {
    double before = 0;
    for (unsigned bits = 0; bits < 0x80; ++bits) {
      const double v = from_bits(static_cast<std::uint16_t>(bits), dtype);
      if (!std::isfinite(v)) continue;
      CHECK(to_bits(v, dtype) == bits);
      CHECK(to_bits(-v, dtype) == (bits | 0x80));
      const double middle = (v + before) / 2;
      for (const double x : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e9)}) {
        CHECK(round_to(x, dtype) == nearest(x, dtype, 0x100));
      }
      before = v;
    }
  }
}
