// SPDX-License-Identifier: Apache-2.0
#include "config/parameters.h"

#include "base/text.h"

#include <algorithm>
#include <array>

namespace parhelion {

namespace {
constexpr std::array<std::string_view, 3> numerics_names = {"exact", "bounded", "relaxed"};
}  // namespace

std::string_view name(Numerics numerics) {
  return numerics_names[static_cast<std::size_t>(numerics)];
}

std::optional<Numerics> parse_numerics(std::string_view text) {
  const auto* found = std::ranges::find(numerics_names, text);
  if (found == numerics_names.end()) return std::nullopt;
  return static_cast<Numerics>(found - numerics_names.begin());
}

}  // namespace parhelion

namespace parhelion::config {

namespace {

/// `pattern` with each # as a number without sign or leading zero.
bool matches(std::string_view pattern, std::string_view word) {
  while (!pattern.empty()) {
    if (pattern.front() != '#') {
      if (word.empty() || word.front() != pattern.front()) return false;
      word.remove_prefix(1);
    } else {
      const std::size_t digits = std::min(word.find_first_not_of("0123456789"), word.size());
      if (digits == 0 || digits > 9 || word.front() == '0') return false;
      word.remove_prefix(digits);
    }
    pattern.remove_prefix(1);
  }
  return word.empty();
}

std::string words_text(const ParameterRow& row) {
  std::vector<std::string> words;
  for (const std::string_view word : split(row.words, ' ')) words.emplace_back(word);
  return join(words, ", ");
}

}  // namespace

char letter(Subject subject) {
  switch (subject) {
    case Subject::Axis: return 'a';
    case Subject::Loop: return 'l';
    case Subject::Site: return 's';
    case Subject::Dot:
    case Subject::Operand: return 'd';
    case Subject::Value: return 'v';
    case Subject::Tunable: return 't';
    case Subject::Kernel:
    case Subject::Role: break;
  }
  return 0;
}

bool takes_word(const ParameterRow& row, std::string_view word) {
  if (row.words.empty()) return row.parameter == Parameter::Tunable && !word.empty();
  return std::ranges::any_of(split(row.words, ' '),
                             [&](std::string_view pattern) { return matches(pattern, word); });
}

std::optional<std::string> wrong_value(const ParameterRow& row, const Value& value) {
  const bool integer = std::holds_alternative<std::int64_t>(value);
  const auto* word = std::get_if<std::string>(&value);
  switch (row.kind) {
    case ValueKind::Integer:
      if (integer) return std::nullopt;
      return "an integer";
    case ValueKind::Word:
      if (word != nullptr && takes_word(row, *word)) return std::nullopt;
      return "one of " + words_text(row);
    case ValueKind::IntegerOrWord:
      if (integer || (word != nullptr && takes_word(row, *word))) return std::nullopt;
      return row.words.empty() ? "an integer or a word" : "an integer or one of " + words_text(row);
    case ValueKind::List:
      if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
        if (!list->empty()) return std::nullopt;
      }
      return "integers separated by commas";
  }
  return std::nullopt;
}

std::string text(const Key& key) {
  const ParameterRow& r = row(key.parameter);
  std::string out(r.name);
  if (r.subject == Subject::Kernel) return out;
  out += '[';
  if (r.subject != Subject::Role) out += letter(r.subject) + std::to_string(key.index);
  if (r.subject == Subject::Operand) out += '.';
  return out + key.suffix + ']';
}

std::string text(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  std::vector<std::string> parts;
  for (const std::int64_t v : std::get<std::vector<std::int64_t>>(value)) {
    parts.push_back(std::to_string(v));
  }
  return join(parts, ",");
}

std::optional<std::pair<std::int64_t, std::int64_t>> parse_pair(std::string_view word) {
  if (!matches("#x#", word)) return std::nullopt;
  const std::size_t cross = word.find('x');
  return std::pair{*parse_integer(word.substr(0, cross)), *parse_integer(word.substr(cross + 1))};
}

}  // namespace parhelion::config
