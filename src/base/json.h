// SPDX-License-Identifier: Apache-2.0
// A JSON value with stable key order. nlohmann/json is behind it, in json.cpp only.
#pragma once

#include <parhelion/diagnostic.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace parhelion {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;  // in order of insertion

  Json() = default;
  Json(std::nullptr_t) {}
  Json(bool v) : value_(v) {}
  Json(int v) : value_(static_cast<std::int64_t>(v)) {}
  Json(std::int64_t v) : value_(v) {}
  Json(std::uint64_t v) : value_(static_cast<std::int64_t>(v)) {}
  Json(double v) : value_(v) {}
  Json(const char* v) : value_(std::string(v)) {}
  Json(std::string v) : value_(std::move(v)) {}
  Json(std::string_view v) : value_(std::string(v)) {}
  Json(Array v) : value_(std::move(v)) {}
  Json(Object v) : value_(std::move(v)) {}
  static Json object() { return Json(Object{}); }
  static Json array() { return Json(Array{}); }

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  [[nodiscard]] bool is_bool() const { return std::holds_alternative<bool>(value_); }
  [[nodiscard]] bool is_integer() const { return std::holds_alternative<std::int64_t>(value_); }
  [[nodiscard]] bool is_number() const {
    return is_integer() || std::holds_alternative<double>(value_);
  }
  [[nodiscard]] bool is_string() const { return std::holds_alternative<std::string>(value_); }
  [[nodiscard]] bool is_array() const { return std::holds_alternative<Array>(value_); }
  [[nodiscard]] bool is_object() const { return std::holds_alternative<Object>(value_); }

  // The kind must match (a broken invariant otherwise); as_number takes integers too.
  [[nodiscard]] bool as_bool() const;
  [[nodiscard]] std::int64_t as_integer() const;
  [[nodiscard]] double as_number() const;
  [[nodiscard]] const std::string& as_string() const;
  [[nodiscard]] const Array& as_array() const;
  [[nodiscard]] const Object& as_object() const;

  /// Member of an object, or nullptr (also when this is no object).
  [[nodiscard]] const Json* find(std::string_view key) const;
  // With a fallback where the member is absent or of another kind.
  [[nodiscard]] std::string string_or(std::string_view key, std::string_view fallback) const;
  [[nodiscard]] std::int64_t integer_or(std::string_view key, std::int64_t fallback) const;
  [[nodiscard]] double number_or(std::string_view key, double fallback) const;
  [[nodiscard]] bool bool_or(std::string_view key, bool fallback) const;

  Json& set(std::string_view key, Json value);  // object: add or replace; returns *this
  Json& push(Json value);                       // array: append; returns *this

  /// NaN and infinities are written as null: JSON has no other word for unknown.
  [[nodiscard]] std::string dump(int indent = -1) const;  // -1: one line
  [[nodiscard]] static Result<Json> parse(std::string_view text, std::string_view file = {});

  bool operator==(const Json&) const = default;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Object> value_;
};

/// TOML read into the same value (tables are objects in order of the file; dates are refused).
[[nodiscard]] Result<Json> parse_toml(std::string_view text, std::string_view file = {});

}  // namespace parhelion
