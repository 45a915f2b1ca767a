// SPDX-License-Identifier: Apache-2.0
// The only file that sees nlohmann/json.
#include "base/json.h"

#include "base/diag.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

namespace parhelion {

bool Json::as_bool() const {
  PH_ASSERT(is_bool(), "JSON: not a bool");
  return std::get<bool>(value_);
}
std::int64_t Json::as_integer() const {
  PH_ASSERT(is_integer(), "JSON: not an integer");
  return std::get<std::int64_t>(value_);
}
double Json::as_number() const {
  PH_ASSERT(is_number(), "JSON: not a number");
  return is_integer() ? static_cast<double>(std::get<std::int64_t>(value_))
                      : std::get<double>(value_);
}
const std::string& Json::as_string() const {
  PH_ASSERT(is_string(), "JSON: not a string");
  return std::get<std::string>(value_);
}
const Json::Array& Json::as_array() const {
  PH_ASSERT(is_array(), "JSON: not an array");
  return std::get<Array>(value_);
}
const Json::Object& Json::as_object() const {
  PH_ASSERT(is_object(), "JSON: not an object");
  return std::get<Object>(value_);
}

const Json* Json::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  const Object& o = std::get<Object>(value_);
  const auto it = std::ranges::find(o, key, &Member::first);
  return it == o.end() ? nullptr : &it->second;
}
std::string Json::string_or(std::string_view key, std::string_view fallback) const {
  const Json* v = find(key);
  return v != nullptr && v->is_string() ? v->as_string() : std::string(fallback);
}
std::int64_t Json::integer_or(std::string_view key, std::int64_t fallback) const {
  const Json* v = find(key);
  return v != nullptr && v->is_integer() ? v->as_integer() : fallback;
}
double Json::number_or(std::string_view key, double fallback) const {
  const Json* v = find(key);
  return v != nullptr && v->is_number() ? v->as_number() : fallback;
}
bool Json::bool_or(std::string_view key, bool fallback) const {
  const Json* v = find(key);
  return v != nullptr && v->is_bool() ? v->as_bool() : fallback;
}

Json& Json::set(std::string_view key, Json value) {
  if (is_null()) value_ = Object{};
  PH_ASSERT(is_object(), "JSON: set on something else than an object");
  Object& o = std::get<Object>(value_);
  const auto it = std::ranges::find(o, key, &Member::first);
  if (it != o.end()) {
    it->second = std::move(value);
  } else {
    o.emplace_back(std::string(key), std::move(value));
  }
  return *this;
}
Json& Json::push(Json value) {
  if (is_null()) value_ = Array{};
  PH_ASSERT(is_array(), "JSON: push on something else than an array");
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

namespace {

using Ordered = nlohmann::ordered_json;

Ordered to_library(const Json& v) {
  if (v.is_bool()) return v.as_bool();
  if (v.is_integer()) return v.as_integer();
  if (v.is_number()) {
    const double d = v.as_number();
    return std::isfinite(d) ? Ordered(d) : Ordered(nullptr);
  }
  if (v.is_string()) return v.as_string();
  if (v.is_array()) {
    Ordered list = Ordered::array();
    for (const Json& item : v.as_array()) list.push_back(to_library(item));
    return list;
  }
  if (v.is_object()) {
    Ordered o = Ordered::object();
    for (const auto& [key, item] : v.as_object()) o.push_back({key, to_library(item)});
    return o;
  }
  return nullptr;
}

Json from_library(const Ordered& v) {
  switch (v.type()) {
    case Ordered::value_t::boolean: return v.get<bool>();
    case Ordered::value_t::number_integer: return v.get<std::int64_t>();
    case Ordered::value_t::number_unsigned: {
      const auto u = v.get<std::uint64_t>();
      if (u > static_cast<std::uint64_t>(INT64_MAX)) return static_cast<double>(u);
      return static_cast<std::int64_t>(u);
    }
    case Ordered::value_t::number_float: return v.get<double>();
    case Ordered::value_t::string: return v.get<std::string>();
    case Ordered::value_t::array: {
      Json::Array list;
      for (const auto& item : v) list.push_back(from_library(item));
      return list;
    }
    case Ordered::value_t::object: {
      Json::Object o;
      for (const auto& [key, item] : v.items()) o.emplace_back(key, from_library(item));
      return o;
    }
    default: return {};
  }
}

Place place_of(std::string_view text, std::size_t byte, std::string_view file) {
  Place p{std::string(file), 1, 1};
  for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++p.line;
      p.column = 1;
    } else {
      ++p.column;
    }
  }
  return p;
}

/// Values are read and destroyed by recursion: a million brackets must not end the process.
constexpr int deepest = 500;

std::optional<std::size_t> too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest) return i;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string Json::dump(int indent) const {
  return to_library(*this).dump(indent, ' ', false, Ordered::error_handler_t::replace);
}

Result<Json> Json::parse(std::string_view text, std::string_view file) {
  if (const auto at = too_deep(text)) {
    return fail(8005, fmt::format("not JSON: more than {} levels", deepest),
                place_of(text, *at + 1, file), "correct the text at this place");
  }
  try {
    return from_library(Ordered::parse(text));
  } catch (const Ordered::parse_error& e) {
    return fail(8005, fmt::format("not JSON: {}", e.what()), place_of(text, e.byte, file),
                "correct the text at this place");
  } catch (const Ordered::exception& e) {  // a number beyond double: no place is known
    return fail(8005, fmt::format("not JSON: {}", e.what()), Place{std::string(file), 0, 0},
                "correct the text");
  }
}

}  // namespace parhelion
