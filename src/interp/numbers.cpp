// SPDX-License-Identifier: Apache-2.0
#include "interp/numbers.h"

#include "base/half.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace parhelion::interp {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr std::array<Format, 6> formats = {{
    {DType::F8E4M3, 0x1p-3, 0x1p-3, 0x1p-9, infinity},
    {DType::F8E5M2, 0x1p-2, 0x1p-2, 0x1p-16, infinity},
    {DType::F16, 0x1p-10, 0x1p-10, 0x1p-24, 65520},
    {DType::BF16, 0x1p-7, 0x1p-7, 0x1p-133, 0x1.ffp127},
    {DType::F32, 0x1p-24, 0x1p-23, 0x1p-149, 0x1.ffffffp127},
    {DType::F64, 0x1p-53, 0x1p-52, 0x1p-1074, infinity},
}};

}  // namespace

const Format& format(DType dtype) {
  const auto at = static_cast<std::size_t>(dtype) - static_cast<std::size_t>(DType::F8E4M3);
  return formats[at < formats.size() ? at : 4];
}

double round_number(double value, DType dtype) {
  if (dtype == DType::F32) return static_cast<double>(static_cast<float>(value));
  if (dtype == DType::F64) return value;
  if (dtype == DType::F16) return static_cast<double>(static_cast<_Float16>(value));
  return round_to(value, dtype);
}

Lane settle(const Step& step, const Format& f) {
  Lane lane{step.result, 0, step.unsure};
  const double t = step.propagated;
  if (!std::isfinite(step.result)) {
    // What comes from infinite or NaN operands is sure; what a finite error could undo is not.
    if (t > 0 || std::isnan(t)) lane.unsure = true;
    return lane;
  }
  if (!std::isfinite(t)) {
    lane.x = round_number(step.result, f.dtype);
    lane.unsure = true;
    return lane;
  }
  lane.x = round_number(step.result, f.dtype);
  if (std::isinf(lane.x)) {
    lane.unsure = lane.unsure || (t > 0 && std::abs(step.result) - t < f.limit);
    return lane;
  }
  const double magnitude = std::abs(lane.x);
  if (t == 0 && step.function_ulp == 0 && step.exact && lane.x == step.result) return lane;
  lane.error = t + f.unit * magnitude + f.tiny;
  if (step.function_ulp != 0) {
    const Format& at = f.dtype == DType::F64 ? f : format(DType::F32);
    lane.error += step.function_ulp * at.ulp * magnitude + step.tiny;
  }
  if (magnitude + lane.error >= f.limit) lane.unsure = true;
  return lane;
}

int lowest_bit(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const auto exponent = static_cast<int>((bits >> 52) & 0x7ff);
  const std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (mantissa == 0) return exponent == 0 ? no_bit : exponent - 1023;
  return std::max(exponent, 1) - 1075 + std::countr_zero(mantissa);
}

}  // namespace parhelion::interp
