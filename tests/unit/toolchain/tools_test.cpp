// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include "base/subprocess.h"
#include "toolchain/version.h"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sys/stat.h>

using namespace parhelion;
using namespace parhelion::toolchain;
using toolchain_test::has;
using toolchain_test::machine;

namespace {

/// A program that answers --version with this, and counts how often it was asked.
void make_program(const fs::path& path, const std::string& version) {
  std::ofstream(path) << "#!/bin/sh\necho asked >> '" << path.string() << ".count'\necho 'tool "
                      << version << "'\n";
  ::chmod(path.c_str(), 0755);
}

std::size_t times_asked(const fs::path& path) {
  const auto count = read_file(path.string() + ".count");
  return count ? static_cast<std::size_t>(std::ranges::count(*count, '\n')) : 0;
}

ToolPlaces only(const fs::path& folder) { return {{folder}, {folder}}; }

}  // namespace

TEST_CASE("every kind has its row") {
  CHECK(tool_rows().size() == tool_kind_count);
  for (int i = 0; i < tool_kind_count; ++i) {
    const auto kind = static_cast<ToolKind>(i);
    const ToolRow& row = tool_rows()[static_cast<std::size_t>(i)];
    CHECK(row.kind == kind);
    CHECK(name(kind) == row.name);
    CHECK_FALSE(row.brings.empty());
    CHECK_FALSE(row.install.empty());
  }
}

TEST_CASE("a machine with nothing: every kind is missing, with what it would bring: PH8103") {
  const TemporaryDirectory folder("parhelion-tools");
  const Toolchain toolchain({}, only(folder.path()));
  CHECK(toolchain.tools().found.empty());
  CHECK(toolchain.tools().missing.size() == tool_kind_count);
  CpuRequest cpu;
  cpu.text = "int x;";
  const auto compiled = toolchain.compile_cpu(cpu);
  REQUIRE_FALSE(compiled);
  CHECK(compiled.error().front().code == 8103);
  CHECK(compiled.error().front().message ==
        "no g++, which is needed for compiling kernels for the CPU, and running CUDA texts without "
        "a GPU: it is not installed");
  CHECK(compiled.error().front().help == "apt install g++");
  CHECK(toolchain.compile_ptx({}).error().front().code == 8103);
  CHECK(toolchain.compile_recipe({}).error().front().code == 8103);
  artifact::Artifact ptx;
  ptx.kind = artifact::Kind::Ptx;
  CHECK(toolchain.assemble(ptx, {}).error().front().code == 8103);
  CHECK(toolchain.cpu_origin(cpu).error().front().code == 8103);
}

TEST_CASE("versions: asked once, too old ones named, the newest clang first, plain g++ first") {
  const TemporaryDirectory folder("parhelion-tools");
  const fs::path memo_file = folder.path() / "memo.json";
  make_program(folder.path() / "g++", "12.2.0");
  make_program(folder.path() / "g++-13", "13.1.0");
  make_program(folder.path() / "clang++", "14.0.6");
  make_program(folder.path() / "clang++-19", "19.1.7");
  make_program(folder.path() / "clang++-20", "20.1.0");
  make_program(folder.path() / "ptxas", "11.8.0");
  fs::create_symlink("clang++-20", folder.path() / "clang++-21");  // the same tool again
  for (int i = 0; i < 2; ++i) {
    ToolMemo memo(memo_file);
    const Tools tools = find_tools(memo, only(folder.path()));
    CHECK(tools.find(ToolKind::Gxx)->version == "12.2.0");
    CHECK(tools.find(ToolKind::Gxx, ">=13")->version == "13.1.0");
    CHECK(tools.find(ToolKind::Clang)->version == "20.1.0");
    CHECK(tools.find(ToolKind::Clang, "19")->version == "19.1.7");
    CHECK(tools.find(ToolKind::Clang, "14") == nullptr);
    CHECK(std::ranges::count(tools.found, ToolKind::Clang, &Tool::kind) == 2);
    const auto old = std::ranges::find(tools.missing, ToolKind::Ptxas, &MissingTool::kind);
    REQUIRE(old != tools.missing.end());
    CHECK(old->reason == fmt::format("{} is version 11.8.0; 12.0 or newer is needed",
                                     (folder.path() / "ptxas").string()));
    const auto missing = missing_tool(ToolKind::Clang, tools, "18");
    CHECK(missing.error().front().message == "no clang++ 18: version 20.1.0 is installed");
  }
  CHECK(times_asked(folder.path() / "g++") == 1);
  // A changed program is another tool.
  const Hash before = [&] {
    ToolMemo memo(memo_file);
    return find_tools(memo, only(folder.path())).find(ToolKind::Gxx)->digest;
  }();
  make_program(folder.path() / "g++", "12.3.0, patched");
  ToolMemo memo(memo_file);
  const Tools tools = find_tools(memo, only(folder.path()));
  CHECK(tools.find(ToolKind::Gxx)->version == "12.3.0");
  CHECK(tools.find(ToolKind::Gxx)->digest != before);
}

