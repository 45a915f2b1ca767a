// SPDX-License-Identifier: Apache-2.0
// The documented settings of the compilers underneath: one table, whose order is the canonical
// order of Controls. A new setting is a new row; tests and search pick it up from here.
#pragma once

#include <parhelion/config.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::toolchain {

struct Option {
  std::string_view tool, key;   // as in Controls
  std::string_view values;      // "on|off", "one|mixed|all", "0..10", "text"
  std::string_view usual;       // the value that saying nothing means; empty: none
  std::string_view spelling;    // of a value; {} stands for it; several flags by spaces
  std::string_view off;         // of "off", for switches
  Numerics numerics;            // class that any value but the usual one needs
  bool searched;                // whether a search proposes it by itself
  std::string_view effect;      // for people
};

[[nodiscard]] std::span<const Option> options();
[[nodiscard]] const Option* find_option(std::string_view tool, std::string_view key);
/// "g++.opt-level", ... in the order of the table, for Controls::ordered.
[[nodiscard]] std::vector<std::string> option_order();

/// The values of a row that can be listed; a range gives all of its numbers, a text none.
[[nodiscard]] std::vector<std::string> values_of(const Option& option);
[[nodiscard]] bool takes(const Option& option, std::string_view value);
/// The flags of one setting.
[[nodiscard]] std::vector<std::string> spell(const Option& option, std::string_view value);

/// Whether every setting is in the table and takes its value: PH8104, PH8105.
[[nodiscard]] Result<void> check_settings(const Controls& controls);
/// The class that these settings need.
[[nodiscard]] Numerics numerics_of(const Controls& controls);
/// The same kernel said once: the settings of these tools only, in canonical order, without those
/// that repeat the usual value. Settings that check_settings refuses stay, at the end.
[[nodiscard]] Controls canonical(const Controls& controls, std::span<const std::string_view> tools);
/// Flags for one tool in canonical order, the usual ones included where they must be said.
[[nodiscard]] std::vector<std::string> flags_for(const Controls& controls, std::string_view tool);

}  // namespace parhelion::toolchain
