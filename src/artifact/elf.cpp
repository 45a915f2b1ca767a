// SPDX-License-Identifier: Apache-2.0
#include "artifact/elf.h"

#include "base/diag.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <optional>
#include <string>

namespace parhelion::artifact {

namespace {

using Bytes = std::span<const std::byte>;

/// A record at `offset`, copied: the image need not be aligned.
template <class T>
std::optional<T> record(Bytes image, std::uint64_t offset) {
  if (offset > image.size() || image.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, image.data() + offset, sizeof value);
  return value;
}

std::optional<Bytes> piece(Bytes image, std::uint64_t offset, std::uint64_t size) {
  if (offset > image.size() || image.size() - offset < size) return std::nullopt;
  return image.subspan(offset, size);
}

/// A NUL-terminated name; one that never ends is no name.
std::string_view name_at(Bytes table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view rest(reinterpret_cast<const char*>(table.data()) + offset,
                              table.size() - offset);
  const std::size_t end = rest.find('\0');
  return end == std::string_view::npos ? std::string_view() : rest.substr(0, end);
}

std::unexpected<Diagnostics> broken(const char* what) {
  return fail(8203, std::string("not a machine code file that can be read: ") + what, {},
              "compile it again");
}

}  // namespace

Result<ElfFile> ElfFile::parse(Bytes image) {
  const auto head = record<Elf64_Ehdr>(image, 0);
  if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0) return broken("no ELF header");
  if (head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_ident[EI_DATA] != ELFDATA2LSB) {
    return broken("not 64-bit little endian");
  }
  ElfFile file;
  file.machine_ = head->e_machine;
  std::vector<Elf64_Shdr> headers;
  for (std::uint64_t i = 0; i < head->e_shnum; ++i) {
    const auto header = record<Elf64_Shdr>(image, head->e_shoff + i * sizeof(Elf64_Shdr));
    if (!header) return broken("the section table leaves the file");
    headers.push_back(*header);
  }
  if (head->e_shstrndx >= headers.size()) return broken("no names of sections");
  const Elf64_Shdr& name_header = headers[head->e_shstrndx];
  const auto names = piece(image, name_header.sh_offset, name_header.sh_size);
  if (!names) return broken("the names of sections leave the file");
  for (const Elf64_Shdr& h : headers) {
    const bool empty = h.sh_type == SHT_NOBITS || h.sh_type == SHT_NULL;
    const auto bytes = empty ? Bytes{} : piece(image, h.sh_offset, h.sh_size);
    if (!bytes) return broken("a section leaves the file");
    file.sections_.push_back({name_at(*names, h.sh_name), h.sh_type, h.sh_link, h.sh_info,
                              h.sh_flags, h.sh_size, *bytes});
  }
  return file;
}

const ElfSection* ElfFile::find(std::string_view name) const {
  const auto it = std::ranges::find(sections_, name, &ElfSection::name);
  return it != sections_.end() ? &*it : nullptr;
}

std::vector<ElfSymbol> ElfFile::symbols() const {
  std::vector<ElfSymbol> symbols;
  const auto table = std::ranges::find(sections_, std::uint32_t{SHT_SYMTAB}, &ElfSection::type);
  if (table == sections_.end() || table->link >= sections_.size()) return symbols;
  const Bytes names = sections_[table->link].bytes;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->bytes.size();
       at += sizeof(Elf64_Sym)) {
    const auto s = record<Elf64_Sym>(table->bytes, at);
    symbols.push_back({name_at(names, s->st_name), s->st_shndx, s->st_size,
                       ELF64_ST_TYPE(s->st_info) == STT_FUNC});
  }
  return symbols;
}

}  // namespace parhelion::artifact
