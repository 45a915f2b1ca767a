// SPDX-License-Identifier: Apache-2.0
#include "toolchain/version.h"

#include "base/text.h"

#include <array>
#include <cctype>
#include <cstdint>
#include <utility>
#include <vector>

namespace parhelion::toolchain {

namespace {

std::vector<std::int64_t> numbers(std::string_view version) {
  std::vector<std::int64_t> parts;
  for (const std::string_view part : split(version, '.')) {
    parts.push_back(parse_integer(part).value_or(0));
  }
  return parts;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_version(std::string_view text) {
  return !text.empty() && is_digit(text.front()) && is_digit(text.back()) &&
         text.find_first_not_of("0123456789.") == std::string_view::npos;
}

std::optional<bool> part_matches(std::string_view version, std::string_view part) {
  using Test = bool (*)(std::strong_ordering);
  constexpr std::array<std::pair<std::string_view, Test>, 6> tests = {{
      {">=", [](std::strong_ordering o) { return o >= 0; }},
      {"<=", [](std::strong_ordering o) { return o <= 0; }},
      {"==", [](std::strong_ordering o) { return o == 0; }},
      {"!=", [](std::strong_ordering o) { return o != 0; }},
      {">", [](std::strong_ordering o) { return o > 0; }},
      {"<", [](std::strong_ordering o) { return o < 0; }},
  }};
  for (const auto& [sign, test] : tests) {
    if (!starts_with(part, sign)) continue;
    const std::string_view wanted = trim(part.substr(sign.size()));
    if (!is_version(wanted)) return std::nullopt;
    return test(compare_versions(version, wanted));
  }
  if (!is_version(part)) return std::nullopt;
  const auto line = numbers(part);
  auto have = numbers(version);
  have.resize(line.size());
  return have == line;
}

}  // namespace

std::strong_ordering compare_versions(std::string_view a, std::string_view b) {
  std::vector<std::int64_t> left = numbers(a), right = numbers(b);
  const std::size_t size = std::max(left.size(), right.size());
  left.resize(size);
  right.resize(size);
  return left <=> right;
}

std::optional<bool> version_matches(std::string_view version, std::string_view requirement) {
  if (trim(requirement).empty()) return true;
  bool all = true;
  for (const std::string_view part : split(requirement, ',')) {
    const auto one = part_matches(version, trim(part));
    if (!one) return std::nullopt;
    all = all && *one;
  }
  return all;
}

std::string first_version(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_digit(text[i])) continue;
    std::size_t end = i;
    while (end < text.size() && (is_digit(text[end]) || text[end] == '.')) ++end;
    const std::string_view word = text.substr(i, end - i);
    if (word.contains('.') && word.back() != '.') return std::string(word);
    if (word.contains('.')) return std::string(word.substr(0, word.size() - 1));
    i = end;
  }
  return std::string();
}

}  // namespace parhelion::toolchain
