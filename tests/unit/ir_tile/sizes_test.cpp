// SPDX-License-Identifier: Apache-2.0
#include "base/rng.h"
#include "ir/tile/sizes.h"

#include <doctest/doctest.h>

#include <array>

using namespace parhelion;
using ir::SizeId;
using ir::SizeTable;

namespace {

SizeId named(SizeTable& t, const char* name) {
  return t.symbol({ir::SizeSymbol::Kind::Size, name, ir::TensorId(0u), 0, {}});
}

std::string text(const SizeTable& t, SizeId id) {
  return t.text(id, [](ir::BlockId b) { return "b" + std::to_string(b.value); });
}

}  // namespace

TEST_CASE("equal polynomials are one size") {
  SizeTable t;
  const SizeId m = named(t, "m"), n = named(t, "n");
  CHECK(t.sub(t.add(m, n), n) == m);
  CHECK(t.mul(t.add(m, n), t.add(m, n)) ==
        t.add(t.add(t.mul(m, m), t.mul(n, n)), t.mul(t.constant(2), t.mul(n, m))));
  CHECK(t.value(t.sub(m, m)) == 0);
  CHECK(t.symbol_index(m) == 0u);
}

TEST_CASE("constant divisors take out what they divide") {
  SizeTable t;
  const SizeId n = named(t, "n");
  const SizeId a = t.add(t.mul(t.constant(64), n), t.constant(3));
  CHECK(t.floor_div(a, t.constant(64)) == n);
  CHECK(t.ceil_div(a, t.constant(64)) == t.add(n, t.constant(1)));
  CHECK(t.value(t.mod(a, t.constant(64))) == 3);
  CHECK(t.floor_div(n, t.constant(1)) == n);
  CHECK(t.value(t.floor_div(n, t.constant(0))) == 0);
  CHECK(t.min(n, t.add(n, t.constant(1))) == n);
  CHECK(t.max(n, n) == n);
}

TEST_CASE("text is canonical, with parentheses round everything compound") {
  SizeTable t;
  const SizeId m = named(t, "m"), n = named(t, "n");
  CHECK(text(t, t.sub(n, t.constant(1))) == "(n - 1)");
  CHECK(text(t, t.sub(t.constant(0), n)) == "(0 - n)");
  CHECK(text(t, t.add(t.mul(n, m), t.mul(t.constant(3), n))) == "((m * n) + (3 * n))");
  CHECK(text(t, t.ceil_div(n, t.block(ir::BlockId(2u)))) == "cdiv(n, block(b2))");
  CHECK(text(t, t.min(n, m)) == "min(m, n)");
  CHECK(text(t, t.mod(n, m)) == "(n % m)");
}

TEST_CASE("divisors and exact quotients") {
  SizeTable t;
  const SizeId m = named(t, "m"), n = named(t, "n");
  const SizeId b = t.block(ir::BlockId(0u));
  const SizeId a = t.add(t.mul(t.constant(12), n), t.mul(t.constant(8), m));
  CHECK(t.divisor(a) == 4);
  CHECK(t.divisor(t.mul(b, t.constant(3)), [](ir::BlockId) { return 16; }) == 48);
  CHECK(t.divisor(t.constant(0)) == 0);
  CHECK(t.divide_exact(t.mul(m, n), n) == m);
  CHECK_FALSE(t.divide_exact(t.add(m, n), n).has_value());
  CHECK(t.has_block(t.add(b, n)));
  CHECK_FALSE(t.has_block(n));
}

TEST_CASE("random expressions: canonical form, program and plain evaluation agree") {
  Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    SizeTable t;
    std::vector<std::pair<SizeId, std::int64_t>> pool;
    std::vector<std::int64_t> values;
    for (const char* name : {"a", "b", "c"}) {
      values.push_back(rng.between(0, 40));
      pool.emplace_back(named(t, name), values.back());
    }
    for (int i = 0; i < 12; ++i) {
      const auto [x, vx] = pool[rng.below(pool.size())];
      const bool constant = rng.chance(0.3);
      const std::int64_t c = rng.between(-3, 9);
      const auto other = pool[rng.below(pool.size())];
      const SizeId y = constant ? t.constant(c) : other.first;
      const std::int64_t vy = constant ? c : other.second;
      switch (rng.below(8)) {
        case 0: pool.emplace_back(t.add(x, y), vx + vy); break;
        case 1: pool.emplace_back(t.sub(x, y), vx - vy); break;
        case 2:
          if (std::abs(vx) < 100000 && std::abs(vy) < 100000) {
            pool.emplace_back(t.mul(x, y), vx * vy);
          }
          break;
        case 3: pool.emplace_back(t.floor_div(x, y), floor_div(vx, vy)); break;
        case 4: pool.emplace_back(t.mod(x, y), vy == 0 ? 0 : floor_mod(vx, vy)); break;
        case 5: pool.emplace_back(t.ceil_div(x, y), ceil_div(vx, vy)); break;
        case 6: pool.emplace_back(t.min(x, y), std::min(vx, vy)); break;
        default: pool.emplace_back(t.max(x, y), std::max(vx, vy)); break;
      }
    }
    for (const auto& [id, value] : pool) {
      CAPTURE(text(t, id));
      CHECK(t.evaluate(id, values) == value);
      CHECK(t.program(id).evaluate(values) == value);
      const std::int64_t d = t.divisor(id);
      CHECK((d == 0 ? value == 0 : value % d == 0));
    }
  }
}
