// SPDX-License-Identifier: Apache-2.0
#include "config/constraint.h"

#include "base/diag.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>

using namespace parhelion;
using namespace parhelion::config;

TEST_CASE("the rows of the constraint table are named once and have both texts") {
  std::set<std::string_view> names;
  for (const ConstraintRow& r : constraints()) {
    INFO(r.name);
    CHECK(names.insert(r.name).second);
    CHECK_FALSE(r.reason.empty());
    CHECK_FALSE(r.repair.empty());
    CHECK(std::ranges::count(r.reason, '{') == std::ranges::count(r.reason, '}'));
    CHECK(std::ranges::count(r.repair, '{') == std::ranges::count(r.repair, '}'));
    CHECK(&row(r.id) == &r);
  }
}

TEST_CASE("placeholders are filled by name") {
  CHECK(reason(ConstraintId::VectorRegisters,
               {{"key", "register_block[d0]"}, {"value", "14x2"}, {"need", 31}, {"have", 16}}) ==
        "register_block[d0] = 14x2 needs 31 vector registers, 16 exist");
  CHECK(repair(ConstraintId::VectorRegisters, {{"fix", "6x2"}, {"key", "unused"}}) == "use 6x2");
  CHECK_THROWS_AS((void)repair(ConstraintId::VectorRegisters, {}), InternalError);
  const std::array<Fill, 1> fills = {Fill("a", 1)};
  CHECK(fill("{a}{a} b", fills) == "11 b");
}

TEST_CASE("strict mode reports a refusal as PH7101") {
  const Diagnostic d = refusal_diagnostic(ConstraintId::SimdFeature, "the reason", "use 32",
                                          {"softmax.cpp", 41, 18});
  CHECK(d.code == 7101);
  CHECK(d.message == "the reason");
  CHECK(d.help == "use 32");
  CHECK(d.where.line == 41);
  REQUIRE(d.notes.size() == 1);
  CHECK(d.notes.front().message == "constraint simd-feature");
}
