// SPDX-License-Identifier: Apache-2.0
#include "toolchain/choice.h"

#include "artifact/file_fields.h"
#include "toolchain/options.h"
#include "toolchain/toolchain.h"
#include "toolchain/version.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::toolchain {

namespace {

/// Counted up when the way from a request to an artifact changes.
constexpr int origin_schema = 1;

const ToolRow* row_named(std::string_view tool) {
  const auto row = std::ranges::find(tool_rows(), tool, &ToolRow::name);
  return row != tool_rows().end() ? &*row : nullptr;
}

}  // namespace

Result<void> check_target(const Controls& controls, std::string_view arch, const Tools& tools) {
  const config::ControlsTarget& target = controls.target;
  if (!target.arch.empty() && target.arch != arch) {
    return fail(8108, fmt::format("the controls were made for {}, not for {}", target.arch, arch),
                {}, "use controls of this architecture");
  }
  if (target.tool.empty()) return {};
  const ToolRow* row = row_named(target.tool);
  if (row == nullptr) {
    return fail(8108, fmt::format("the controls are for a tool '{}', which is not known",
                                  target.tool),
                {}, "name one of the tools that `doctor` lists");
  }
  const Tool* any = tools.find(row->kind);
  if (any != nullptr && !version_matches(any->version, target.version)) {
    return fail(8108, fmt::format("the controls want {} '{}', which is no version", target.tool,
                                  target.version),
                {}, "write it like >=13.0,<13.6");
  }
  if (tools.find(row->kind, target.version) != nullptr) return {};
  return fail(8108, fmt::format("the controls want {} {}; {} is installed", target.tool,
                                target.version, any != nullptr ? any->version : "none"),
              {}, "install that version, or use other controls");
}

Result<void> check_controls(const Controls& controls, Numerics numerics, std::string_view arch,
                            const Tools& tools) {
  if (auto checked = check_settings(controls); !checked) return checked;
  if (const Numerics needed = numerics_of(controls); needed > numerics) {
    return fail(8107, fmt::format("the settings need the numerics class {}; {} is asked for",
                                  name(needed), name(numerics)),
                {}, fmt::format("ask for {}, or leave out the settings that change numbers",
                                name(needed)));
  }
  return check_target(controls, arch, tools);
}

Result<const Tool*> need(ToolKind kind, const Tools& tools, std::string_view requirement) {
  const Tool* tool = tools.find(kind, requirement);
  if (tool == nullptr) return missing_tool(kind, tools, requirement);
  return tool;
}

Json to_json(const Tool& tool) {
  Json o = Json::object();
  o.set("name", name(tool.kind)).set("version", tool.version).set("digest", tool.digest.hex());
  return o;
}

Json flags_json(const std::vector<std::string>& flags) { return artifact::to_json(flags); }

Json origin_of(std::string_view kind, std::string_view text, const LaunchFacts& launch) {
  Json o = Json::object();
  o.set("schema", origin_schema).set("kind", kind).set("text", hash_text(text).hex());
  o.set("launch", hash_text(artifact::to_json(launch).dump()).hex());
  return o;
}

}  // namespace parhelion::toolchain
