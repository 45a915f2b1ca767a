// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <algorithm>

namespace parhelion::config {

namespace {

auto position(const std::vector<Config::Entry>& entries, const Key& key) {
  return std::ranges::lower_bound(entries, key, {}, &Config::Entry::first);
}

}  // namespace

Config& Config::set(Key key, Value value) {
  const auto at = entries_.begin() + (position(entries_, key) - entries_.begin());
  if (at != entries_.end() && at->first == key) {
    at->second = std::move(value);
  } else {
    entries_.emplace(at, std::move(key), std::move(value));
  }
  return *this;
}

Config& Config::erase(const Key& key) {
  std::erase_if(entries_, [&](const Entry& entry) { return entry.first == key; });
  return *this;
}

Config& Config::merge(const Config& other) {
  for (const auto& [key, value] : other) set(key, value);
  return *this;
}

const Value* Config::find(const Key& key) const {
  const auto at = position(entries_, key);
  return at != entries_.end() && at->first == key ? &at->second : nullptr;
}

std::optional<std::int64_t> Config::integer(const Key& key) const {
  const Value* value = find(key);
  if (value == nullptr || !std::holds_alternative<std::int64_t>(*value)) return std::nullopt;
  return std::get<std::int64_t>(*value);
}

std::optional<std::string_view> Config::word(const Key& key) const {
  const Value* value = find(key);
  if (value == nullptr || !std::holds_alternative<std::string>(*value)) return std::nullopt;
  return std::get<std::string>(*value);
}

std::optional<std::span<const std::int64_t>> Config::list(const Key& key) const {
  const Value* value = find(key);
  if (value == nullptr) return std::nullopt;
  const auto* list = std::get_if<std::vector<std::int64_t>>(value);
  if (list == nullptr) return std::nullopt;
  return std::span<const std::int64_t>(*list);
}

std::string Config::text() const {
  std::string out;
  for (const auto& [key, value] : entries_) {
    if (!out.empty()) out += ' ';
    out += config::text(key) + '=' + config::text(value);
  }
  return out;
}

Hash hash(const Config& config) { return hash_text(config.text()); }

}  // namespace parhelion::config
