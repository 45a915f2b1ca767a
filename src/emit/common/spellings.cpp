// SPDX-License-Identifier: Apache-2.0
// Default spellings: the part of the ops that is plain C++ on scalars, and on vectors where the
// compiler's vector extension has the same operators.
#include "emit/common/c_family.h"

#include "base/diag.h"
#include "base/text.h"

#include <cmath>
#include <limits>
#include <optional>

namespace parhelion::emit {
namespace {

using ir::kernel::OpCode;

struct Infix {
  std::string_view symbol;
  Binding binding;
};

std::optional<Infix> infix_of(OpCode code, bool scalar_bool) {
  switch (code) {
    case OpCode::Add: return Infix{"+", Binding::Sum};
    case OpCode::Sub: return Infix{"-", Binding::Sum};
    case OpCode::Mul: return Infix{"*", Binding::Product};
    case OpCode::Div: return Infix{"/", Binding::Product};
    case OpCode::Rem: return Infix{"%", Binding::Product};
    case OpCode::And:
      return scalar_bool ? Infix{"&&", Binding::LogicalAnd} : Infix{"&", Binding::Bits};
    case OpCode::Or:
      return scalar_bool ? Infix{"||", Binding::LogicalOr} : Infix{"|", Binding::Bits};
    case OpCode::Xor:
      return scalar_bool ? Infix{"!=", Binding::Equality} : Infix{"^", Binding::Bits};
    case OpCode::Shl: return Infix{"<<", Binding::Bits};
    case OpCode::Shr: return Infix{">>", Binding::Bits};
    case OpCode::Eq: return Infix{"==", Binding::Equality};
    case OpCode::Ne: return Infix{"!=", Binding::Equality};
    case OpCode::Lt: return Infix{"<", Binding::Relational};
    case OpCode::Le: return Infix{"<=", Binding::Relational};
    case OpCode::Gt: return Infix{">", Binding::Relational};
    case OpCode::Ge: return Infix{">=", Binding::Relational};
    default: return std::nullopt;
  }
}

Expression conditional(std::span<const Expression> operands) {
  const std::string text = within(operands[0], Binding::LogicalOr) + " ? " +
                           within(operands[1], Binding::LogicalOr) + " : " +
                           within(operands[2], Binding::LogicalOr);
  return made_of(text, Binding::Conditional, operands);
}

/// `x[i]` where the pointer was x + i, `*p` where it is a name.
Expression access(const Expression& pointer) {
  const std::span<const Expression> operands(&pointer, 1);
  if (!pointer.base.empty()) {
    return made_of(pointer.base + "[" + pointer.index + "]", Binding::Primary, operands);
  }
  return made_of("*" + within(pointer, Binding::Unary), Binding::Unary, operands);
}

std::string integer_literal(std::int64_t value, DType type) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807 - 1)";
  const bool is_unsigned = type == DType::U32 || type == DType::U64;
  return std::to_string(value) + (is_unsigned ? "u" : "");
}

Expression constant(std::string text) {
  Expression result = name_of(std::move(text));
  if (result.text.starts_with('-')) result.binding = Binding::Unary;
  return result;
}

std::string callee(OpCode code) {
  switch (code) {
    case OpCode::Fma: return "fma";
    case OpCode::Abs: return "abs";
    case OpCode::MinNan: return "min_nan";
    case OpCode::MaxNan: return "max_nan";
    case OpCode::MinNumber: return "min_number";
    case OpCode::MaxNumber: return "max_number";
    case OpCode::FloorDiv: return "floor_div";
    case OpCode::FloorMod: return "floor_mod";
    default: return {};
  }
}

}  // namespace

std::string CFamily::type_text(const Type& type) const {
  if (type.lanes != 1) return std::string(name(type.element)) + "x" + std::to_string(type.lanes);
  switch (type.element) {
    case DType::Bool: return "bool";
    case DType::I32: return "int";
    case DType::F32: return "float";
    case DType::F64: return "double";
    default: return std::string(name(type.element));
  }
}

std::string CFamily::literal(double value, DType type) const {
  const std::string suffix = type == DType::F64 ? "" : "f";
  if (std::isnan(value)) return "__builtin_nan" + suffix + "(\"\")";
  if (std::isinf(value)) return (value < 0 ? "-__builtin_inf" : "__builtin_inf") + suffix + "()";
  std::string text = number_text(value, type == DType::F64 ? type : DType::F32);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + suffix;
}

