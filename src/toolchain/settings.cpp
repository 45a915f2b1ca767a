// SPDX-License-Identifier: Apache-2.0
#include "toolchain/options.h"

#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::toolchain {

namespace {

struct Range {
  std::int64_t first, last;
};

std::optional<Range> range_of(const Option& option) {
  const std::size_t dots = option.values.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  return Range{*parse_integer(option.values.substr(0, dots)),
               *parse_integer(option.values.substr(dots + 2))};
}

bool is_free_text(const Option& option) { return option.values == "text"; }

/// Flags that are said even where Controls say nothing: the tool's own default is another.
bool always_said(const Option& option) {
  return option.key == "opt-level" || (option.tool == "nvrtc" && option.key == "fmad") ||
         (option.key == "fp-contract");
}

std::unexpected<Diagnostics> unknown_setting(const config::Setting& setting) {
  std::vector<std::string> keys, tools;
  for (const Option& o : options()) {
    if (o.tool == setting.tool) keys.emplace_back(o.key);
    if (std::ranges::find(tools, o.tool) == tools.end()) tools.emplace_back(o.tool);
  }
  if (keys.empty()) {
    const auto near = close_match(setting.tool, tools);
    return fail(8104, fmt::format("'{}' is no tool with settings", setting.tool), {},
                near ? fmt::format("did you mean {}?", *near)
                     : fmt::format("one of {}", join(tools, ", ")));
  }
  const auto near = close_match(setting.key, keys);
  return fail(8104, fmt::format("{} has no setting '{}'", setting.tool, setting.key), {},
              near ? fmt::format("did you mean {}?", *near)
                   : fmt::format("one of {}", join(keys, ", ")));
}

std::unexpected<Diagnostics> wrong_value(const Option& option, std::string_view value) {
  std::string values(option.values);
  std::ranges::replace(values, '|', ' ');
  return fail(8105, fmt::format("{} {} does not take '{}'", option.tool, option.key, value), {},
              fmt::format("it takes {}", values));
}

}  // namespace

const Option* find_option(std::string_view tool, std::string_view key) {
  for (const Option& option : options()) {
    if (option.tool == tool && option.key == key) return &option;
  }
  return nullptr;
}

std::vector<std::string> option_order() {
  std::vector<std::string> order;
  for (const Option& o : options()) order.push_back(fmt::format("{}.{}", o.tool, o.key));
  return order;
}

std::vector<std::string> values_of(const Option& option) {
  std::vector<std::string> values;
  if (is_free_text(option)) return values;
  if (const auto range = range_of(option)) {
    for (std::int64_t v = range->first; v <= range->last; ++v) values.push_back(std::to_string(v));
    return values;
  }
  for (const std::string_view v : split(option.values, '|')) values.emplace_back(v);
  return values;
}

bool takes(const Option& option, std::string_view value) {
  if (is_free_text(option)) return !value.empty();
  if (const auto range = range_of(option)) {
    const auto number = parse_integer(value);
    return number && *number >= range->first && *number <= range->last &&
           std::to_string(*number) == value;  // "+2" and "02" would be other spellings of one code
  }
  const std::vector<std::string_view> words = split(option.values, '|');
  return std::ranges::find(words, value) != words.end();
}

std::vector<std::string> spell(const Option& option, std::string_view value) {
  const bool is_switch = option.values == "on|off";
  std::string flags(is_switch && value == "off" ? option.off : option.spelling);
  if (const std::size_t hole = flags.find("{}"); hole != std::string::npos) {
    flags.replace(hole, 2, value);
  }
  std::vector<std::string> list;
  for (const std::string_view flag : split(flags, ' ')) {
    if (!flag.empty()) list.emplace_back(flag);
  }
  return list;
}

Result<void> check_settings(const Controls& controls) {
  for (const config::Setting& s : controls.settings()) {
    const Option* option = find_option(s.tool, s.key);
    if (option == nullptr) return unknown_setting(s);
    if (!takes(*option, s.value)) return wrong_value(*option, s.value);
  }
  return {};
}

Numerics numerics_of(const Controls& controls) {
  Numerics needed = Numerics::Exact;
  for (const config::Setting& s : controls.settings()) {
    const Option* option = find_option(s.tool, s.key);
    if (option != nullptr && s.value != option->usual) needed = std::max(needed, option->numerics);
  }
  return needed;
}

Controls canonical(const Controls& controls, std::span<const std::string_view> tools) {
  Controls kept = controls;
  for (const config::Setting& s : controls.settings()) {
    const Option* option = find_option(s.tool, s.key);
    const bool usual = option != nullptr && !option->usual.empty() && s.value == option->usual;
    if (usual || std::ranges::find(tools, s.tool) == tools.end()) kept.erase(s.tool, s.key);
  }
  return kept.ordered(option_order());
}

std::vector<std::string> flags_for(const Controls& controls, std::string_view tool) {
  std::vector<std::string> flags;
  for (const Option& option : options()) {
    if (option.tool != tool) continue;
    const auto said = controls.find(option.tool, option.key);
    const bool speak = said ? *said != option.usual || always_said(option) : always_said(option);
    if (!speak) continue;
    for (std::string& flag : spell(option, said.value_or(option.usual))) {
      flags.push_back(std::move(flag));
    }
  }
  return flags;
}

}  // namespace parhelion::toolchain
