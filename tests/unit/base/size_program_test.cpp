// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"
#include "base/rng.h"
#include "base/size_program.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace parhelion;
using Code = SizeProgram::Code;

namespace {

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();

/// A program beside its value, computed directly; small numbers, so that nothing wraps.
struct Both {
  SizeProgram program;
  std::int64_t value;
};

std::int64_t direct(Code code, std::int64_t a, std::int64_t b) {
  const auto floor = [](std::int64_t x, std::int64_t y) {
    const double q = std::floor(static_cast<double>(x) / static_cast<double>(y));
    return static_cast<std::int64_t>(q);  // exact: the operands are small
  };
  switch (code) {
    case Code::Add: return a + b;
    case Code::Sub: return a - b;
    case Code::Mul: return a * b;
    case Code::FloorDiv: return b == 0 ? 0 : floor(a, b);
    case Code::Mod: return b == 0 ? 0 : a - floor(a, b) * b;
    case Code::CeilDiv: return b == 0 ? 0 : -floor(-a, b);
    case Code::Min: return a < b ? a : b;
    case Code::Max: return a < b ? b : a;
    case Code::Constant:
    case Code::Symbol: break;
  }
  return 0;
}

Both random_program(Rng& rng, const std::vector<std::int64_t>& symbols, int depth) {
  if (depth == 0 || rng.chance(0.2)) {
    if (rng.chance(0.5)) {
      const auto i = rng.below(symbols.size());
      return {SizeProgram::symbol(static_cast<std::int64_t>(i)), symbols[i]};
    }
    const std::int64_t c = rng.between(-9, 9);
    return {SizeProgram::constant(c), c};
  }
  const auto code = static_cast<Code>(rng.between(2, 9));
  const Both a = random_program(rng, symbols, depth - 1);
  const Both b = random_program(rng, symbols, depth - 1);
  return {SizeProgram::binary(code, a.program, b.program), direct(code, a.value, b.value)};
}

}  // namespace

TEST_CASE("random programs: value, text, folding") {
  Rng rng(5);
  for (int i = 0; i < 3000; ++i) {
    const std::vector<std::int64_t> symbols = {rng.between(-20, 20), rng.between(0, 100), 3};
    const Both both = random_program(rng, symbols, 4);
    if (both.program.evaluate(symbols) != both.value) FAIL(both.program.text());
    const auto back = SizeProgram::parse(both.program.text());
    REQUIRE(back);
    if (*back != both.program) FAIL(both.program.text());
  }
}

TEST_CASE("text of a program") {
  const SizeProgram p = SizeProgram::binary(
      Code::Mul, SizeProgram::binary(Code::CeilDiv, SizeProgram::symbol(0),
                                     SizeProgram::constant(64)),
      SizeProgram::symbol(1));
  CHECK(p.text() == "s0 64 ceildiv s1 *");
  const std::vector<std::int64_t> symbols = {129, 5};
  CHECK(p.evaluate(symbols) == 15);
  CHECK(SizeProgram::binary(Code::Add, SizeProgram::constant(2), SizeProgram::constant(3)).text() ==
        "5");
}

TEST_CASE("an empty program is 0") {
  CHECK(SizeProgram().evaluate({}) == 0);
  CHECK(SizeProgram().text() == "");
  CHECK(SizeProgram::parse("") == SizeProgram());
  const SizeProgram sum = SizeProgram::binary(Code::Add, SizeProgram(), SizeProgram::symbol(0));
  const std::vector<std::int64_t> symbols = {7};
  CHECK(sum.evaluate(symbols) == 7);
}

TEST_CASE("division rounds down, and by 0 gives 0") {
  CHECK(floor_div(-7, 2) == -4);
  CHECK(floor_div(7, -2) == -4);
  CHECK(floor_mod(-7, 2) == 1);
  CHECK(floor_mod(7, -2) == -1);
  CHECK(ceil_div(7, 2) == 4);
  CHECK(ceil_div(-7, 2) == -3);
  CHECK(floor_div(5, 0) == 0);
  CHECK(floor_mod(5, 0) == 0);
  CHECK(ceil_div(5, 0) == 0);
  // The one quotient that does not fit wraps instead of trapping.
  CHECK(floor_div(lowest, -1) == lowest);
  CHECK(ceil_div(lowest, -1) == lowest);
  CHECK(floor_mod(lowest, -1) == 0);
  CHECK(ceil_div(lowest, 2) == lowest / 2);
}

TEST_CASE("texts that are no program: PH8007") {
  for (const char* bad : {"+", "1 +", "1 2", "s", "s-1", "x", "1 2 + +", "1  2 +", "1 2 pow"}) {
    CAPTURE(bad);
    const auto parsed = SizeProgram::parse(bad);
    REQUIRE_FALSE(parsed);
    CHECK(parsed.error().front().code == 8007);
  }
  CHECK(SizeProgram::parse("1 2 pow").error().front().message ==
        "size program: unknown word 'pow'");
}

TEST_CASE("a symbol that the call lacks is a broken invariant") {
  CHECK_THROWS_AS((void)SizeProgram::symbol(2).evaluate({}), InternalError);
}