Expression CFamily::spell(const Op& op, Operands operands) {
  const Type type = module().type(op.results[0]);
  const bool scalar_bool = type.element == DType::Bool && type.lanes == 1;
  const auto infix_op = infix_of(op.code, scalar_bool);
  if (infix_op) {
    Expression right = operands[1];
    // Sums of 64 bits may be taken in the order of the text; narrower ones could wrap in between.
    const bool sum = op.code == OpCode::Add && type.element == DType::I64;
    if (sum && right.binding == Binding::Sum) right.binding = Binding::Product;
    return infix(infix_op->symbol, infix_op->binding, operands[0], right);
  }
  switch (op.code) {
    case OpCode::Const: {
      if (!op.word("constant").empty()) return name_of(std::string(op.word("constant")));
      if (is_float(type.element)) return constant(literal(op.number("value"), type.element));
      if (scalar_bool) return name_of(op.integer("value") != 0 ? "true" : "false");
      return constant(integer_literal(op.integer("value"), type.element));
    }
    case OpCode::Neg: return prefix("-", operands[0]);
    case OpCode::Not: return prefix(scalar_bool ? "!" : "~", operands[0]);
    case OpCode::Select: return conditional(operands);
    case OpCode::Convert: {
      const std::string text = "(" + type_text(type) + ")" + within(operands[0], Binding::Unary);
      return made_of(text, Binding::Unary, operands);
    }
    case OpCode::Math: return call(op.word("function"), operands);
    case OpCode::Offset: {
      Expression index = operands[1];
      const bool wide = module().type(op.operands[1]).element == DType::I64;
      if (wide && index.binding == Binding::Sum) index.binding = Binding::Product;
      Expression sum = infix("+", Binding::Sum, operands[0], index);
      if (operands[0].name) {
        sum.base = operands[0].text;
        sum.index = operands[1].text;
      }
      return sum;
    }
    case OpCode::Load: {
      Expression loaded = access(operands[0]);
      loaded.memory = true;
      return loaded;
    }
    case OpCode::Get: {
      Expression got = operands[0];
      if (operands.size() > 1) {
        const std::string element = got.text + "[" + operands[1].text + "]";
        got = made_of(element, Binding::Primary, operands);
      }
      got.cells.push_back(op.operands[0]);
      return got;
    }
    default: break;
  }
  const std::string function = callee(op.code);
  PH_ASSERT(!function.empty(), "no spelling for " + std::string(ir::kernel::row(op.code).text));
  return call(function, operands);
}

std::string CFamily::spell_statement(const Op& op, Operands operands) {
  switch (op.code) {
    case OpCode::Store: return access(operands[0]).text + " = " + operands[1].text;
    case OpCode::Set: {
      std::string target = operands[0].text;
      if (operands.size() > 2) target += "[" + operands[2].text + "]";
      return assignment(target, operands[1]);
    }
    default: break;
  }
  PH_ASSERT(false, "no spelling for " + std::string(ir::kernel::row(op.code).text));
  return {};
}

bool CFamily::custom(const Op&) { return false; }

bool CFamily::may_move(const Op& op) const {
  const ir::kernel::OpRow& facts = ir::kernel::row(op.code);
  const bool effects =
      facts.effect == ir::kernel::Effect::Write || facts.effect == ir::kernel::Effect::Both;
  // An op of many threads must not slip under the condition of a `?:`.
  return !effects && facts.convergence == ir::kernel::Convergence::Thread;
}

std::string CFamily::unroll_pragma(std::int64_t count) const {
  return "#pragma GCC unroll " + std::to_string(count);
}

std::string CFamily::declaration(ValueId value, const std::string& name, bool constant) const {
  const Type& type = module().type(value);
  std::string text = type_text(type);
  if (type.pointer != ir::kernel::Space::None) {
    return (read_only(value) ? "const " : "") + text + "* " + name;
  }
  if (constant) text = "const " + text;
  text += " " + name;
  if (type.count != 0) text += "[" + std::to_string(type.count) + "]";
  return text;
}

std::string CFamily::function_head(const Function& function) {
  std::vector<std::string> parameters;
  for (const ValueId id : function.parameters) {
    const Type& type = module().type(id);
    std::string name = fresh_name(id, "p");
    bind(id, name_of(name));
    if (usage_.count(id) == 0) name = "/*" + name + "*/";
    if (type.count != 0) {
      const std::string reference = "(&" + name + ")[" + std::to_string(type.count) + "]";
      parameters.push_back(type_text(type) + " " + reference);
    } else {
      parameters.push_back(declaration(id, name, false));
    }
  }
  std::string head = "static ";
  head += function.noinline_ ? "__attribute__((noinline)) " : "inline ";
  const auto lines = wrapped(head + "void " + function.name + "(", parameters, ")", 2);
  std::string text = lines[0];
  for (std::size_t i = 1; i < lines.size(); ++i) text += "\n" + lines[i];
  return text;
}

void CFamily::begin_entry(const Function&) {}

void CFamily::print_declarations(CodeWriter&) {}

}  // namespace parhelion::emit
