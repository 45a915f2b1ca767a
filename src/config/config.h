// SPDX-License-Identifier: Apache-2.0
// Hashes and JSON of the public values of <parhelion/config.h>.
#pragma once

#include "base/hash.h"
#include "base/json.h"
#include "config/parameters.h"

#include <parhelion/config.h>

namespace parhelion::config {

using parhelion::Numerics;
using parhelion::NumericsOptions;

[[nodiscard]] Hash hash(const Config& config);
/// {"schema": 1, "block[a0]": 4, "order[l0]": [1, 0], ...}
[[nodiscard]] Json to_json(const Config& config);
[[nodiscard]] Result<Config> config_from_json(const Json& json);

/// Of what reaches the tools: settings and payload. Name, target and class are left out.
[[nodiscard]] Hash hash(const Controls& controls);
/// The tables of the TOML form as objects; tools in their order.
[[nodiscard]] Json to_json(const Controls& controls);
[[nodiscard]] Result<Controls> controls_from_json(const Json& json);

}  // namespace parhelion::config
