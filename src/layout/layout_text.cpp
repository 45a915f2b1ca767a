// SPDX-License-Identifier: Apache-2.0
// "m:16 n:8*5 | register n:1 m:8 | lane n:2 n:4 m:1 m:2 m:4": extents of the atom with the repeat,
// then what each input bit adds, from bit 0 up. XOR bases print as "m:1^n:4", a bit that adds
// nothing as "0".
#include <fmt/format.h>

#include <bit>

#include "base/text.h"
#include "layout/linear_layout.h"

namespace parhelion::layout {
namespace {

std::string basis_text(const LinearLayout& layout, Bits basis) {
  std::string text;
  for (std::size_t i = 0; i < layout.axes().size(); ++i) {
    const Axis& axis = layout.axes()[i];
    const Bits part = basis >> layout.axis_shift(i) & ((Bits{1} << axis.bits) - 1);
    if (part == 0) continue;
    text += fmt::format("{}{}:{}", text.empty() ? "" : "^", axis.name, part);
  }
  return text.empty() ? "0" : text;
}

struct NamedNumber {
  std::string_view name;
  std::int64_t number = 0;
};

std::optional<NamedNumber> named_number(std::string_view text) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const auto number = parse_integer(text.substr(colon + 1));
  if (!number || *number < 1) return std::nullopt;
  return NamedNumber{text.substr(0, colon), *number};
}

std::optional<Axis> parse_axis(std::string_view word) {
  const auto star = word.find('*');
  const auto atom = named_number(word.substr(0, star));
  if (!atom || !std::has_single_bit(static_cast<std::uint64_t>(atom->number))) return std::nullopt;
  Axis axis{std::string(atom->name), std::countr_zero(static_cast<std::uint64_t>(atom->number)), 1};
  if (star == std::string_view::npos) return axis;
  const auto repeat = parse_integer(word.substr(star + 1));
  if (!repeat || *repeat < 1 || *repeat % 2 == 0) return std::nullopt;
  axis.repeat = static_cast<int>(*repeat);
  return axis;
}

std::optional<Bits> parse_basis(const LinearLayout& layout, std::string_view word) {
  if (word == "0") return Bits{0};
  Bits basis = 0;
  for (const std::string_view term : split(word, '^')) {
    const auto part = named_number(term);
    const auto axis = part ? layout.axis(part->name) : std::nullopt;
    if (!axis || part->number >> layout.axes()[*axis].bits != 0) return std::nullopt;
    basis ^= static_cast<Bits>(part->number) << layout.axis_shift(*axis);
  }
  return basis;
}

std::optional<Input> parse_input(std::string_view word) {
  for (int i = 0; i < input_count; ++i) {
    if (name(static_cast<Input>(i)) == word) return static_cast<Input>(i);
  }
  return std::nullopt;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  for (const std::string_view word : split(trim(text), ' ')) {
    if (!word.empty()) result.push_back(word);
  }
  return result;
}

}  // namespace

std::string LinearLayout::text() const {
  std::string text;
  for (const Axis& a : axes_) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", a.name, 1 << a.bits);
    if (a.repeat != 1) text += fmt::format("*{}", a.repeat);
  }
  for (int i = 0; i < input_count; ++i) {
    const auto input = static_cast<Input>(i);
    if (bits(input) == 0) continue;
    text += fmt::format(" | {}", name(input));
    for (const Bits basis : bases(input)) text += " " + basis_text(*this, basis);
  }
  return text;
}

std::optional<LinearLayout> LinearLayout::parse(std::string_view text) {
  const auto sections = split(text, '|');
  std::vector<Axis> axes;
  for (const std::string_view word : words(sections[0])) {
    const auto axis = parse_axis(word);
    if (!axis) return std::nullopt;
    axes.push_back(*axis);
  }
  LinearLayout layout(std::move(axes));
  for (std::size_t i = 1; i < sections.size(); ++i) {
    const auto section = words(sections[i]);
    const auto input = section.empty() ? std::nullopt : parse_input(section[0]);
    if (!input) return std::nullopt;
    for (std::size_t j = 1; j < section.size(); ++j) {
      const auto basis = parse_basis(layout, section[j]);
      if (!basis) return std::nullopt;
      layout.add(*input, *basis);
    }
  }
  return layout;
}

}  // namespace parhelion::layout
