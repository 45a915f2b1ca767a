// SPDX-License-Identifier: Apache-2.0
// Sections and symbols of a 64-bit little-endian ELF file: shared objects and cubins.
#pragma once

#include <parhelion/diagnostic.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace parhelion::artifact {

inline constexpr std::uint16_t elf_machine_x86_64 = 62, elf_machine_cuda = 190;

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0, link = 0, info = 0;
  std::uint64_t flags = 0, size = 0;      // size is that in memory: a section may have no bytes
  std::span<const std::byte> bytes;
  [[nodiscard]] bool executable() const { return (flags & 4) != 0; }
};

struct ElfSymbol {
  std::string_view name;
  std::uint16_t section = 0;
  std::uint64_t size = 0;
  bool function = false;
};

/// Views into the image, which must outlive it.
class ElfFile {
 public:
  [[nodiscard]] static Result<ElfFile> parse(std::span<const std::byte> image);  // PH8203
  [[nodiscard]] std::uint16_t machine() const { return machine_; }
  [[nodiscard]] std::span<const ElfSection> sections() const { return sections_; }
  [[nodiscard]] const ElfSection* find(std::string_view name) const;
  /// Of .symtab, in order; empty when stripped.
  [[nodiscard]] std::vector<ElfSymbol> symbols() const;

 private:
  std::uint16_t machine_ = 0;
  std::vector<ElfSection> sections_;
};

}  // namespace parhelion::artifact
