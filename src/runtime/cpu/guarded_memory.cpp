// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/guarded_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace parhelion::runtime::cpu {

namespace {

// A NaN in every float format, so that a value read from a guard zone shows in the result.
constexpr std::byte pattern{0xff};
// The pattern is checked this far from the tensor: a stray store is rarely further than a vector
// strip away, and beyond lies the page that faults.
constexpr std::ptrdiff_t zone = 4096;

}  // namespace

GuardedMemory GuardedMemory::make(std::size_t bytes, Edge edge, std::size_t alignment,
                                  std::size_t misalign) {
  GuardedMemory memory;
  memory.region_ = PageRegion::make(bytes + alignment + misalign);
  if (!memory.region_.valid()) return memory;
  std::byte* begin = memory.region_.data();
  const std::size_t room = memory.region_.bytes() - bytes;
  std::size_t offset = misalign;
  if (edge == Edge::End) offset = (room - misalign) / alignment * alignment + misalign;
  memory.data_ = begin + offset;
  memory.bytes_ = bytes;
  std::memset(begin, static_cast<int>(pattern), offset);
  std::memset(memory.data_ + bytes, static_cast<int>(pattern), room - offset);
  return memory;
}

std::optional<std::string> GuardedMemory::damage() const {
  const std::byte* begin = region_.data();
  const std::byte* end = begin + region_.bytes();
  const auto hurt = [](const std::byte& b) { return b != pattern; };
  const std::byte* tail = data_ + bytes_;
  const std::byte* tail_end = tail + std::min(zone, end - tail);
  if (const auto* at = std::find_if(tail, tail_end, hurt); at != tail_end) {
    return fmt::format("byte {} behind the end was written", at - tail);
  }
  const std::byte* head = data_ - std::min(zone, data_ - begin);
  if (const auto* at = std::find_if(head, static_cast<const std::byte*>(data_), hurt);
      at != data_) {
    return fmt::format("byte {} before the start was written", data_ - at);
  }
  return std::nullopt;
}

}  // namespace parhelion::runtime::cpu
