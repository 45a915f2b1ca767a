// SPDX-License-Identifier: Apache-2.0
#include "emulation/library_image.h"

#include "base/files.h"
#include "base/subprocess.h"
#include "base/text.h"

#include <fmt/format.h>

#include <dlfcn.h>
#include <elf.h>
#include <cctype>
#include <cstring>

namespace parhelion::emulation {

namespace {

template <class T>
T read(std::string_view bytes, std::size_t at) {
  T value{};
  if (at + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

/// A shared variable of the kernel is a function's static: "warp_part.0" for extern "C" kernels,
/// "_ZZ..E9warp_part" in a C++ function.
std::string plain_name(std::string_view symbol) {
  if (symbol.starts_with("_ZZ")) {
    const std::size_t e = symbol.rfind('E');
    std::size_t at = e + 1;
    while (at < symbol.size() && std::isdigit(static_cast<unsigned char>(symbol[at]))) ++at;
    symbol.remove_prefix(at);
  }
  return std::string(symbol.substr(0, symbol.find('.')));
}

}  // namespace

LibraryImage::LibraryImage(const unsigned char* image) {
  Dl_info found{};
  if (dladdr(image, &found) != 0 && found.dli_fname != nullptr) path_ = found.dli_fname;
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    std::memcpy(&segment, image + header.e_phoff + static_cast<std::size_t>(i) * header.e_phentsize,
                sizeof(segment));
    if (segment.p_type == PT_TLS) shared_bytes_ = static_cast<u32>(segment.p_memsz);
  }
}

void LibraryImage::read_variables() {
  variables_read_ = true;
  const Result<std::string> file = read_file(path_);
  if (!file) return;
  const std::string_view bytes = *file;
  const auto header = read<Elf64_Ehdr>(bytes, 0);
  const auto section = [&](std::size_t i) {
    return read<Elf64_Shdr>(bytes, header.e_shoff + i * header.e_shentsize);
  };
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const Elf64_Shdr table = section(i);
    if (table.sh_type != SHT_SYMTAB) continue;
    const Elf64_Shdr strings = section(table.sh_link);
    for (std::size_t at = 0; at < table.sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = read<Elf64_Sym>(bytes, table.sh_offset + at);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS || symbol.st_size == 0) continue;
      const std::size_t start = strings.sh_offset + symbol.st_name;
      if (start >= bytes.size()) continue;
      const std::string_view name = bytes.substr(start, bytes.find('\0', start) - start);
      variables_.push_back(
          {static_cast<u32>(symbol.st_value), static_cast<u32>(symbol.st_size), plain_name(name)});
    }
  }
}

const std::string& LibraryImage::shared_name(u32 offset) {
  if (!variables_read_) read_variables();
  std::string& name = names_[offset];
  if (!name.empty()) return name;
  for (const Variable& v : variables_) {
    if (offset - v.offset < v.bytes) {
      name = fmt::format("{}+{}", v.name, offset - v.offset);
      return name;
    }
  }
  name = fmt::format("shared address {}", offset);
  return name;
}

std::map<Place, int> LibraryImage::lines(std::span<const Place> places) const {
  std::map<Place, int> found;
  Command command;
  command.arguments = {"addr2line", "-e", path_};
  std::vector<Place> asked;
  for (const Place place : places) {
    if ((place & code_place) == 0) {
      found[place] = static_cast<int>(place);
    } else if (found.emplace(place, 0).second) {
      command.arguments.push_back(fmt::format("{:#x}", place & ~code_place));
      asked.push_back(place);
    }
  }
  if (asked.empty()) return found;
  const Result<Finished> answer = run(command);
  if (!answer || !answer->ok()) return found;
  const auto rows = split(answer->output, '\n');
  for (std::size_t i = 0; i < asked.size() && i < rows.size(); ++i) {
    const std::string_view after = rows[i].substr(rows[i].rfind(':') + 1);
    found[asked[i]] = static_cast<int>(parse_integer(after.substr(0, after.find(' '))).value_or(0));
  }
  return found;
}

}  // namespace parhelion::emulation
