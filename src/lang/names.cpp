// SPDX-License-Identifier: Apache-2.0
#include "lang/names.h"

#include "base/files.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>

namespace parhelion::lang {

namespace {

/// Lines of a source file, read once per file. A file that cannot be read has none.
const std::vector<std::string>& lines_of(const std::string& file) {
  static std::mutex mutex;
  static std::map<std::string, std::vector<std::string>> cache;
  const std::scoped_lock lock(mutex);
  const auto [it, fresh] = cache.try_emplace(file);
  if (fresh) {
    if (const auto text = read_file(file)) {
      for (const std::string_view line : split(*text, '\n')) it->second.emplace_back(line);
    }
  }
  return it->second;
}

std::string line_at(const std::string& file, int line) {
  const auto& lines = lines_of(file);
  if (line < 1 || static_cast<std::size_t>(line) > lines.size()) return {};
  return lines[static_cast<std::size_t>(line - 1)];
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool is_name(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
         std::ranges::all_of(text, is_word);
}

/// Names in `text`: either `[a, b]` or one trailing word.
std::vector<std::string> names_before(std::string_view text) {
  text = trim(text);
  std::vector<std::string> names;
  if (!text.empty() && text.back() == ']') {
    const std::size_t open = text.rfind('[');
    if (open == std::string_view::npos) return {};
    for (const std::string_view part : split(text.substr(open + 1, text.size() - open - 2), ',')) {
      names.emplace_back(trim(part));
    }
  } else {
    std::size_t begin = text.size();
    while (begin > 0 && is_word(text[begin - 1])) --begin;
    names.emplace_back(text.substr(begin));
  }
  if (!std::ranges::all_of(names, [](const std::string& n) { return is_name(n); })) return {};
  return names;
}

/// The part before a plain `=` (no ==, <=, +=), if the line has one at the top level.
std::optional<std::string_view> left_side(std::string_view line) {
  int depth = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '(' || c == '{') ++depth;
    if (c == ')' || c == '}') --depth;
    if (c != '=' || depth > 0) continue;
    const char before = i > 0 ? line[i - 1] : ' ', after = i + 1 < line.size() ? line[i + 1] : ' ';
    if (after == '=' || std::string_view("=!<>").contains(before)) return std::nullopt;
    const bool compound = std::string_view("+-*/%&|^").contains(before);
    return line.substr(0, compound ? i - 1 : i);
  }
  return std::nullopt;
}

/// After the last `;` or `)`: `for (...) acc = dot(...)` assigns to acc.
std::string_view last_statement(std::string_view left) {
  const std::size_t cut = left.find_last_of(";){");
  return cut == std::string_view::npos ? left : left.substr(cut + 1);
}

}  // namespace

std::vector<std::string> loop_names(Loc where, std::size_t count, std::size_t running) {
  const std::string line = line_at(where.file, static_cast<int>(where.line));
  const std::size_t open = line.find("for");
  const std::size_t colon = line.find(" : ", open == std::string::npos ? 0 : open);
  std::vector<std::string> names;
  if (open != std::string::npos && colon != std::string::npos) {
    names = names_before(std::string_view(line).substr(open, colon - open));
  }
  if (names.size() == 1 && count > 1) {
    const std::string base = names[0];
    names.clear();
    for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("{}{}", base, i));
  }
  if (names.size() == count) return names;
  names.clear();
  for (std::size_t i = 0; i < count; ++i) names.push_back(fmt::format("t{}", running + i));
  return names;
}

std::optional<std::string> assigned_name(const std::string& file, int line) {
  const std::string text = line_at(file, line);
  const std::string_view all = text;
  const std::size_t colon = all.find(" : ");  // the head of a range-for on the same line
  const std::string_view body = colon == std::string_view::npos ? all : all.substr(colon);
  const std::size_t head = colon == std::string_view::npos ? 0 : body.find(')');
  if (head == std::string_view::npos) return std::nullopt;
  // The loop's own parenthesis closes after its argument list: take the statement behind it.
  std::string_view statement = body;
  if (colon != std::string_view::npos) {
    const std::size_t close = body.find(") ", head);
    if (close == std::string_view::npos) return std::nullopt;
    statement = body.substr(close + 2);
  }
  const auto left = left_side(statement);
  if (!left) return std::nullopt;
  const auto names = names_before(last_statement(*left));
  if (names.size() != 1 || trim(*left).back() == ']') return std::nullopt;
  return names[0];
}

std::vector<std::string> bound_names(const std::string& file, int line) {
  const std::string text = line_at(file, line);
  const auto left = left_side(text);
  if (!left) return {};
  const std::string_view statement = trim(*left);
  const bool declares = starts_with(statement, "auto ") || starts_with(statement, "const auto ");
  return declares ? names_before(statement) : std::vector<std::string>{};
}

std::vector<std::string> parameter_names(const std::string& file, int line) {
  std::string text;
  for (int i = 0; i < 8; ++i) text += line_at(file, line + i) + " ";
  const std::size_t capture = text.find("](");
  if (capture == std::string::npos) return {};
  const std::size_t close = text.find(')', capture);
  if (close == std::string::npos) return {};
  std::vector<std::string> names;
  for (const std::string_view part :
       split(std::string_view(text).substr(capture + 2, close - capture - 2), ',')) {
    const auto found = names_before(part);
    if (found.size() != 1) return {};
    names.push_back(found[0]);
  }
  return names;
}

}  // namespace parhelion::lang
