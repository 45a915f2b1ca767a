// SPDX-License-Identifier: Apache-2.0
#include "emit/common/expression.h"
#include "emit/common/names.h"

#include <doctest/doctest.h>

#include <array>

using namespace parhelion::emit;

namespace {

Expression sum(const Expression& a, const Expression& b) { return infix("+", Binding::Sum, a, b); }
Expression product(const Expression& a, const Expression& b) {
  return infix("*", Binding::Product, a, b);
}

}  // namespace

TEST_CASE("parentheses stand where the value needs them, and only there") {
  const Expression a = name_of("a"), b = name_of("b"), c = name_of("c");
  CHECK(sum(sum(a, b), c).text == "a + b + c");
  CHECK(sum(a, sum(b, c)).text == "a + (b + c)");
  CHECK(sum(product(a, b), c).text == "a * b + c");
  CHECK(product(sum(a, b), c).text == "(a + b) * c");
  CHECK(infix("-", Binding::Sum, a, infix("-", Binding::Sum, b, c)).text == "a - (b - c)");
  CHECK(infix("&", Binding::Bits, sum(a, b), c).text == "(a + b) & c");
  CHECK(infix("|", Binding::Bits, infix("|", Binding::Bits, a, b), c).text == "(a | b) | c");
  CHECK(infix("<", Binding::Relational, sum(a, b), c).text == "a + b < c");
  CHECK(prefix("-", sum(a, b)).text == "-(a + b)");
  CHECK(prefix("-", name_of("-1.0f")).text == "-(-1.0f)");
  CHECK(prefix("-", prefix("-", a)).text == "-(-a)");
  const std::array<Expression, 2> arguments{sum(a, b), c};
  CHECK(call("f", arguments).text == "f(a + b, c)");
}

TEST_CASE("assignments accumulate where the value starts with the target") {
  const Expression a = name_of("a"), b = name_of("b"), c = name_of("c");
  CHECK(assignment("a", sum(a, b)) == "a += b");
  CHECK(assignment("a", product(a, sum(b, c))) == "a *= b + c");
  CHECK(assignment("b", sum(a, b)) == "b = a + b");
  CHECK(assignment("a", sum(sum(a, b), c)) == "a = a + b + c");
}

TEST_CASE("reads of operands are reads of the whole") {
  Expression loaded = name_of("*p");
  loaded.memory = true;
  Expression cell = name_of("s");
  cell.cells = {parhelion::ir::kernel::ValueId(3u)};
  const Expression both = sum(loaded, cell);
  CHECK(both.memory);
  CHECK(both.cells == cell.cells);
  CHECK(!sum(name_of("a"), name_of("b")).reads());
}

TEST_CASE("names are unique in their scope and never words of the language") {
  ScopedNames names;
  names.reserve("load");
  CHECK(names.take("x") == "x");
  CHECK(names.take("x") == "x_2");
  CHECK(names.take("load") == "load_2");
  CHECK(names.take("int") == "int_2");
  names.open();
  CHECK(names.take("x") == "x_3");
  CHECK(names.take("j") == "j");
  names.close();
  CHECK(names.take("j") == "j");
  CHECK(names.take("") == "t");
}