TEST_CASE("a memo that cannot be read or written only costs time") {
  const TemporaryDirectory folder("parhelion-tools");
  const fs::path file = folder.path() / "memo.json";
  for (const char* content : {"", "not json", "{\"schema\": 99}", "{\"schema\": 1, \"tools\": 3}",
                              "{\"schema\": 1, \"tools\": {\"00\": 7}}"}) {
    REQUIRE(write_file(file, content));
    ToolMemo memo(file);
    CHECK_FALSE(memo.find(Hash{1, 2}, "version"));
    memo.keep(Hash{1, 2}, "version", "3");
    memo.save();
    CHECK(ToolMemo(file).find(Hash{1, 2}, "version") == "3");
  }
  ToolMemo nowhere(file / "below" / "a" / "file");
  nowhere.keep(Hash{1, 2}, "version", "3");
  nowhere.save();
  CHECK(nowhere.find(Hash{1, 2}, "version") == "3");
}

TEST_CASE("two memos on one file keep each other's answers") {
  const TemporaryDirectory folder("parhelion-tools");
  const fs::path file = folder.path() / "memo.json";
  ToolMemo a(file), b(file);
  a.keep(Hash{1, 1}, "q", "a");
  b.keep(Hash{2, 2}, "q", "b");
  a.save();
  b.save();
  const ToolMemo both(file);
  CHECK(both.find(Hash{1, 1}, "q") == "a");
  CHECK(both.find(Hash{2, 2}, "q") == "b");
}

TEST_CASE("the tools of this machine") {
  for (const Tool& tool : machine().tools().found) {
    CHECK_FALSE(tool.path.empty());
    CHECK_FALSE(tool.version.empty());
    CHECK(tool.digest != Hash{});
  }
}

TEST_CASE("controls made for something else: PH8108") {
  const Tools tools{{{ToolKind::Ptxas, "/p/ptxas", "13.0.88", {}}}, {}};
  Controls c;
  c.target = {.arch = "sm_90a", .tool = "ptxas", .version = ">=13.0,<13.6"};
  CHECK(check_target(c, "sm_90a", tools));
  const auto message = [&](std::string_view arch) {
    const auto checked = check_target(c, arch, tools);
    REQUIRE_FALSE(checked);
    CHECK(checked.error().front().code == 8108);
    return checked.error().front().message;
  };
  CHECK(message("sm_80") == "the controls were made for sm_90a, not for sm_80");
  c.target.version = ">=13.3";
  CHECK(message("sm_90a") == "the controls want ptxas >=13.3; 13.0.88 is installed");
  c.target.version = "latest";
  CHECK(message("sm_90a") == "the controls want ptxas 'latest', which is no version");
  c.target = {.arch = "", .tool = "nvlink", .version = ""};
  CHECK(message("sm_90a") == "the controls are for a tool 'nvlink', which is not known");
  c.target = {.arch = "", .tool = "clang++", .version = ""};
  CHECK(message("sm_90a") == "the controls want clang++ ; none is installed");
}
