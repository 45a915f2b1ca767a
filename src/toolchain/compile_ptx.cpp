// SPDX-License-Identifier: Apache-2.0
// CUDA C++ -> PTX: by NVRTC in this process, or by nvcc where there is none.
#include "toolchain/choice.h"
#include "toolchain/messages.h"
#include "toolchain/nvrtc.h"
#include "toolchain/steps.h"
#include "toolchain/toolchain.h"

#include "artifact/code.h"
#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::toolchain {

namespace {

struct PtxChoice {
  const Tool* tool;
  std::vector<std::string> flags;
};

Result<PtxChoice> choose(const CudaRequest& request, const Tools& tools) {
  if (auto checked = check_controls(request.controls, request.numerics, request.arch, tools);
      !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const Tool* tool = tools.find(ToolKind::Nvrtc);
  if (tool == nullptr) tool = tools.find(ToolKind::Nvcc);
  if (tool == nullptr) return missing_tool(ToolKind::Nvrtc, tools);
  std::string virtual_arch = request.arch;
  if (virtual_arch.starts_with("sm_")) virtual_arch.replace(0, 3, "compute_");
  PtxChoice choice{tool, {"--gpu-architecture=" + virtual_arch, "--std=c++20"}};
  // nvcc spells these as NVRTC does.
  std::ranges::move(flags_for(request.controls, "nvrtc"), std::back_inserter(choice.flags));
  return choice;
}

std::unexpected<Diagnostics> refused_text(const CudaRequest& request, const Tool& tool,
                                          std::string_view log) {
  return std::unexpected(
      Diagnostics{refused(tool_text(tool), request.kernel, log, request.text, request.lines)});
}

Result<artifact::Artifact> by_nvrtc(const CudaRequest& request, const PtxChoice& choice,
                                    const Nvrtc& nvrtc) {
  const std::string file = request.kernel + ".cu";
  Nvrtc::Output out = nvrtc.compile(request.text, file, request.headers, choice.flags);
  if (!out.ok) return refused_text(request, *choice.tool, out.log);
  artifact::Artifact made;
  made.bytes = artifact::as_bytes(out.ptx);
  made.facts.warnings = warnings_of(out.log);
  made.steps.push_back(
      {fmt::format("nvrtc {} {}", join(choice.flags, " "), file), out.log, out.wall_s});
  return made;
}

Result<artifact::Artifact> by_nvcc(const CudaRequest& request, const PtxChoice& choice,
                                   std::chrono::milliseconds limit) {
  const Result<BuildFolder> folder = BuildFolder::make();
  if (!folder) return std::unexpected(folder.error());
  for (const HeaderText& header : request.headers) {
    if (auto written = write_file(folder->file(header.name), header.text); !written) {
      return std::unexpected(written.error());
    }
  }
  const std::string text = folder->file("kernel.cu"), ptx = folder->file("kernel.ptx");
  if (auto written = write_file(text, request.text); !written) {
    return std::unexpected(written.error());
  }
  std::vector<std::string> arguments = {choice.tool->path, "--ptx"};
  std::ranges::copy(choice.flags, std::back_inserter(arguments));
  for (const std::string& last : {text, std::string("-o"), ptx}) arguments.push_back(last);
  Result<StepResult> step = run_step(*folder, std::move(arguments), {}, limit);
  if (!step) return std::unexpected(std::move(step.error()));
  if (!step->ok) return refused_text(request, *choice.tool, step->step.output);
  const Result<std::string> bytes = read_file(ptx);
  if (!bytes) return std::unexpected(bytes.error());
  artifact::Artifact made;
  made.bytes = artifact::as_bytes(*bytes);
  made.facts.warnings = warnings_of(step->step.output);
  made.steps.push_back(std::move(step->step));
  return made;
}

}  // namespace

Result<Json> Toolchain::ptx_origin(const CudaRequest& request) const {
  const Result<PtxChoice> choice = choose(request, tools_);
  if (!choice) return std::unexpected(choice.error());
  Json o = origin_of(artifact::name(artifact::Kind::Ptx), request.text, request.launch);
  o.set("compiler", to_json(*choice->tool)).set("flags", flags_json(choice->flags));
  Json headers = Json::object();
  for (const HeaderText& h : request.headers) headers.set(h.name, hash_text(h.text).hex());
  return o.set("headers", std::move(headers));
}

Result<artifact::Artifact> Toolchain::compile_ptx(const CudaRequest& request) const {
  const Result<PtxChoice> choice = choose(request, tools_);
  if (!choice) return std::unexpected(choice.error());
  Result<artifact::Artifact> made = std::unexpected(Diagnostics{});
  if (choice->tool->kind == ToolKind::Nvrtc) {
    const auto library = nvrtc();
    if (!library) return std::unexpected(library.error());
    made = by_nvrtc(request, *choice, **library);
  } else {
    made = by_nvcc(request, *choice, time_limit_);
  }
  if (!made) return made;
  made->kind = artifact::Kind::Ptx;
  made->kernel = request.kernel;
  made->arch = request.arch;
  made->launch = request.launch;
  made->text = request.text;
  made->lines = request.lines;
  if (auto read = artifact::read_code(*made); !read) return std::unexpected(read.error());
  return made;
}

}  // namespace parhelion::toolchain
