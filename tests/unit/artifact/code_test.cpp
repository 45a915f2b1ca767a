// SPDX-License-Identifier: Apache-2.0
#include "artifact/code.h"
#include "artifact/cubin.h"
#include "artifact/elf.h"

#include <doctest/doctest.h>

#include <cstring>
#include <elf.h>
#include <string>
#include <utility>
#include <vector>

using namespace parhelion;

namespace {

struct Section {
  std::string name, content;
  std::uint64_t flags = 0;
};

/// An ELF file with these sections and nothing else.
std::vector<std::byte> elf(std::uint16_t machine, std::vector<Section> sections) {
  std::string names(1, '\0');
  sections.insert(sections.begin(), Section{});
  sections.push_back({".shstrtab", "", 0});
  std::vector<Elf64_Shdr> headers(sections.size());
  for (std::size_t i = 1; i < sections.size(); ++i) {
    headers[i].sh_name = static_cast<std::uint32_t>(names.size());
    names += sections[i].name + '\0';
  }
  sections.back().content = names;
  std::string body;
  for (std::size_t i = 1; i < sections.size(); ++i) {
    headers[i].sh_type = SHT_PROGBITS;
    headers[i].sh_flags = sections[i].flags;
    headers[i].sh_offset = sizeof(Elf64_Ehdr) + body.size();
    headers[i].sh_size = sections[i].content.size();
    body += sections[i].content;
  }
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_machine = machine;
  head.e_shoff = sizeof head + body.size();
  head.e_shnum = static_cast<std::uint16_t>(headers.size());
  head.e_shstrndx = static_cast<std::uint16_t>(headers.size() - 1);
  std::string image(reinterpret_cast<const char*>(&head), sizeof head);
  image += body;
  image.append(reinterpret_cast<const char*>(headers.data()), headers.size() * sizeof headers[0]);
  return artifact::as_bytes(image);
}

artifact::Artifact read(artifact::Kind kind, std::vector<std::byte> bytes) {
  artifact::Artifact a;
  a.kind = kind;
  a.bytes = std::move(bytes);
  REQUIRE(artifact::read_code(a));
  return a;
}

/// One attribute record of .nv.info with a symbol and a value.
std::string record(std::uint8_t attribute, std::uint32_t value) {
  const std::uint16_t size = 8;
  const std::uint32_t symbol = 13;
  std::string r = {4, static_cast<char>(attribute)};
  r.append(reinterpret_cast<const char*>(&size), sizeof size);
  r.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
  return r.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

TEST_CASE("the hash of a shared object is that of code and constants") {
  const auto make = [](const std::string& code, const std::string& constants,
                       const std::string& note) {
    return read(artifact::Kind::CpuSharedObject,
                elf(62, {{".text", code, SHF_EXECINSTR}, {".rodata.cst32", constants},
                         {".comment", note}}));
  };
  const auto a = make("\x90\x90", "abc", "g++"), b = make("\x90\x90", "abc", "clang");
  CHECK(a.code_hash == b.code_hash);
  CHECK(a.facts.code_bytes == 2);
  CHECK(make("\x90\x91", "abc", "g++").code_hash != a.code_hash);
  CHECK(make("\x90\x90", "abd", "g++").code_hash != a.code_hash);
}

TEST_CASE("the hash of a cubin leaves out the kernel's name, and takes in its registers") {
  const auto make = [](const std::string& name, std::uint32_t registers) {
    return read(artifact::Kind::Cubin,
                elf(190, {{".nv.info", record(0x2f, registers) + record(0x11, 64)},
                          {".nv.info." + name, "whatever"},
                          {".nv.constant0." + name, "params"},
                          {".text." + name, "instructions", SHF_EXECINSTR}}));
  };
  const auto a = make("softmax", 40);
  CHECK(a.facts.registers == 40);
  CHECK(a.facts.stack_bytes == 64);
  CHECK(a.facts.code_bytes == 12);
  CHECK_FALSE(a.facts.shared_bytes);
  CHECK(make("softmax_2", 40).code_hash == a.code_hash);
  CHECK(make("softmax", 48).code_hash != a.code_hash);
}

TEST_CASE("facts that a log told are kept") {
  artifact::Artifact a;
  a.kind = artifact::Kind::Cubin;
  a.bytes = elf(190, {{".nv.info", record(0x2f, 40)}});
  a.facts.registers = 32;
  REQUIRE(artifact::read_code(a));
  CHECK(a.facts.registers == 32);
}

TEST_CASE("records of other forms in .nv.info are stepped over") {
  const std::string value_only = {3, 0x1b, '\xff', 0};
  const std::string long_one = std::string({4, 0x17, 12, 0}) + std::string(12, 'x');
  const auto image = elf(190, {{".nv.info", value_only + long_one + record(0x2f, 24)}});
  const auto file = artifact::ElfFile::parse(image);
  REQUIRE(file);
  CHECK(artifact::cubin_resources(*file).registers == 24);
  const auto cut = elf(190, {{".nv.info", std::string({4, 0x2f, 8, 0, 1, 0})}});
  CHECK_FALSE(artifact::cubin_resources(*artifact::ElfFile::parse(cut)).registers);
}

TEST_CASE("comments of a PTX do not count") {
  const auto make = [](const std::string& text) {
    return read(artifact::Kind::Ptx, artifact::as_bytes(text)).code_hash;
  };
  const Hash hash = make("// made on Monday\n.version 9.0\n.target sm_90a\n\n  ret;\n");
  CHECK(make(".version 9.0\n.target sm_90a\nret; // made on Tuesday\n") == hash);
  CHECK(make(".version 9.0\n.target sm_90a\nexit;\n") != hash);
}

TEST_CASE("what is not machine code is refused: PH8203") {
  const auto refused = [](artifact::Kind kind, std::vector<std::byte> bytes) {
    artifact::Artifact a;
    a.kind = kind;
    a.bytes = std::move(bytes);
    const auto result = artifact::read_code(a);
    REQUIRE_FALSE(result);
    CHECK(result.error().front().code == 8203);
    return result.error().front().message;
  };
  CHECK(refused(artifact::Kind::CpuSharedObject, artifact::as_bytes("#!/bin/sh")) ==
        "not a machine code file that can be read: no ELF header");
  CHECK(refused(artifact::Kind::Cubin, elf(62, {})) ==
        "not machine code of a GPU: the file is for machine 62");
  CHECK(refused(artifact::Kind::Ptx, artifact::as_bytes("int main() {}")) ==
        "not a PTX text: it has no .version or no .target");
  auto cut = elf(62, {{".text", "code", SHF_EXECINSTR}});
  cut.resize(cut.size() - 1);
  CHECK(refused(artifact::Kind::CpuSharedObject, cut) ==
        "not a machine code file that can be read: the section table leaves the file");
}

TEST_CASE("no damage to an ELF file is worse than an error") {
  const auto good = elf(190, {{".nv.info", record(0x2f, 40)}, {".text.k", "code", SHF_EXECINSTR}});
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const int flip : {0x01, 0x80, 0xff}) {
      artifact::Artifact a;
      a.kind = artifact::Kind::Cubin;
      a.bytes = good;
      a.bytes[at] ^= static_cast<std::byte>(flip);
      (void)artifact::read_code(a);
    }
  }
}
