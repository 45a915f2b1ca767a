// SPDX-License-Identifier: Apache-2.0
// Reading structs from JSON objects: the first field that is missing or of another kind is kept as
// the error, and everything after it gives defaults.
#pragma once

#include "base/json.h"

#include <parhelion/dtype.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::runtime {

class JsonFields {
 public:
  JsonFields(const Json& object, std::string& error) : object_(object), error_(error) {}

  [[nodiscard]] std::int64_t integer(std::string_view key) const {
    const Json* v = member(key, "an integer", &Json::is_integer);
    return v != nullptr ? v->as_integer() : 0;
  }
  [[nodiscard]] int small(std::string_view key) const { return static_cast<int>(integer(key)); }
  [[nodiscard]] double number(std::string_view key) const {
    const Json* v = member(key, "a number", &Json::is_number);
    return v != nullptr ? v->as_number() : 0;
  }
  [[nodiscard]] bool boolean(std::string_view key) const {
    const Json* v = member(key, "true or false", &Json::is_bool);
    return v != nullptr && v->as_bool();
  }
  [[nodiscard]] std::string text(std::string_view key) const {
    const Json* v = member(key, "a text", &Json::is_string);
    return v != nullptr ? v->as_string() : std::string();
  }
  [[nodiscard]] const Json& any(std::string_view key) const {
    static const Json none;
    const Json* v = object_.find(key);
    if (v == nullptr) set_error(key, "there");
    return v != nullptr ? *v : none;
  }
  [[nodiscard]] const Json::Array& array(std::string_view key) const {
    static const Json::Array none;
    const Json* v = member(key, "an array", &Json::is_array);
    return v != nullptr ? v->as_array() : none;
  }
  template <class T>
  [[nodiscard]] std::vector<T> integers(std::string_view key) const {
    std::vector<T> values;
    for (const Json& item : array(key)) {
      if (!item.is_integer()) {
        set_error(key, "an array of integers");
        break;
      }
      values.push_back(static_cast<T>(item.as_integer()));
    }
    return values;
  }
  [[nodiscard]] std::vector<double> numbers(std::string_view key) const {
    std::vector<double> values;
    for (const Json& item : array(key)) {
      if (!item.is_number()) {
        set_error(key, "an array of numbers");
        break;
      }
      values.push_back(item.as_number());
    }
    return values;
  }
  /// A word that `parse` knows.
  template <class T>
  [[nodiscard]] T word(std::string_view key, std::optional<T> (*parse)(std::string_view)) const {
    const std::string found = text(key);
    const std::optional<T> value = parse(found);
    if (!value) set_error(key, "a word that is known");
    return value.value_or(T{});
  }
  [[nodiscard]] bool has(std::string_view key) const { return object_.find(key) != nullptr; }
  void set_error(std::string_view key, std::string_view wanted) const {
    if (error_.empty()) error_ = "'" + std::string(key) + "' is not " + std::string(wanted);
  }

 private:
  const Json* member(std::string_view key, std::string_view wanted,
                     bool (Json::*is)() const) const {
    const Json* v = object_.find(key);
    if (v != nullptr && (v->*is)()) return v;
    set_error(key, wanted);
    return nullptr;
  }
  const Json& object_;
  std::string& error_;
};

}  // namespace parhelion::runtime
