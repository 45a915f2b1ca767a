// SPDX-License-Identifier: Apache-2.0
// <pass>/<case>.ph -> <pass>/<case>.out, and what every pass promises.
#include "passes/tile/passes.h"
#include "support/golden.h"

#include <algorithm>
#include <functional>
#include <vector>

using namespace parhelion;
namespace fs = std::filesystem;

namespace {

using Pass = std::function<passes::Rewritten(const ir::Function&)>;
struct Row {
  const char* name;
  Pass run;
};

const Row rows[] = {
    {"fold", [](const ir::Function& f) { return passes::fold(f); }},
    {"fold_relaxed", [](const ir::Function& f) { return passes::fold(f, Numerics::Relaxed); }},
    {"cse", passes::cse},
    {"hoist_invariants", passes::hoist_invariants},
    {"sink_conversions", passes::sink_conversions},
    {"dce", passes::dce},
    {"source_order", passes::source_order},
    {"canonicalize", [](const ir::Function& f) { return passes::canonicalize(f); }},
};

std::vector<fs::path> cases(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".ph") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

void check_case(const Row& row, const fs::path& file) {
  CAPTURE(file.string());
  const auto parsed = ir::parse(test::read_text(file), file.filename().string());
  if (!parsed) FAIL(render_text(parsed.error()[0]));
  const ir::Function& before = parsed->front();
  const passes::Rewritten after = row.run(before);
  const Diagnostics broken = ir::verify(after.function);
  if (!broken.empty()) FAIL(render_text(broken[0]) << ir::print(after.function, false));
  fs::path out = file;
  // source_order is about columns: its goldens show them.
  const std::string text = ir::print(after.function, std::string_view(row.name) == "source_order");
  test::check_golden(out.replace_extension(".out"), text);
  CHECK(after.changed == (ir::print(before) != ir::print(after.function)));
  const passes::Rewritten again = row.run(after.function);
  CHECK_FALSE(again.changed);
  CHECK(ir::print(again.function) == ir::print(after.function));
}

}  // namespace

TEST_CASE("text in, pass, text out; idempotent; truthful about changes") {
  const fs::path folder = fs::path(PH_SOURCE_DIR) / "tests/golden/tile_passes";
  for (const Row& row : rows) {
    CAPTURE(row.name);
    const std::vector<fs::path> files = cases(folder / row.name);
    CHECK_FALSE(files.empty());
    for (const fs::path& file : files) check_case(row, file);
  }
}
