// SPDX-License-Identifier: Apache-2.0
#include "base/half.h"

#include "base/diag.h"

#include <bit>
#include <cmath>
#include <limits>

namespace parhelion {

namespace {

struct Format {
  int exponent_bits, mantissa_bits, bias;
  bool has_infinity;    // else the top exponent holds numbers (e4m3: all but one pattern)
  bool saturates;
  double largest;
};

Format format_of(DType dtype) {
  switch (dtype) {
    case DType::F16: return {5, 10, 15, true, false, 65504.0};
    case DType::BF16: return {8, 7, 127, true, false, 3.3895313892515355e38};
    case DType::F8E4M3: return {4, 3, 7, false, true, 448.0};
    case DType::F8E5M2: return {5, 2, 15, true, true, 57344.0};
    default: break;
  }
  PH_ASSERT(false, "not a narrow float");
  return {};
}

/// |value| to the grid of the format, ties to even; overflow is left to the caller.
double round_to_grid(double magnitude, const Format& f) {
  if (magnitude == 0) return 0;
  const int lowest = 1 - f.bias;  // exponent of denormals
  const int exponent = std::max(std::ilogb(magnitude), lowest);
  const double quantum = std::ldexp(1.0, exponent - f.mantissa_bits);
  return std::nearbyint(magnitude / quantum) * quantum;  // exact: powers of two
}

}  // namespace

double round_to(double value, DType dtype) {
  switch (dtype) {
    case DType::F32: return static_cast<double>(static_cast<float>(value));
    case DType::F16:
    case DType::BF16:
    case DType::F8E4M3:
    case DType::F8E5M2: break;
    default: return value;
  }
  if (std::isnan(value)) return value;
  const Format f = format_of(dtype);
  const double magnitude = std::isinf(value) ? std::numeric_limits<double>::infinity()
                                             : round_to_grid(std::fabs(value), f);
  double result = magnitude;
  if (magnitude > f.largest) {
    result = f.saturates ? f.largest : std::numeric_limits<double>::infinity();
  }
  return std::copysign(result, value);
}

std::uint16_t to_bits(double value, DType dtype) {
  const Format f = format_of(dtype);
  const int width = 1 + f.exponent_bits + f.mantissa_bits;
  const auto sign =
      static_cast<std::uint16_t>(std::signbit(value) ? 1U << (width - 1) : 0U);
  const unsigned top = (1U << f.exponent_bits) - 1U;
  if (std::isnan(value)) {
    const unsigned mantissa = f.has_infinity ? 1U << (f.mantissa_bits - 1)
                                             : (1U << f.mantissa_bits) - 1U;
    return static_cast<std::uint16_t>(sign | (top << f.mantissa_bits) | mantissa);
  }
  const double magnitude = std::fabs(round_to(value, dtype));
  if (std::isinf(magnitude)) {
    return static_cast<std::uint16_t>(sign | (top << f.mantissa_bits));
  }
  if (magnitude == 0) return sign;
  const int exponent = std::ilogb(magnitude);
  if (exponent < 1 - f.bias) {
    const auto m = static_cast<unsigned>(std::ldexp(magnitude, f.bias - 1 + f.mantissa_bits));
    return static_cast<std::uint16_t>(sign | m);
  }
  const auto m = static_cast<unsigned>(
      std::ldexp(magnitude, f.mantissa_bits - exponent) - std::ldexp(1.0, f.mantissa_bits));
  const auto e = static_cast<unsigned>(exponent + f.bias);
  return static_cast<std::uint16_t>(sign | (e << f.mantissa_bits) | m);
}

double from_bits(std::uint16_t bits, DType dtype) {
  const Format f = format_of(dtype);
  const int width = 1 + f.exponent_bits + f.mantissa_bits;
  const bool negative = (bits >> (width - 1) & 1U) != 0;
  const unsigned top = (1U << f.exponent_bits) - 1U;
  const unsigned e = bits >> f.mantissa_bits & top;
  const unsigned m = bits & ((1U << f.mantissa_bits) - 1U);
  double v = 0;
  if (f.has_infinity && e == top) {
    v = m == 0 ? std::numeric_limits<double>::infinity()
               : std::numeric_limits<double>::quiet_NaN();
  } else if (!f.has_infinity && e == top && m == (1U << f.mantissa_bits) - 1U) {
    v = std::numeric_limits<double>::quiet_NaN();
  } else if (e == 0) {
    v = std::ldexp(static_cast<double>(m), 1 - f.bias - f.mantissa_bits);
  } else {
    v = std::ldexp(1.0 + std::ldexp(static_cast<double>(m), -f.mantissa_bits),
                   static_cast<int>(e) - f.bias);
  }
  return negative ? -v : v;
}

}  // namespace parhelion
