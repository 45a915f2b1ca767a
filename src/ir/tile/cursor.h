// SPDX-License-Identifier: Apache-2.0
// Reading a text token by token, with places for diagnostics. A mistake leaves through an
// exception that parse() turns into a value: every caller of a token would otherwise have to test.
#pragma once

#include <parhelion/diagnostic.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::ir {

struct ParseFailure {
  Diagnostics diagnostics;
};

class Cursor {
 public:
  Cursor(std::string_view text, std::string_view file) : text_(text), file_(file) {}

  [[nodiscard]] bool at_end();
  /// Whether the next token is this word or symbol.
  [[nodiscard]] bool at(std::string_view token);
  [[nodiscard]] bool at_identifier();
  [[nodiscard]] bool at_digit();
  [[nodiscard]] bool has(char c) const { return rest().find(c) != std::string_view::npos; }
  [[nodiscard]] bool accept(std::string_view token);
  void expect(std::string_view token);
  std::string identifier(std::string_view what);
  std::string name_behind_sigil();      // letters, digits, _ directly here
  std::int64_t integer();               // digits, a minus allowed
  std::string number();                 // the characters of a number, inf and nan included
  std::string string();

  [[nodiscard]] Place place();          // of the next token
  [[noreturn]] void fail(int code, std::string message, Place where, std::string help = {}) const;
  [[noreturn]] void expected(std::string_view what);
  /// PH5002 with the nearest of the candidates.
  [[noreturn]] void unknown(std::string_view what, const std::string& name,
                            const std::vector<std::string>& candidates, Place where) const;

 private:
  void skip_space();
  [[nodiscard]] std::string_view rest() const { return text_.substr(position_); }
  void advance(std::size_t count);

  std::string_view text_;
  std::string file_;
  std::size_t position_ = 0;
  int line_ = 1, column_ = 1;
};

}  // namespace parhelion::ir
