// SPDX-License-Identifier: Apache-2.0
#include "ir/kernel/parser.h"

#include "base/diag.h"
#include "base/text.h"

#include <algorithm>
#include <utility>

namespace parhelion::ir::kernel {
namespace {

/// The name that the user wrote: without the ordinal of the printer.
std::string plain_name(const std::string& shown) {
  if (!shown.empty() && shown[0] >= '0' && shown[0] <= '9') return {};
  return shown.substr(0, shown.find('.'));
}

std::vector<std::string> op_names() {
  std::vector<std::string> names;
  for (const OpRow& row : op_rows()) names.emplace_back(row.text);
  return names;
}

}  // namespace

Parser::Parser(std::string_view text, std::string_view file) : lexer_(text), file_(file) { step(); }

Result<Module> Parser::parse() {
  bool good = true;
  while (good && token_.kind != Token::Kind::End) {
    good = is("function") ? function() : header_line();
  }
  if (!good) return std::unexpected(Diagnostics{*mistake_});
  return std::move(module_);
}

bool Parser::mistake(std::string message) {
  if (mistake_) return false;
  const Place where{file_, token_.line, token_.column};
  std::string found = token_.kind == Token::Kind::End ? "the end of the text" : token_.text;
  mistake_ = diag(5901, std::move(message) + ", at '" + found + "'", where);
  return false;
}

bool Parser::is(std::string_view symbol) const {
  const bool plain = token_.kind == Token::Kind::Word || token_.kind == Token::Kind::Symbol;
  return plain && token_.text == symbol;
}

void Parser::step() { token_ = lexer_.next(); }

bool Parser::take(std::string_view symbol) {
  if (!is(symbol)) return false;
  step();
  return true;
}

bool Parser::expect(std::string_view symbol) {
  return take(symbol) || mistake("expected '" + std::string(symbol) + "'");
}

bool Parser::word(std::string& out) {
  if (token_.kind != Token::Kind::Word) return mistake("expected a word");
  out = token_.text;
  step();
  return true;
}

bool Parser::text(std::string& out) {
  if (token_.kind != Token::Kind::Text) return mistake("expected a text in quotes");
  out = token_.text;
  step();
  return true;
}

/// The current token is the symbol before the type.
bool Parser::type(Type& out) {
  if (!is(":") && !is(",")) return mistake("expected ':'");
  token_ = lexer_.next_type();
  const std::optional<Type> parsed = parse_type(token_.text);
  if (!parsed) return mistake("no type");
  out = *parsed;
  step();
  return true;
}

bool Parser::define(const std::string& shown, const Type& type, OpId by, ValueId& out) {
  out = ValueId(module_.values.size());
  module_.values.push_back({type, plain_name(shown), by});
  if (!values_.emplace(shown, out).second) return mistake("%" + shown + " is defined twice");
  return true;
}

bool Parser::typed_value(OpId by, ValueId& out) {
  if (token_.kind != Token::Kind::Value) return mistake("expected a value");
  const std::string shown = token_.text;
  step();
  Type parsed;
  return type(parsed) && define(shown, parsed, by, out);
}

bool Parser::typed_list(OpId by, std::vector<ValueId>& out) {
  if (!expect("(")) return false;
  while (!is(")")) {
    if (!out.empty() && !expect(",")) return false;
    ValueId value;
    if (!typed_value(by, value)) return false;
    out.push_back(value);
  }
  return expect(")");
}

bool Parser::function() {
  step();
  const std::unordered_map<std::string, ValueId> outside = values_;
  Function made;
  if (!word(made.name)) return false;
  made.entry = take("entry");
  made.noinline_ = take("noinline");
  if (!typed_list({}, made.parameters)) return false;
  made.body = RegionId(module_.regions.size());
  module_.regions.emplace_back();
  const RegionId body = made.body;
  module_.functions.push_back(std::move(made));
  if (!expect("{") || !ops(body)) return false;
  values_ = outside;  // names inside of a function are its own
  return true;
}

/// Ops up to the closing brace.
bool Parser::ops(RegionId id) {
  while (!take("}")) {
    if (!op(id)) return false;
  }
  return true;
}

/// `(arguments) { ops } (arguments) { ops }`. Names inside of a region are its own.
bool Parser::regions(OpId owner) {
  while (is("(")) {
    const std::unordered_map<std::string, ValueId> outside = values_;
    const RegionId id(module_.regions.size());
    module_.regions.emplace_back();
    module_.op(owner).regions.push_back(id);
    std::vector<ValueId> arguments;
    if (!typed_list(owner, arguments) || !expect("{")) return false;
    module_.region(id).arguments = std::move(arguments);
    if (!ops(id)) return false;
    values_ = outside;
  }
  return true;
}

bool Parser::op(RegionId into) {
  std::vector<std::string> names;
  if (!op_results(names)) return false;
  const std::optional<OpCode> code = parse_op(token_.text);
  if (token_.kind != Token::Kind::Word || !code) {
    const auto near = close_match(token_.text, op_names());
    return mistake(near ? "unknown op (did you mean '" + *near + "'?)" : "expected an op");
  }
  const int line = token_.line;
  step();
  const OpId id(module_.ops.size());
  module_.ops.emplace_back().code = *code;
  module_.region(into).ops.push_back(id);
  Op made;
  made.code = *code;
  const bool good = op_operands(made, line) && op_types(names, made, id) && op_attributes(made) &&
                    op_location(made);
  if (!good) return false;
  module_.op(id) = std::move(made);
  return regions(id);
}

bool Parser::op_results(std::vector<std::string>& names) {
  while (token_.kind == Token::Kind::Value) {
    names.push_back(token_.text);
    step();
    if (!is("=") && !expect(",")) return false;
  }
  return names.empty() || expect("=");
}

/// Operands stand on the line of the op: a value on the next one is a result.
bool Parser::op_operands(Op& made, int line) {
  if (made.code == OpCode::Const) return number_attribute("value", made);
  while (token_.kind == Token::Kind::Value && token_.line == line) {
    const auto found = values_.find(token_.text);
    if (found == values_.end()) return mistake("unknown value %" + token_.text);
    made.operands.push_back(found->second);
    step();
    if (!take(",")) return true;
    line = token_.line;  // a comma continues
  }
  return true;
}

bool Parser::op_types(const std::vector<std::string>& names, Op& made, OpId id) {
  for (const std::string& shown : names) {
    Type parsed;
    if (!made.results.empty() && !is(",")) return mistake("expected a type for each result");
    if (!type(parsed) || !define(shown, parsed, id, made.results.emplace_back())) return false;
  }
  return true;
}

bool Parser::number_attribute(std::string_view key, Op& made) {
  if (token_.kind != Token::Kind::Number) return mistake("expected a number");
  const std::string number = token_.text;
  if (number.find_first_of(".enp") == std::string::npos) {
    std::int64_t value = 0;
    if (!integer(value)) return false;
    made.attributes.push_back({key, value});
    return true;
  }
  const std::optional<double> value = parse_number(number);
  if (!value) return mistake("expected a number");
  made.attributes.push_back({key, *value});
  step();
  return true;
}

bool Parser::op_attributes(Op& made) {
  if (!take("{")) return true;
  while (!take("}")) {
    const auto keys = attribute_keys();
    const auto key = std::ranges::find(keys, token_.text);
    if (key == keys.end()) return mistake("unknown attribute");
    step();
    if (!expect("=")) return false;
    if (token_.kind == Token::Kind::Text) {
      made.attributes.push_back({*key, token_.text});
      step();
    } else if (!number_attribute(*key, made)) {
      return false;
    }
    if (!is("}") && !expect(",")) return false;
  }
  return true;
}

bool Parser::op_location(Op& made) {
  if (!take("@")) return true;
  return integer(made.where.file) && expect(":") && integer(made.where.line) && expect(":") &&
         integer(made.where.column);
}

Result<Module> parse(std::string_view text, std::string_view file) {
  return Parser(text, file).parse();
}

}  // namespace parhelion::ir::kernel
