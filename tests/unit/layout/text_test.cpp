// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "layout/linear_layout.h"

using namespace parhelion::layout;

TEST_CASE("a layout's text round-trips") {
  const std::string_view texts[] = {
      "m:16 n:8 | register n:1 m:8 | lane n:2 n:4 m:1 m:2 m:4",
      "n:16*5 | register n:1 n:8 | lane n:2 n:4 0 0 0",
      "a0:4 a1:8 | offset a1:1 a1:2 a1:4 a0:1^a1:1 a0:2^a1:2",
      "x:2",
  };
  for (const auto text : texts) {
    const auto layout = LinearLayout::parse(text);
    REQUIRE(layout.has_value());
    CHECK(layout->text() == text);
    CHECK(LinearLayout::parse(layout->text()) == layout);
  }
}

TEST_CASE("a text that is no layout is refused") {
  for (const auto text : {"m:6 | lane m:1", "m:4 | lane k:1", "m:4 | wave m:1", "m:4 | lane m:4",
                          "m:4*2 | lane m:1", "m | lane m:1", "m:4 | lane m"}) {
    CHECK_FALSE(LinearLayout::parse(text).has_value());
  }
}

TEST_CASE("the repeat of an axis lies above the atom's slots") {
  const auto layout = *LinearLayout::parse("n:16*5 | register n:1 n:8 | lane n:2 n:4");
  CHECK(layout.slots() == 20);
  CHECK(layout.at({.slot = 0, .lane = 3})[0] == 6);
  CHECK(layout.at({.slot = 7, .lane = 1})[0] == 16 + 9 + 2);
  CHECK(layout.at({.slot = 19, .lane = 3})[0] == 79);
}
