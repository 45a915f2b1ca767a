// SPDX-License-Identifier: Apache-2.0
// PTX -> cubin. The log tells spills and warnings, the cubin registers and code.
#include "toolchain/choice.h"
#include "toolchain/control_file.h"
#include "toolchain/messages.h"
#include "toolchain/ptxas_log.h"
#include "toolchain/steps.h"
#include "toolchain/toolchain.h"

#include "artifact/code.h"
#include "base/diag.h"

#include <algorithm>

namespace parhelion::toolchain {

namespace {

struct CubinChoice {
  const Tool* ptxas;
  std::vector<std::string> flags, payload_flags;
};

Result<CubinChoice> choose(const artifact::Artifact& ptx, const Controls& controls,
                           const Tools& tools) {
  PH_ASSERT(ptx.kind == artifact::Kind::Ptx, "only a PTX can be assembled");
  // Numerics were checked for the text; no row of ptxas needs more than Bounded.
  if (auto checked = check_controls(controls, Numerics::Relaxed, ptx.arch, tools); !checked) {
    return std::unexpected(std::move(checked.error()));
  }
  const auto ptxas =
      need(ToolKind::Ptxas, tools, controls.find("ptxas", "version").value_or(""));
  if (!ptxas) return std::unexpected(ptxas.error());
  const auto payload = control_file_flags(controls, **ptxas);
  if (!payload) return std::unexpected(payload.error());
  CubinChoice choice{*ptxas, {"--gpu-name=" + ptx.arch}, *payload};
  std::ranges::move(flags_for(controls, "ptxas"), std::back_inserter(choice.flags));
  return choice;
}

}  // namespace

Result<Json> Toolchain::cubin_origin(const artifact::Artifact& ptx,
                                     const Controls& controls) const {
  const Result<CubinChoice> choice = choose(ptx, controls, tools_);
  if (!choice) return std::unexpected(choice.error());
  Json o = origin_of(artifact::name(artifact::Kind::Cubin), ptx.text, ptx.launch);
  o.set("ptx", hash_bytes(ptx.bytes).hex());
  o.set("compiler", to_json(*choice->ptxas)).set("flags", flags_json(choice->flags));
  if (controls.payload) o.set("payload", controls.payload->sha256);
  return o;
}

Result<artifact::Artifact> Toolchain::assemble(const artifact::Artifact& ptx,
                                               const Controls& controls) const {
  const Result<CubinChoice> choice = choose(ptx, controls, tools_);
  if (!choice) return std::unexpected(choice.error());
  const Result<BuildFolder> folder = BuildFolder::make();
  if (!folder) return std::unexpected(folder.error());
  const std::string source = folder->file("kernel.ptx"), cubin = folder->file("kernel.cubin");
  const std::string_view text = artifact::as_text(ptx.bytes);
  if (auto written = write_file(source, text); !written) return std::unexpected(written.error());
  std::vector<std::string> arguments = {choice->ptxas->path, "--verbose"};
  std::ranges::copy(choice->flags, std::back_inserter(arguments));
  std::ranges::copy(choice->payload_flags, std::back_inserter(arguments));
  for (const std::string& last : {source, std::string("-o"), cubin}) arguments.push_back(last);
  Result<StepResult> step = run_step(*folder, std::move(arguments), {}, time_limit_);
  if (!step) return std::unexpected(std::move(step.error()));
  if (!step->ok) {
    return std::unexpected(Diagnostics{
        refused(tool_text(*choice->ptxas), ptx.kernel, step->step.output, text, {})});
  }
  const Result<std::string> bytes = read_file(cubin);
  if (!bytes) return std::unexpected(bytes.error());
  artifact::Artifact made = ptx;
  made.kind = artifact::Kind::Cubin;
  made.bytes = artifact::as_bytes(*bytes);
  made.facts = parse_ptxas_log(step->step.output);
  made.steps.push_back(std::move(step->step));
  if (auto read = artifact::read_code(made); !read) return std::unexpected(read.error());
  return made;
}

}  // namespace parhelion::toolchain
