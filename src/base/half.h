// SPDX-License-Identifier: Apache-2.0
// Narrow floats: exact conversions, ties to even. f16 and bf16 overflow to infinity, f8 saturates
// (infinities included) and keeps NaN.
#pragma once

#include <parhelion/dtype.h>

#include <cstdint>

namespace parhelion {

/// `value` rounded once to `dtype`, as a double. Integers: as it is.
[[nodiscard]] double round_to(double value, DType dtype);
/// Bits of a float dtype of at most 16 bits (f8 in the low byte).
[[nodiscard]] std::uint16_t to_bits(double value, DType dtype);
[[nodiscard]] double from_bits(std::uint16_t bits, DType dtype);

}  // namespace parhelion
