// SPDX-License-Identifier: Apache-2.0
// C++ expressions as text with their binding strength and with what they read, so that they can be
// moved into their use without changing their meaning.
#pragma once

#include "ir/kernel/module.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::emit {

/// Levels of C++, weakest first; `Bits` is one level for & | ^ << >>, which never stand beside
/// another binary operator without parentheses (compilers warn, readers guess).
enum class Binding : std::uint8_t {
  Conditional,
  LogicalOr,
  LogicalAnd,
  Bits,
  Equality,
  Relational,
  Sum,
  Product,
  Unary,
  Primary,
};

struct Expression {
  std::string text;
  Binding binding = Binding::Primary;
  bool name = false;                       // a name or a literal: costs nothing to repeat
  bool memory = false;                     // reads memory
  std::vector<ir::kernel::ValueId> cells;  // variables and carried values that it reads
  // Of a pointer `base + index`, so that an access is written base[index]; else empty.
  std::string base, index;
  // Of `left symbol right`, so that an assignment to left is written with `symbol=`.
  std::string left, symbol, right;
  [[nodiscard]] bool reads() const { return memory || !cells.empty(); }
};

[[nodiscard]] Expression name_of(std::string text);
/// The text, in parentheses if it binds weaker than `least`.
[[nodiscard]] std::string within(const Expression& expression, Binding least);
/// Reads of the operands are reads of the result.
[[nodiscard]] Expression made_of(std::string text, Binding binding,
                                 std::span<const Expression> operands);
/// `a + b`: left-associative.
[[nodiscard]] Expression infix(std::string_view symbol, Binding binding, const Expression& a,
                               const Expression& b);
/// `target = value`, or `target += right` where the value is target + right.
[[nodiscard]] std::string assignment(const std::string& target, const Expression& value);
[[nodiscard]] Expression prefix(std::string_view symbol, const Expression& a);
/// `f(a, b)`.
[[nodiscard]] Expression call(std::string_view function, std::span<const Expression> arguments);

}  // namespace parhelion::emit
