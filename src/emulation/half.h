// SPDX-License-Identifier: Apache-2.0
// Exact widening of 16-bit floats, for the matrix unit.
#pragma once

#include <bit>
#include <cstdint>

namespace parhelion::emulation {

[[nodiscard]] inline float float_of_bf16(std::uint32_t bits) {
  return std::bit_cast<float>(bits << 16);
}

[[nodiscard]] inline float float_of_f16(std::uint32_t bits) {
  const std::uint32_t magnitude = (bits & 0x7fffu) << 13, sign = (bits & 0x8000u) << 16;
  // 2^112 moves the exponent's bias from 15 to 127, denormals included.
  const auto finite = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  const bool special = (bits & 0x7c00u) == 0x7c00u;
  return std::bit_cast<float>(sign | (special ? 0x7f800000u | magnitude : finite));
}

}  // namespace parhelion::emulation
