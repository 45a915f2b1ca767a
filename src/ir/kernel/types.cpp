// SPDX-License-Identifier: Apache-2.0
#include "ir/kernel/module.h"

#include <array>
#include <charconv>

namespace parhelion::ir::kernel {
namespace {

constexpr std::array<std::string_view, 4> space_names = {"none", "global", "shared", "local"};

std::optional<Space> parse_space(std::string_view text) {
  for (std::size_t i = 1; i < space_names.size(); ++i) {
    if (space_names[i] == text) return static_cast<Space>(i);
  }
  return std::nullopt;
}

std::optional<std::uint32_t> parse_count(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || value == 0) {
    return std::nullopt;
  }
  return value;
}

/// `f32` or `f32x8`; no dtype has an x in its name.
std::optional<Type> parse_vector(std::string_view text) {
  Type type;
  const std::size_t x = text.find('x');
  const std::optional<DType> element = parse_dtype(text.substr(0, x));
  if (!element) return std::nullopt;
  type.element = *element;
  if (x == std::string_view::npos) return type;
  const std::optional<std::uint32_t> lanes = parse_count(text.substr(x + 1));
  if (!lanes || *lanes > 0xffffu) return std::nullopt;
  type.lanes = static_cast<std::uint16_t>(*lanes);
  return type;
}

}  // namespace

std::string text(const Type& type) {
  std::string result(parhelion::name(type.element));
  if (type.lanes != 1) result += "x" + std::to_string(type.lanes);
  if (type.pointer != Space::None) {
    const std::string space(space_names[static_cast<std::size_t>(type.pointer)]);
    result = "ptr<" + space + ", " + result + ">";
  }
  if (type.count != 0) result += "[" + std::to_string(type.count) + "]";
  return result;
}

std::optional<Type> parse_type(std::string_view text) {
  std::uint32_t count = 0;
  if (text.ends_with(']')) {
    const std::size_t open = text.rfind('[');
    if (open == std::string_view::npos) return std::nullopt;
    const auto parsed = parse_count(text.substr(open + 1, text.size() - open - 2));
    if (!parsed) return std::nullopt;
    count = *parsed;
    text = text.substr(0, open);
  }
  Space pointer = Space::None;
  if (text.starts_with("ptr<") && text.ends_with('>')) {
    text = text.substr(4, text.size() - 5);
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos) return std::nullopt;
    const auto space = parse_space(text.substr(0, comma));
    if (!space) return std::nullopt;
    pointer = *space;
    text.remove_prefix(comma + 1);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  std::optional<Type> type = parse_vector(text);
  if (!type) return std::nullopt;
  type->count = count;
  type->pointer = pointer;
  return type;
}

Type element_of(Type type) {
  type.count = 0;
  return type;
}

}  // namespace parhelion::ir::kernel
