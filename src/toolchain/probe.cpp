// SPDX-License-Identifier: Apache-2.0
// Which settings an installed tool takes: by asking it, once.
#include "toolchain/choice.h"
#include "toolchain/nvrtc.h"
#include "toolchain/steps.h"
#include "toolchain/toolchain.h"

#include "base/text.h"

#include <algorithm>

namespace parhelion::toolchain {

namespace {

constexpr std::string_view smallest_ptx = ".version 7.8\n.target sm_80\n.address_size 64\n";

std::optional<ToolKind> kind_of(const Option& option) {
  for (const ToolRow& row : tool_rows()) {
    if (row.name == option.tool) return row.kind;
  }
  return std::nullopt;
}

Result<bool> ask_program(const Tool& tool, const std::vector<std::string>& flags,
                         std::chrono::milliseconds limit) {
  const Result<BuildFolder> folder = BuildFolder::make();
  if (!folder) return std::unexpected(folder.error());
  std::vector<std::string> arguments = {tool.path};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  std::string input;
  if (tool.kind == ToolKind::Ptxas) {
    const std::string source = folder->file("empty.ptx");
    if (auto written = write_file(source, smallest_ptx); !written) {
      return std::unexpected(written.error());
    }
    arguments.insert(arguments.end(), {"--gpu-name=sm_80", source});
  } else {
    // One function: an empty text would not reach the parts that some flags are for.
    // The level first, as compilations have it: -O0 knows one register allocator only.
    input = "extern \"C\" int f(int x) { return x + 1; }\n";
    arguments.insert(arguments.begin() + 1, "-O2");
    arguments.insert(arguments.end(), {"-x", "c++", "-c", "-"});
  }
  arguments.insert(arguments.end(), {"-o", folder->file("out")});
  const Result<StepResult> step = run_step(*folder, std::move(arguments), std::move(input), limit);
  if (step) return step->ok;
  // A tool that breaks down over a flag does not take it.
  if (step.error().front().code == 8102) return false;
  return std::unexpected(step.error());
}

}  // namespace

Result<bool> Toolchain::accepts(const Option& option, std::string_view value) const {
  if (!takes(option, value)) return false;
  const auto kind = kind_of(option);
  const std::vector<std::string> flags = spell(option, value);
  if (!kind || flags.empty()) return true;  // chooses among tools, or says nothing to one
  const auto tool = need(*kind, tools_);
  if (!tool) return std::unexpected(tool.error());
  const std::string question = "takes " + join(flags, " ");
  if (const auto known = memo_.find((*tool)->digest, question)) return *known == "yes";
  Result<bool> answer = false;
  if (*kind == ToolKind::Nvrtc) {
    const auto library = nvrtc();
    if (!library) return std::unexpected(library.error());
    answer = (*library)->compile("", "empty.cu", {}, flags).ok;
  } else {
    answer = ask_program(**tool, flags, time_limit_);
  }
  if (answer) memo_.keep((*tool)->digest, question, *answer ? "yes" : "no");
  return answer;
}

}  // namespace parhelion::toolchain
