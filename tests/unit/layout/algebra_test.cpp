// SPDX-License-Identifier: Apache-2.0
#include "layout/algebra.h"

#include <doctest/doctest.h>

#include "layout/conversion.h"
#include "layout/fragments.h"

using namespace parhelion::layout;

namespace {
LinearLayout parse(const char* text) { return *LinearLayout::parse(text); }
}  // namespace

TEST_CASE("product puts the outer layout above the inner one on each axis") {
  const auto tile =
      product(layout_of(Fragment::MmaD), parse("m:2 n:4*3 | register n:1 n:2 | warp m:1"));
  CHECK(tile.text() ==
        "m:32 n:32*3 | register n:1 m:8 n:8 n:16 | lane n:2 n:4 m:1 m:2 m:4 | warp m:16");
}

TEST_CASE("quotient undoes product, and refuses what is not made of the fragment") {
  const auto outer = parse("m:2 n:4*3 | register n:1 n:2 | warp m:1");
  const auto tile = product(layout_of(Fragment::MmaD), outer);
  CHECK(quotient(tile, layout_of(Fragment::MmaD)) == outer);
  const auto blocked =
      parse("m:32 n:32 | register n:1 n:2 | lane n:4 n:8 n:16 m:1 m:2 | warp m:4 m:8 m:16");
  CHECK_FALSE(quotient(blocked, layout_of(Fragment::MmaD)).has_value());
}

TEST_CASE("the accumulator is the next product's 16-bit A with k := n") {
  const auto d = product(layout_of(Fragment::MmaD), parse("n:2 | register n:1"));
  auto a = layout_of(Fragment::MmaM16N8K16A);
  CHECK(with_axes(d, {{"m", 4, 1}, {"k", 4, 1}}) == a);
  CHECK(choose(conversion(with_axes(d, a.axes()), a)) == ConversionKind::Identity);
}

TEST_CASE("a reduction leaves copies where the axis was, and owners without them") {
  const auto reduced = without_axis(layout_of(Fragment::MmaD), "n");
  CHECK(reduced.text() == "m:16 | register m:8 | lane 0 0 m:1 m:2 m:4");
  CHECK(owner_mask(reduced) == OwnerMask{.lane = 3, .warp = 0});
  CHECK(duplicates(reduced).size() == 2);
}

TEST_CASE("canonical form forgets the order of registers and nothing else") {
  const auto a = parse("n:16 | register n:1 n:8 | lane n:2 n:4");
  const auto b = parse("n:16 | register n:8 n:1^n:8 | lane n:2 n:4");
  const auto c = parse("n:16 | register n:1 n:8 | lane n:4 n:2");
  CHECK(equal_up_to_registers(a, b));
  CHECK_FALSE(equal_up_to_registers(a, c));
  CHECK(choose(conversion(a, b)) == ConversionKind::Rename);
}

TEST_CASE("conversions by selects, shuffles and shared memory are told apart") {
  const auto blocked = parse("n:128 | register n:1 n:2 | lane n:4 n:8 n:16 n:32 n:64");
  const auto skewed = parse("n:128 | register n:1 n:2 | lane n:4^n:1 n:8 n:16 n:32 n:64");
  const auto turned = parse("n:128 | register n:1 n:4 | lane n:2 n:8 n:16 n:32 n:64");
  const auto warps = parse("n:128 | register n:1 | lane n:4 n:8 n:16 n:32 n:64 | warp n:2");
  const auto moved = parse("n:128 | register n:4 | lane n:1 n:8 n:16 n:32 n:64 | warp n:2^n:1");
  CHECK(choose(conversion(blocked, skewed)) == ConversionKind::Select);
  CHECK(choose(conversion(blocked, turned)) == ConversionKind::Shuffle);
  CHECK(choose(conversion(warps, moved)) == ConversionKind::Shared);
  // One rank between lanes and registers: half of the rounds are free.
  CHECK(shuffle_plan(conversion(blocked, turned))->shuffles == 2);
}
