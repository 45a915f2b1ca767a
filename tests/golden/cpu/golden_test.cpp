// SPDX-License-Identifier: Apache-2.0
// Kernel IR -> text, byte for byte, and the text as clang-format would have it.
#include "support/golden.h"
#include "base/subprocess.h"
#include "emit/cpu/emitter.h"
#include "support/skip.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <vector>

namespace {

namespace fs = std::filesystem;
using namespace parhelion;

const fs::path folder = fs::path(PH_SOURCE_DIR) / "tests/golden/cpu";

std::vector<fs::path> cases() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".kir") found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

ir::kernel::Module parse(const fs::path& file) {
  auto module = ir::kernel::parse(test::read_text(file), file.filename().string());
  if (!module) FAIL(render_text(module.error()));
  const Diagnostics broken = ir::kernel::verify(*module);
  if (!broken.empty()) FAIL(render_text(broken));
  return *module;
}

std::string lines_of(const LineTable& table) {
  std::string text;
  for (const LineTable::Entry& e : table.entries) {
    text += std::to_string(e.line) + " " + e.file + ":" + std::to_string(e.user_line) + ":" +
            std::to_string(e.user_column) + "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("texts and line tables are the stored ones") {
  REQUIRE(cases().size() >= 2);
  for (const fs::path& file : cases()) {
    const emit::SourceText source = emit::cpu::print(parse(file));
    test::check_golden(fs::path(file).replace_extension(".cpp"), source.text);
    test::check_golden(fs::path(file).replace_extension(".lines"), lines_of(source.lines));
  }
}

TEST_CASE("the kernel IR of the goldens round-trips") {
  for (const fs::path& file : cases()) {
    const std::string once = ir::kernel::print(parse(file));
    const auto again = ir::kernel::parse(once, "printed");
    REQUIRE(again.has_value());
    CHECK(ir::kernel::print(*again) == once);
    // The text does not depend on ids, only on names and structure.
    CHECK(emit::cpu::print(*again).text == emit::cpu::print(parse(file)).text);
  }
}

TEST_CASE("clang-format changes nothing, and no line of code is over 100 columns") {
  if (!find_program("clang-format")) PH_SKIP("no clang-format on this machine");
  for (const fs::path& file : cases()) {
    Command command;
    command.arguments = {"clang-format",
                         "--style={BasedOnStyle: Google, ColumnLimit: 100, ReflowComments: false}"};
    command.input = emit::cpu::print(parse(file)).text;
    const auto formatted = run(command);
    REQUIRE(formatted.has_value());
    CHECK_MESSAGE(formatted->output == command.input, file.string());
  }
}
