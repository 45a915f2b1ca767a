// SPDX-License-Identifier: Apache-2.0
// From controls to a tool and its flags; shared by the compilations.
#pragma once

#include "base/json.h"
#include "toolchain/request.h"
#include "toolchain/tools.h"

#include <string>
#include <string_view>
#include <vector>

namespace parhelion::toolchain {

/// Settings known and of values that they take, numerics within the class, made for this target.
[[nodiscard]] Result<void> check_controls(const Controls& controls, Numerics numerics,
                                          std::string_view arch, const Tools& tools);
/// PH8103 where there is none that meets the requirement.
[[nodiscard]] Result<const Tool*> need(ToolKind kind, const Tools& tools,
                                       std::string_view requirement = {});
/// Version and digest, for origins.
[[nodiscard]] Json to_json(const Tool& tool);
[[nodiscard]] Json flags_json(const std::vector<std::string>& flags);
/// What all origins of a kind begin with: schema, kind, hashes of text and launch facts. Line
/// tables and names are left out: they do not change the code.
[[nodiscard]] Json origin_of(std::string_view kind, std::string_view text,
                             const LaunchFacts& launch);

}  // namespace parhelion::toolchain
