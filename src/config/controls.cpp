// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <algorithm>

namespace parhelion::config {

Controls& Controls::set(std::string_view tool, std::string_view key, std::string_view value) {
  auto behind = settings_.end();
  for (auto at = settings_.begin(); at != settings_.end(); ++at) {
    if (at->tool != tool) continue;
    if (at->key == key) {
      at->value = value;
      return *this;
    }
    behind = at + 1;
  }
  settings_.insert(behind, Setting{std::string(tool), std::string(key), std::string(value)});
  return *this;
}

Controls& Controls::erase(std::string_view tool, std::string_view key) {
  std::erase_if(settings_, [&](const Setting& s) { return s.tool == tool && s.key == key; });
  return *this;
}

std::optional<std::string_view> Controls::find(std::string_view tool, std::string_view key) const {
  for (const Setting& s : settings_) {
    if (s.tool == tool && s.key == key) return s.value;
  }
  return std::nullopt;
}

Controls Controls::ordered(std::span<const std::string> option_order) const {
  const auto rank = [&](const Setting& s) {
    return std::ranges::find(option_order, s.tool + '.' + s.key) - option_order.begin();
  };
  Controls out = *this;
  std::ranges::stable_sort(out.settings_, {}, rank);
  // Unknown settings of a tool go behind its known ones: the settings of a tool stay neighbours.
  std::vector<Setting> sorted;
  for (const Setting& first : out.settings_) {
    const auto same_tool = [&](const Setting& s) { return s.tool == first.tool; };
    if (std::ranges::any_of(sorted, same_tool)) continue;
    std::ranges::copy_if(out.settings_, std::back_inserter(sorted), same_tool);
  }
  out.settings_ = std::move(sorted);
  return out;
}

Hash hash(const Controls& controls) {
  Hasher hasher;
  for (const Setting& s : controls.settings()) hasher.add(s.tool).add(s.key).add(s.value);
  // The bytes of a payload are named by their hash; where the file lies does not matter.
  hasher.add(controls.payload ? controls.payload->sha256 : std::string());
  return hasher.finish();
}

}  // namespace parhelion::config
