// SPDX-License-Identifier: Apache-2.0
#include "layout/swizzle.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>

namespace parhelion::layout {

int Swizzle::bits() const {
  return width == 0 ? 0 : std::countr_zero(static_cast<unsigned>(width)) - 4;
}

int Swizzle::period() const { return 128 << bits(); }

std::uint32_t Swizzle::apply(std::uint32_t address) const {
  const std::uint32_t mask = (1u << bits()) - 1;
  return address ^ ((address >> 7 & mask) << 4);
}

int wavefronts(std::span<const std::uint32_t> addresses, int bytes) {
  const std::size_t group = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  int total = 0;
  for (std::size_t first = 0; first < addresses.size(); first += group) {
    std::array<std::set<std::uint32_t>, 32> words;
    const std::size_t last = std::min(first + group, addresses.size());
    for (std::size_t i = first; i < last; ++i) {
      for (int b = 0; b < bytes; b += 4) {
        const std::uint32_t word = (addresses[i] + static_cast<std::uint32_t>(b)) / 4;
        words[word % 32].insert(word);
      }
    }
    std::size_t most = 0;
    for (const auto& bank : words) most = std::max(most, bank.size());
    total += static_cast<int>(most);
  }
  return total;
}

}  // namespace parhelion::layout
