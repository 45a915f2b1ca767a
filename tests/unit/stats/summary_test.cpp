// SPDX-License-Identifier: Apache-2.0
#include "stats/summary.h"

#include <doctest/doctest.h>

using namespace parhelion;
using namespace parhelion::stats;

TEST_CASE("a summary prints its interval and count, and round-trips through JSON") {
  Summary s{.name = "softmax",
            .value = 12.3456,
            .unit = "us",
            .n = 5,
            .low = 12.1,
            .high = 12.61,
            .level = 0.9,
            .method = "t",
            .environment = "a machine"};
  CHECK(text(s) == "12.35 us [12.10, 12.61] (n = 5)");
  CHECK(summary_from_json(to_json(s)) == s);
  s.low = s.high = std::nullopt;
  CHECK(text(s) == "12.35 us (n = 5)");
  CHECK(summary_from_json(to_json(s)) == s);
}

TEST_CASE("numbers are short and keep four digits") {
  CHECK(short_number(0) == "0");
  CHECK(short_number(1.12) == "1.120");
  CHECK(short_number(123456) == "123456");
  CHECK(short_number(0.0123456) == "0.01235");
  CHECK(short_number(1.5e-6) == "1.5e-06");
  CHECK(short_number(-42.42) == "-42.42");
}

TEST_CASE("a summary without a value is refused") {
  const auto wrong = summary_from_json(Json::object().set("unit", "us"));
  REQUIRE_FALSE(wrong.has_value());
  CHECK(wrong.error().front().code == 9041);
  CHECK(wrong.error().front().message == "a summary without its value");
  CHECK_FALSE(summary_from_json(Json("x")).has_value());
}
