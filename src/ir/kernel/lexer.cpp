// SPDX-License-Identifier: Apache-2.0
#include "ir/kernel/lexer.h"

namespace parhelion::ir::kernel {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

bool is_number(std::string_view word) { return word == "inf" || word == "nan"; }

}  // namespace

char Lexer::peek(std::size_t ahead) const {
  return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
}

void Lexer::advance() {
  if (text_[at_] == '\n') {
    ++line_;
    column_ = 0;
  }
  ++column_;
  ++at_;
}

void Lexer::skip_space() {
  while (at_ < text_.size()) {
    const char c = peek();
    if (c == '/' && peek(1) == '/') {
      while (at_ < text_.size() && peek() != '\n') advance();
    } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      advance();
    } else {
      return;
    }
  }
}

template <class Accept>
void Lexer::take_while(Token& token, Accept accept) {
  while (at_ < text_.size() && accept(peek())) {
    token.text += peek();
    advance();
  }
}

Token Lexer::take_text(Token token) {
  advance();
  token.kind = Token::Kind::Text;
  while (at_ < text_.size() && peek() != '"' && peek() != '\n') {
    const bool escaped = peek() == '\\' && at_ + 1 < text_.size();
    if (escaped) advance();
    token.text += escaped && peek() == 'n' ? '\n' : peek();
    advance();
  }
  if (peek() != '"') {
    token.kind = Token::Kind::Bad;
    return token;
  }
  advance();
  return token;
}

Token Lexer::next() {
  skip_space();
  Token token{.kind = Token::Kind::End, .text = {}, .line = line_, .column = column_};
  if (at_ == text_.size()) return token;
  const char c = peek();
  if (c == '"') return take_text(std::move(token));
  if (c == '%') {
    token.kind = Token::Kind::Value;
    advance();
    take_while(token, [](char d) { return is_word(d) || d == '.'; });
    return token;
  }
  if (is_digit(c) || c == '-') {
    token.kind = Token::Kind::Number;
    token.text += c;
    advance();
    char last = c;
    take_while(token, [&last](char d) {
      const bool sign = (d == '-' || d == '+') && (last == 'e' || last == 'p');
      last = d;
      return is_word(d) || d == '.' || sign;
    });
    return token;
  }
  if (is_letter(c)) {
    take_while(token, is_word);
    token.kind = is_number(token.text) ? Token::Kind::Number : Token::Kind::Word;
    return token;
  }
  const bool known = std::string_view("=(){}:,@").contains(c);
  token.kind = known ? Token::Kind::Symbol : Token::Kind::Bad;
  token.text = c;
  advance();
  return token;
}

Token Lexer::next_type() {
  Token token = next();
  if (token.kind != Token::Kind::Word) return token;
  if (peek() == '<') {
    take_while(token, [](char c) { return c != '>' && c != '\n'; });
    token.text += '>';
    if (at_ < text_.size()) advance();
  }
  if (peek() == '[') {
    take_while(token, [](char c) { return c != ']' && c != '\n'; });
    token.text += ']';
    if (at_ < text_.size()) advance();
  }
  return token;
}

}  // namespace parhelion::ir::kernel
