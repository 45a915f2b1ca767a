// SPDX-License-Identifier: Apache-2.0
// Parser of the textual kernel IR. The first mistake ends it.
#pragma once

#include "base/text.h"
#include "ir/kernel/lexer.h"
#include "ir/kernel/module.h"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace parhelion::ir::kernel {

class Parser {
 public:
  Parser(std::string_view text, std::string_view file);
  Result<Module> parse();

 private:
  // Tokens. Each returns false after the first mistake.
  bool mistake(std::string message);
  bool is(std::string_view symbol) const;
  void step();
  bool expect(std::string_view symbol);
  bool take(std::string_view symbol);
  bool word(std::string& out);
  bool text(std::string& out);
  template <class Integer>
  bool integer(Integer& out);
  bool type(Type& out);
  bool program(SizeProgram& out);

  // Header (parser_header.cpp).
  bool header_line();
  bool constant_line();
  bool symbol_line();
  bool parameter_line();
  bool phase_line();

  // Functions (parser.cpp).
  bool function();
  bool ops(RegionId id);
  bool regions(OpId owner);
  bool op(RegionId into);
  bool op_results(std::vector<std::string>& names);
  bool op_operands(Op& made, int line);
  bool op_types(const std::vector<std::string>& names, Op& made, OpId id);
  bool op_attributes(Op& made);
  bool op_location(Op& made);
  bool number_attribute(std::string_view key, Op& made);
  bool define(const std::string& shown, const Type& type, OpId by, ValueId& out);
  bool typed_value(OpId by, ValueId& out);
  bool typed_list(OpId by, std::vector<ValueId>& out);

  Lexer lexer_;
  Token token_;
  std::string file_;
  Module module_;
  std::unordered_map<std::string, ValueId> values_;
  std::optional<Diagnostic> mistake_;
};

template <class Integer>
bool Parser::integer(Integer& out) {
  const std::optional<std::int64_t> value = parse_integer(token_.text);
  if (token_.kind != Token::Kind::Number || !value) return mistake("expected an integer");
  out = static_cast<Integer>(*value);
  step();
  return true;
}

}  // namespace parhelion::ir::kernel
