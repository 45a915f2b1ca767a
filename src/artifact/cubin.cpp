// SPDX-License-Identifier: Apache-2.0
#include "artifact/cubin.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace parhelion::artifact {

namespace {

// Attribute records: format, attribute, then 16 bits that are the value or, for format 4, the
// number of bytes that follow. Named so by `cuobjdump --dump-elf`.
constexpr std::uint8_t format_sized = 0x04;
constexpr std::uint8_t attribute_frame_size = 0x11, attribute_register_count = 0x2f;

void keep_largest(std::optional<std::int64_t>& largest, std::uint32_t value) {
  largest = std::max(largest.value_or(0), static_cast<std::int64_t>(value));
}

}  // namespace

CubinResources cubin_resources(const ElfFile& cubin) {
  CubinResources found;
  const ElfSection* info = cubin.find(".nv.info");
  if (info == nullptr) return found;
  std::span<const std::byte> rest = info->bytes;
  while (rest.size() >= 4) {
    const auto format = static_cast<std::uint8_t>(rest[0]);
    const auto attribute = static_cast<std::uint8_t>(rest[1]);
    std::uint16_t size = 0;
    std::memcpy(&size, rest.data() + 2, sizeof size);
    rest = rest.subspan(4);
    if (format != format_sized) continue;
    if (size > rest.size()) break;
    if (size == 8) {  // symbol, value
      std::uint32_t value = 0;
      std::memcpy(&value, rest.data() + 4, sizeof value);
      if (attribute == attribute_register_count) keep_largest(found.registers, value);
      if (attribute == attribute_frame_size) keep_largest(found.stack_bytes, value);
    }
    rest = rest.subspan(size);
  }
  return found;
}

}  // namespace parhelion::artifact
