// SPDX-License-Identifier: Apache-2.0
#include "ir/tile/cursor.h"

#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <cctype>

namespace parhelion::ir {

namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

// Sizes beyond this would overflow as soon as two are multiplied by anything.
constexpr std::int64_t largest_integer = std::int64_t{1} << 62;

}  // namespace

void Cursor::advance(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (text_[position_++] == '\n') {
      ++line_;
      column_ = 1;
    } else {
      ++column_;
    }
  }
}

// Line comments are for people who write texts by hand.
void Cursor::skip_space() {
  while (position_ < text_.size()) {
    const std::string_view r = rest();
    if (std::isspace(static_cast<unsigned char>(r[0])) != 0) {
      advance(1);
    } else if (starts_with(r, "//")) {
      advance(std::min(r.find('\n'), r.size()));
    } else {
      return;
    }
  }
}

bool Cursor::at_end() {
  skip_space();
  return position_ >= text_.size();
}

bool Cursor::at(std::string_view token) {
  skip_space();
  if (!starts_with(rest(), token)) return false;
  if (!is_word(token.back()) || rest().size() == token.size()) return true;
  return !is_word(rest()[token.size()]);
}

bool Cursor::at_identifier() {
  skip_space();
  return !rest().empty() && is_letter(rest()[0]);
}

bool Cursor::at_digit() {
  skip_space();
  return !rest().empty() && is_digit(rest()[0]);
}

bool Cursor::accept(std::string_view token) {
  if (!at(token)) return false;
  advance(token.size());
  return true;
}

void Cursor::expect(std::string_view token) {
  if (!accept(token)) expected(fmt::format("'{}'", token));
}

std::string Cursor::identifier(std::string_view what) {
  if (!at_identifier()) expected(what);
  return name_behind_sigil();
}

std::string Cursor::name_behind_sigil() {
  std::size_t n = 0;
  while (n < rest().size() && is_word(rest()[n])) ++n;
  if (n == 0) expected("a name");
  std::string name(rest().substr(0, n));
  advance(n);
  return name;
}

std::int64_t Cursor::integer() {
  skip_space();
  const Place where = place();
  std::size_t n = !rest().empty() && rest()[0] == '-' ? 1 : 0;
  while (n < rest().size() && is_digit(rest()[n])) ++n;
  const auto value = parse_integer(rest().substr(0, n));
  if (!value) expected("an integer");
  if (*value > largest_integer || *value < -largest_integer) {
    fail(5001, fmt::format("integer {} is too large", *value), where, "stay below 2^62");
  }
  advance(n);
  return *value;
}

std::string Cursor::number() {
  skip_space();
  std::size_t n = 0;
  while (n < rest().size() && (is_word(rest()[n]) || rest()[n] == '.' || rest()[n] == '-' ||
                               rest()[n] == '+')) {
    const bool dots = rest()[n] == '.' && n + 1 < rest().size() && rest()[n + 1] == '.';
    const bool sign = rest()[n] == '-' || rest()[n] == '+';
    const bool exponent = n > 0 && (rest()[n - 1] == 'e' || rest()[n - 1] == 'E');
    if (dots || (sign && n > 0 && !exponent)) break;
    ++n;
  }
  std::string text(rest().substr(0, n));
  if (!parse_number(text)) expected("a number");
  advance(n);
  return text;
}

std::string Cursor::string() {
  expect("\"");
  std::string text;
  while (!rest().empty() && rest()[0] != '"') {
    const bool escape = rest()[0] == '\\' && rest().size() > 1;
    if (escape) advance(1);
    text += escape && rest()[0] == 'n' ? '\n' : rest()[0];
    advance(1);
  }
  expect("\"");
  return text;
}

Place Cursor::place() {
  skip_space();
  return {file_, line_, column_};
}

void Cursor::fail(int code, std::string message, Place where, std::string help) const {
  throw ParseFailure{{diag(code, std::move(message), std::move(where), std::move(help))}};
}

void Cursor::expected(std::string_view what) {
  const Place where = place();
  std::string_view near = rest().substr(0, rest().find('\n'));
  near = near.substr(0, 20);
  if (near.empty()) fail(5001, fmt::format("expected {} at the end", what), where);
  fail(5001, fmt::format("expected {} near '{}'", what, near), where);
}

void Cursor::unknown(std::string_view what, const std::string& name,
                     const std::vector<std::string>& candidates, Place where) const {
  std::string message = fmt::format("unknown {} '{}'", what, name);
  const auto close = close_match(name, candidates);
  if (close) message += fmt::format(" (did you mean '{}'?)", *close);
  fail(5002, std::move(message), std::move(where));
}

}  // namespace parhelion::ir
