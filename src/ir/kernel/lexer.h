// SPDX-License-Identifier: Apache-2.0
// Tokens of the textual kernel IR. `//` starts a comment.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace parhelion::ir::kernel {

struct Token {
  enum class Kind : std::uint8_t {
    Word,    // names, ops, types: letters, digits, _ and, inside a type, < , > [ ]
    Value,   // %name
    Number,  // also inf, -inf, nan
    Text,    // "..." with \" \\ \n
    Symbol,  // one of = ( ) { } : , @
    End,
    Bad,
  };
  Kind kind = Kind::End;
  std::string text;
  int line = 1, column = 1;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  [[nodiscard]] Token next();
  /// The next token as one word that may hold a type such as `ptr<global, f32x4>[2]`.
  [[nodiscard]] Token next_type();

 private:
  void skip_space();
  [[nodiscard]] char peek(std::size_t ahead = 0) const;
  void advance();
  Token take_text(Token token);
  template <class Accept>
  void take_while(Token& token, Accept accept);

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;
};

}  // namespace parhelion::ir::kernel
