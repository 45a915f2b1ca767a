// SPDX-License-Identifier: Apache-2.0
// Shared-memory addresses: the XOR swizzle that TMA, wgmma and our cp.async tiles share, and the
// counter of wavefronts (bank conflicts) of an access.
#pragma once

#include <cstdint>
#include <span>

#include "layout/linear_layout.h"

namespace parhelion::layout {

/// XORs address bits 7.. into bits 4.. : `width` 32, 64 or 128 bytes, or 0 for none.
/// The address is absolute: a tile at any multiple of 128 bytes is right.
struct Swizzle {
  int width = 0;
  [[nodiscard]] int bits() const;    // 0, 1, 2, 3
  [[nodiscard]] int period() const;  // bytes after which the pattern repeats
  [[nodiscard]] std::uint32_t apply(std::uint32_t address) const;
  bool operator==(const Swizzle&) const = default;
};

/// Byte address of one lane's access, by lane.
/// Lanes go in groups of 32 (<= 4 bytes), 16 (8), 8 (16); a group takes as many wavefronts as the
/// largest number of distinct words in one of 32 banks. Broadcast reads can be cheaper: an upper
/// bound there.
[[nodiscard]] int wavefronts(std::span<const std::uint32_t> addresses, int bytes);

}  // namespace parhelion::layout
