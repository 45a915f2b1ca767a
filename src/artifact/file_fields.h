// SPDX-License-Identifier: Apache-2.0
// The parts of an artifact as JSON and back. Reading fails as a whole: nothing is half read.
#pragma once

#include "artifact/artifact.h"
#include "base/json.h"

#include <optional>

namespace parhelion::artifact {

[[nodiscard]] Json to_json(const LaunchFacts& launch);
[[nodiscard]] std::optional<LaunchFacts> launch_from(const Json& json);

[[nodiscard]] Json to_json(const CodeFacts& facts);
[[nodiscard]] std::optional<CodeFacts> facts_from(const Json& json);

[[nodiscard]] Json to_json(const LineTable& lines);
[[nodiscard]] std::optional<LineTable> lines_from(const Json& json);

[[nodiscard]] Json to_json(const std::vector<BuildStep>& steps);
[[nodiscard]] std::optional<std::vector<BuildStep>> steps_from(const Json& json);

[[nodiscard]] Json to_json(const std::vector<std::string>& texts);
[[nodiscard]] std::optional<std::vector<std::string>> texts_from(const Json& json);

}  // namespace parhelion::artifact
