// SPDX-License-Identifier: Apache-2.0
// C++ text -> object by the compiler, object -> shared object by the linker itself: through the
// compiler driver the link alone would cost as much as the compilation.
#include "toolchain/choice.h"
#include "toolchain/link.h"
#include "toolchain/messages.h"
#include "toolchain/toolchain.h"

#include "artifact/code.h"
#include "base/diag.h"

#include <parhelion/target.h>

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::toolchain {

namespace {

struct CpuChoice {
  const Tool* compiler;
  const Tool* linker;
  std::vector<std::string> flags;
};

/// "avx512_bf16" of /proc/cpuinfo is -mavx512bf16, "amx_tile" -mamx-tile, "sse4_2" -msse4.2.
std::string feature_flag(std::string name) {
  const std::size_t at = name.find('_');
  if (at != std::string::npos) {
    if (name.starts_with("avx512")) name.erase(at, 1);
    else name[at] = name.starts_with("sse") ? '.' : '-';
  }
  return "-m" + name;
}

void add_once(std::vector<std::string>& flags, std::vector<std::string> more) {
  for (std::string& flag : more) {
    // "-mllvm" stands in front of each of its settings.
    if (flag != "-mllvm" && std::ranges::find(flags, flag) != flags.end()) continue;
    flags.push_back(std::move(flag));
  }
}

Result<const Tool*> choose_compiler(const Controls& controls, const Tools& tools) {
  const std::string_view version = controls.find("compiler", "version").value_or("");
  if (const auto asked = controls.find("compiler", "name")) {
    return need(*asked == "clang++" ? ToolKind::Clang : ToolKind::Gxx, tools, version);
  }
  if (tools.find(ToolKind::Gxx, version) == nullptr) {
    if (const Tool* clang = tools.find(ToolKind::Clang, version)) return clang;
  }
  return need(ToolKind::Gxx, tools, version);
}

Result<CpuChoice> choose(const CpuRequest& request, const Tools& tools) {
  if (auto checked = check_controls(request.controls, request.numerics, request.arch, tools);
      !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const auto compiler = choose_compiler(request.controls, tools);
  if (!compiler) return std::unexpected(compiler.error());
  const auto linker = need(ToolKind::Linker, tools);
  if (!linker) return std::unexpected(linker.error());
  CpuChoice choice{*compiler, *linker, request.required_flags};
  // errno is nobody's business here, and g++ would call libm for it.
  add_once(choice.flags, {"-march=" + request.arch, "-fPIC", "-fno-math-errno", "-fno-exceptions"});
  for (const std::string& feature : request.features) {
    add_once(choice.flags, {feature_flag(feature)});
  }
  add_once(choice.flags, flags_for(request.controls, name((*compiler)->kind)));
  return choice;
}

}  // namespace

Result<Json> Toolchain::cpu_origin(const CpuRequest& request) const {
  const Result<CpuChoice> choice = choose(request, tools_);
  if (!choice) return std::unexpected(choice.error());
  Json o = origin_of(artifact::name(artifact::Kind::CpuSharedObject), request.text, request.launch);
  o.set("compiler", to_json(*choice->compiler)).set("linker", to_json(*choice->linker));
  o.set("flags", flags_json(choice->flags));
  if (std::ranges::find(choice->flags, "-mtune=native") != choice->flags.end()) {
    o.set("host", host_cpu().brand);
  }
  return o;
}

Result<artifact::Artifact> Toolchain::compile_cpu(const CpuRequest& request) const {
  const Result<CpuChoice> choice = choose(request, tools_);
  if (!choice) return std::unexpected(choice.error());
  const Result<BuildFolder> folder = BuildFolder::make();
  if (!folder) return std::unexpected(folder.error());
  const std::string object = folder->file("kernel.o");
  Result<StepResult> compiled =
      run_step(*folder, compile_arguments(*choice->compiler, choice->flags, object), request.text,
               time_limit_);
  if (!compiled) return std::unexpected(std::move(compiled.error()));
  if (!compiled->ok) {
    return std::unexpected(Diagnostics{refused(tool_text(*choice->compiler), request.kernel,
                                               compiled->step.output, request.text,
                                               request.lines)});
  }
  artifact::Artifact made;
  made.kind = artifact::Kind::CpuSharedObject;
  made.kernel = request.kernel;
  made.arch = request.arch;
  made.features = request.features;
  made.launch = request.launch;
  made.text = request.text;
  made.lines = request.lines;
  made.facts.warnings = warnings_of(compiled->step.output);
  made.steps.push_back(std::move(compiled->step));
  if (auto linked = link_library(*folder, *choice->linker, {object}, {}, time_limit_, made);
      !linked) {
    return std::unexpected(std::move(linked.error()));
  }
  return made;
}

}  // namespace parhelion::toolchain
