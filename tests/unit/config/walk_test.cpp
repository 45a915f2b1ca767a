// SPDX-License-Identifier: Apache-2.0
#include "config/space_walk.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>

using namespace parhelion;
using namespace parhelion::config;

namespace {

/// 3 branches: a alone; b with 4 choices; c with an order of 3 and a range, of which a rule forbids
/// a part. Valid points: 1 + 4 + 6 * 5 - 6 = 29, each with one of 3 controls.
SearchSpace branching() {
  SearchSpace space;
  space.add(categorical_param("root", {"a", "b", "c"}, "a"));
  Param tile = pow2_param("tile", 1, 8, 1);
  tile.active_if = {{.param = 0, .choices = {1}}};
  space.add(tile);
  Param order = permutation_param("order", 3);
  order.active_if = {{.param = 0, .choices = {2}}};
  space.add(order);
  Param depth = integer_param("depth", 0, 4, 1, 0);
  depth.active_if = {{.param = 0, .choices = {2}}};
  space.add(depth);
  Param level = categorical_param("level", {"default", "1", "3"}, "default");
  level.stage = 2;
  space.add(level);
  space.add_rule([](const Point& p) -> std::optional<PointRefusal> {
    if (p[3] != 4) return std::nullopt;
    return PointRefusal{"depth", "too deep", std::nullopt};
  });
  return space;
}

constexpr std::size_t valid_points = 29 * 3;

SearchSpace wide() {
  SearchSpace space;
  for (int i = 0; i < 8; ++i) space.add(integer_param("p" + std::to_string(i), 0, 9, 1, 0));
  space.add_rule([](const Point& p) -> std::optional<PointRefusal> {
    if (p[0] < p[1]) return std::nullopt;
    return PointRefusal{"order", "p0 must be below p1", std::nullopt};
  });
  return space;
}

}  // namespace

TEST_CASE("enumeration finds each valid point once") {
  const SearchSpace space = branching();
  const auto points = enumerate(space);
  REQUIRE(points);
  CHECK(points->size() == valid_points);
  CHECK(std::set<Point>(points->begin(), points->end()).size() == valid_points);
  for (const Point& p : *points) {
    CHECK(space.canonical(p) == p);
    CHECK(space.valid(p));
  }
  CHECK_FALSE(enumerate(space, 50));
}

TEST_CASE("samples are uniform over the valid points") {
  const SearchSpace space = branching();
  const Sampler sampler(space);
  Rng rng(11);
  std::map<Point, int> counts;
  constexpr int draws = 87 * 200;
  for (int i = 0; i < draws; ++i) ++counts[*sampler.sample(rng)];
  REQUIRE(counts.size() == valid_points);
  double chi2 = 0;
  const double expected = draws / static_cast<double>(valid_points);
  for (const auto& [point, n] : counts) chi2 += (n - expected) * (n - expected) / expected;
  CHECK(chi2 < 140);  // 0.9999 quantile of chi-square with 86 degrees of freedom is 141
}

TEST_CASE("samples of a space that is too large to enumerate are valid") {
  const SearchSpace space = wide();
  const Sampler sampler(space, 1000);
  CHECK_FALSE(sampler.all());
  Rng rng(3);
  std::set<Point> seen;
  for (int i = 0; i < 200; ++i) {
    const auto p = sampler.sample(rng);
    REQUIRE(p);
    CHECK(space.valid(*p));
    seen.insert(*p);
  }
  CHECK(seen.size() > 195);
  SearchSpace impossible = wide();
  impossible.add_rule([](const Point&) { return PointRefusal{"no", "never", std::nullopt}; });
  CHECK_FALSE(Sampler(impossible, 1000).sample(rng));
}

TEST_CASE("neighbours are symmetric, valid, and connect what one step connects") {
  const SearchSpace space = branching();
  const auto points = *enumerate(space);
  std::map<Point, std::vector<Point>> near;
  for (const Point& p : points) near[p] = neighbours(space, p);
  for (const auto& [p, around] : near) {
    CHECK(std::set<Point>(around.begin(), around.end()).size() == around.size());
    for (const Point& q : around) {
      CHECK(q != p);
      REQUIRE(near.contains(q));
      CHECK(std::ranges::count(near[q], p) == 1);
    }
  }
  std::set<Point> reached = {points.front()};
  std::vector<Point> open = {points.front()};
  while (!open.empty()) {
    const Point p = open.back();
    open.pop_back();
    for (const Point& q : near[p]) {
      if (reached.insert(q).second) open.push_back(q);
    }
  }
  CHECK(reached.size() == valid_points);
}

TEST_CASE("moves of one stage leave the others alone") {
  const SearchSpace space = branching();
  Rng rng(5);
  const auto points = *enumerate(space);
  for (const Point& p : points) {
    for (const Point& q : neighbours(space, p, 2)) CHECK(space.id(p, 0) == space.id(q, 0));
    const auto mutant = mutate(space, p, rng, 2);
    REQUIRE(mutant);
    CHECK(*mutant != p);
    CHECK(space.id(p, 0) == space.id(*mutant, 0));
  }
}

TEST_CASE("mutation and crossover make valid canonical points") {
  const SearchSpace space = branching();
  const auto points = *enumerate(space);
  Rng rng(6);
  std::set<Point> mutants;
  for (int i = 0; i < 400; ++i) {
    const Point& a = points[rng.below(points.size())];
    const Point& b = points[rng.below(points.size())];
    for (const auto& child :
         {mutate(space, a, rng), cross(space, a, b, rng), transplant(space, a, b, 2)}) {
      REQUIRE(child);
      CHECK(space.valid(*child));
      CHECK(space.canonical(*child) == *child);
    }
    mutants.insert(*mutate(space, a, rng));
  }
  CHECK(mutants.size() > valid_points / 2);
  CHECK(transplant(space, points[3], points[5], 2)->choices[4] == points[5][4]);
  SearchSpace single;
  single.add(integer_param("only", 1, 1, 1, 1));
  CHECK_FALSE(mutate(single, single.default_point(), rng));
}
