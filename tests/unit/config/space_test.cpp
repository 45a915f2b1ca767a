// SPDX-License-Identifier: Apache-2.0
#include "config/search_space.h"

#include "base/diag.h"

#include <doctest/doctest.h>

using namespace parhelion;
using namespace parhelion::config;

namespace {

/// A tile, a ring inside of an option, and two settings of a compiler.
SearchSpace small_space() {
  SearchSpace space;
  Param block = pow2_param("block", 16, 256, 64);
  block.stands_for = Key{Parameter::Block, 0};
  space.add(block);
  space.add(bool_param("async", false));
  Param stages = integer_param("stages", 2, 4, 1, 2);
  stages.active_if = {{.param = 1, .choices = {1}}};
  stages.stands_for = Key{Parameter::Stages, 0};
  space.add(stages);
  Param level =
      ordinal_param("level", {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}}, std::int64_t{2});
  level.stage = 2;
  level.stands_for = SettingName{"g++", "opt-level"};
  space.add(level);
  Param rename = categorical_param("rename", {"default", "on", "off"}, "default");
  rename.stage = 2;
  rename.stands_for = SettingName{"g++", "rename-registers"};
  space.add(rename);
  return space;
}

}  // namespace

TEST_CASE("choices and values correspond in every kind of parameter") {
  const std::vector<Param> params = {
      bool_param("b", true),
      integer_param("i", 3, 17, 7, 10),
      pow2_param("p", 1, 64, 8),
      ordinal_param("o", {std::int64_t{1}, std::int64_t{12}}, std::int64_t{12}),
      categorical_param("c", {"x", "y", "z"}, "z"),
      permutation_param("perm", 4)};
  const std::vector<std::int64_t> sizes = {2, 3, 7, 2, 3, 24};
  for (std::size_t i = 0; i < params.size(); ++i) {
    INFO(params[i].name);
    CHECK(params[i].size() == sizes[i]);
    for (Choice c = 0; c < params[i].size(); ++c) {
      CHECK(params[i].choice_of(params[i].value(c)) == c);
    }
    CHECK_FALSE(params[i].choice_of(std::string("nothing")));
  }
  CHECK(params[1].fallback == 1);
  CHECK(params[5].value(0) == Value(std::vector<std::int64_t>{0, 1, 2, 3}));
  CHECK_FALSE(params[5].choice_of(std::vector<std::int64_t>{0, 0, 1, 2}));
  CHECK_FALSE(params[1].choice_of(std::int64_t{4}));
  CHECK_THROWS_AS((void)integer_param("i", 0, 4, 2, 3), InternalError);
}

TEST_CASE("inactive parameters fall back, whatever they were set to") {
  const SearchSpace space = small_space();
  Point point = space.default_point();
  point[2] = 2;
  CHECK_FALSE(space.active(point, 2));
  CHECK(space.canonical(point) == space.default_point());
  CHECK(space.text(space.default_point()) == "block=64 async=off level=2 rename=default");
  point[1] = 1;
  CHECK(space.canonical(point) == point);
  CHECK(space.text(point) == "block=64 async=on stages=4 level=2 rename=default");
}

TEST_CASE("a chain of conditions closes with its first link") {
  SearchSpace space;
  space.add(bool_param("a", false));
  Param b = bool_param("b", false);
  b.active_if = {{.param = 0, .choices = {1}}};
  space.add(b);
  Param c = bool_param("c", false);
  c.active_if = {{.param = 1, .choices = {1}}};
  space.add(c);
  CHECK(space.canonical(Point{{0, 1, 1}}) == Point{{0, 0, 0}});
  CHECK(space.canonical(Point{{1, 1, 1}}) == Point{{1, 1, 1}});
  const auto later = [&] {
    Param d = bool_param("d", false);
    d.active_if = {{.param = 3, .choices = {1}}};
    space.add(d);
  };
  CHECK_THROWS_AS(later(), InternalError);
}

TEST_CASE("rewrites merge spellings") {
  SearchSpace space = small_space();
  space.add_rewrite([](Point& p) {
    if (p[3] == 2) p[4] = 0;  // the level implies the switch
  });
  CHECK(space.canonical(Point{{2, 0, 0, 2, 1}}) == Point{{2, 0, 0, 2, 0}});
  SearchSpace restless = small_space();
  restless.add_rewrite([](Point& p) { p[0] = p[0] == 0 ? 1 : 0; });
  CHECK_THROWS_AS((void)restless.default_point(), InternalError);
}

TEST_CASE("repair takes the rule's own repair, else the nearest step") {
  SearchSpace space = small_space();
  space.add_rule([](const Point& p) -> std::optional<PointRefusal> {
    if (p[0] <= 3) return std::nullopt;
    Point repaired = p;
    repaired[0] = 3;
    return PointRefusal{"block", "too large", repaired};
  });
  space.add_rule([](const Point& p) -> std::optional<PointRefusal> {
    if (p[1] == 0 || p[0] + p[2] <= 3) return std::nullopt;
    return PointRefusal{"ring", "no room", std::nullopt};
  });
  CHECK(space.repair(Point{{4, 0, 0, 1, 0}}) == Point{{3, 0, 0, 1, 0}});
  const auto repaired = space.repair(Point{{3, 1, 1, 1, 0}});
  REQUIRE(repaired);
  CHECK(space.valid(*repaired));
  CHECK(repaired->choices[3] == 1);
  CHECK(space.refusal(Point{{4, 0, 0, 1, 0}})->reason == "too large");

  SearchSpace impossible = small_space();
  impossible.add_rule([](const Point&) { return PointRefusal{"no", "never", std::nullopt}; });
  CHECK_FALSE(impossible.repair(impossible.default_point()));
}

TEST_CASE("seeds are repaired, made canonical and kept once") {
  SearchSpace space = small_space();
  space.add_seed(Point{{1, 0, 2, 1, 0}});
  space.add_seed(Point{{1, 0, 1, 1, 0}});
  REQUIRE(space.seeds().size() == 1);
  CHECK(space.seeds().front() == Point{{1, 0, 0, 1, 0}});
}

TEST_CASE("identities of a point, of its first stage, and of the space") {
  const SearchSpace space = small_space();
  Point a = space.default_point(), b = a;
  b[3] = 0;
  CHECK(space.id(a) != space.id(b));
  CHECK(space.id(a, 0) == space.id(b, 0));
  SearchSpace other = small_space();
  CHECK(space.digest() == other.digest());
  other.add(bool_param("more", false));
  CHECK(space.digest() != other.digest());
}

TEST_CASE("points stand for a configuration and controls") {
  const SearchSpace space = small_space();
  const Point point{{4, 1, 1, 2, 1}};
  CHECK(space.to_config(point).text() == "block[a0]=256 stages[l0]=3");
  CHECK(space.to_controls(point).text() == "g++ opt-level=3 rename-registers=on");
  CHECK(space.to_controls(space.default_point()).text() == "g++ opt-level=2");
  // `async` stands for nothing, so it comes back as its fallback and closes `stages`.
  const auto back = space.from(space.to_config(point), space.to_controls(point));
  CHECK(back == Point{{4, 0, 0, 2, 1}});
  CHECK(space.from({}, {}) == space.default_point());
  CHECK_FALSE(space.from(*Config::parse("block[a0]=48"), {}));
}
