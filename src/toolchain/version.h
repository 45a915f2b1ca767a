// SPDX-License-Identifier: Apache-2.0
// Versions of tools: "13.0.88", and requirements on them: ">=13.0,<13.6".
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace parhelion::toolchain {

/// Number by number; a missing part is 0, so 13 equals 13.0.
[[nodiscard]] std::strong_ordering compare_versions(std::string_view a, std::string_view b);

/// All parts of the requirement, separated by commas: >=, >, <=, <, ==, != and a version. A bare
/// version means its release line: "13.0" takes 13.0.88. Empty takes everything; nothing when the
/// requirement cannot be read.
[[nodiscard]] std::optional<bool> version_matches(std::string_view version,
                                                  std::string_view requirement);

/// The first word of dotted numbers ("release 13.0, V13.0.88" has 13.0); empty if none.
[[nodiscard]] std::string first_version(std::string_view text);

}  // namespace parhelion::toolchain
