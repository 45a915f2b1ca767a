// SPDX-License-Identifier: Apache-2.0
#include "emit/common/expression.h"

#include <algorithm>
#include <array>

namespace parhelion::emit {

Expression name_of(std::string text) {
  Expression result;
  result.text = std::move(text);
  result.name = true;
  return result;
}

std::string within(const Expression& expression, Binding least) {
  return expression.binding < least ? "(" + expression.text + ")" : expression.text;
}

Expression made_of(std::string text, Binding binding, std::span<const Expression> operands) {
  Expression result;
  result.text = std::move(text);
  result.binding = binding;
  for (const Expression& operand : operands) {
    result.memory = result.memory || operand.memory;
    for (const ir::kernel::ValueId cell : operand.cells) {
      if (!std::ranges::count(result.cells, cell)) result.cells.push_back(cell);
    }
  }
  return result;
}

Expression infix(std::string_view symbol, Binding binding, const Expression& a,
                 const Expression& b) {
  const bool bits = binding == Binding::Bits;
  const Binding left = bits ? Binding::Unary : binding;
  const Binding right =
      bits ? Binding::Unary : static_cast<Binding>(static_cast<std::uint8_t>(binding) + 1);
  const std::array<Expression, 2> operands{a, b};
  const std::string text = within(a, left) + " " + std::string(symbol) + " " + within(b, right);
  Expression result = made_of(text, binding, operands);
  const bool arithmetic = bits || binding == Binding::Sum || binding == Binding::Product;
  if (arithmetic) {
    result.left = a.text;
    result.symbol = symbol;
    result.right = b.text;
  }
  return result;
}

std::string assignment(const std::string& target, const Expression& value) {
  if (value.symbol.empty() || value.left != target) return target + " = " + value.text;
  return target + " " + value.symbol + "= " + value.right;
}

Expression prefix(std::string_view symbol, const Expression& a) {
  const bool literal = a.name && a.text.starts_with('-');
  const std::string operand = literal ? "(" + a.text + ")" : within(a, Binding::Primary);
  return made_of(std::string(symbol) + operand, Binding::Unary, std::span(&a, 1));
}

Expression call(std::string_view function, std::span<const Expression> arguments) {
  std::string text(function);
  text += "(";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    text += (i == 0 ? "" : ", ") + arguments[i].text;
  }
  return made_of(text + ")", Binding::Primary, arguments);
}

}  // namespace parhelion::emit
