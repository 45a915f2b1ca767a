// SPDX-License-Identifier: Apache-2.0
#include "artifact/code.h"

#include "artifact/cubin.h"
#include "artifact/elf.h"

#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <array>

namespace parhelion::artifact {

namespace {

bool is_part(std::string_view section, std::string_view family) {
  return section == family ||
         (starts_with(section, family) && section.size() > family.size() &&
          (section[family.size()] == '.' || (section[family.size()] >= '0' &&
                                             section[family.size()] <= '9')));
}

template <std::size_t N>
bool in_any(std::string_view section, const std::array<std::string_view, N>& families) {
  for (const std::string_view family : families) {
    if (is_part(section, family)) return true;
  }
  return false;
}

constexpr std::array<std::string_view, 3> cpu_code = {".text", ".rodata", ".data"};
constexpr std::array<std::string_view, 4> cubin_code = {".text", ".nv.constant", ".nv.shared",
                                                        ".nv.global"};

/// A cubin names its sections by the kernel; two kernels that differ in name only are one code.
std::string_view without_kernel(std::string_view section) {
  const std::size_t dot = section.find('.', section.starts_with(".nv.") ? 4 : 1);
  return section.substr(0, dot);
}

Result<void> read_elf(Artifact& artifact, bool cubin) {
  Result<ElfFile> file = ElfFile::parse(artifact.bytes);
  if (!file) return std::unexpected(std::move(file.error()));
  const std::uint16_t machine = cubin ? elf_machine_cuda : elf_machine_x86_64;
  if (file->machine() != machine) {
    return fail(8203, fmt::format("not machine code of {}: the file is for machine {}",
                                  cubin ? "a GPU" : "x86-64", file->machine()),
                {}, "compile it again");
  }
  Hasher hasher;
  std::int64_t code_bytes = 0;
  for (const ElfSection& s : file->sections()) {
    if (!(cubin ? in_any(s.name, cubin_code) : in_any(s.name, cpu_code))) continue;
    hasher.add(cubin ? without_kernel(s.name) : s.name).add(s.size).add(s.bytes);
    if (s.executable()) code_bytes += static_cast<std::int64_t>(s.size);
  }
  CodeFacts& facts = artifact.facts;
  facts.code_bytes = code_bytes;
  if (cubin) {
    const CubinResources resources = cubin_resources(*file);
    if (!facts.registers) facts.registers = resources.registers;
    if (!facts.stack_bytes) facts.stack_bytes = resources.stack_bytes;
    hasher.add(static_cast<std::uint64_t>(resources.registers.value_or(-1)));
  }
  artifact.code_hash = hasher.finish();
  return {};
}

Result<void> read_ptx(Artifact& artifact) {
  const std::string_view text = as_text(artifact.bytes);
  if (!text.contains(".version") || !text.contains(".target")) {
    return fail(8203, "not a PTX text: it has no .version or no .target", {}, "compile it again");
  }
  Hasher hasher;
  for (const std::string_view line : split(text, '\n')) {
    const std::string_view code = trim(line.substr(0, line.find("//")));
    if (!code.empty()) hasher.add(code);
  }
  artifact.code_hash = hasher.finish();
  return {};
}

}  // namespace

Result<void> read_code(Artifact& artifact) {
  switch (artifact.kind) {
    case Kind::CpuSharedObject:
    case Kind::EmulatedSharedObject: return read_elf(artifact, false);
    case Kind::Cubin: return read_elf(artifact, true);
    case Kind::Ptx: return read_ptx(artifact);
  }
  return {};
}

}  // namespace parhelion::artifact
