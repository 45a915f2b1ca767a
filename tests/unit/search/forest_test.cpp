// SPDX-License-Identifier: Apache-2.0
#include "search/forest.h"

#include "config/space_walk.h"
#include "search/surrogate.h"
#include "stats/robust.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace parhelion;
using namespace parhelion::search;
using doctest::Approx;

namespace {

config::SearchSpace mixed_space() {
  config::SearchSpace space;
  space.add(config::pow2_param("tile", 1, 128, 1));
  space.add(config::categorical_param("kind", {"a", "b", "c", "d"}, "a"));
  config::Param depth = config::integer_param("depth", 0, 9, 1, 0);
  depth.active_if = {{.param = 1, .choices = {2}}};
  space.add(depth);
  space.add(config::permutation_param("order", 3));
  return space;
}

double truth(const config::SearchSpace& space, const config::Point& p) {
  const double tile = p[0] - 4;
  const double kind = p[1] == 1 || p[1] == 3 ? 0.5 : 0;
  const double depth = space.active(p, 2) ? 0.1 * p[2] : 0.3;
  return -9 + 0.1 * tile * tile + kind + depth + 0.05 * p[3];
}

}  // namespace

TEST_CASE("rows give inactive parameters a bin of their own and orders a column an item") {
  const config::SearchSpace space = mixed_space();
  const Encoder encoder(space);
  CHECK(encoder.columns() == 6);
  CHECK(encoder.encode(config::Point{{3, 0, 0, 0}}) == Row{4, 1, 0, 1, 2, 3});
  CHECK(encoder.encode(config::Point{{3, 2, 5, 5}}) == Row{4, 3, 6, 3, 2, 1});
  config::SearchSpace wide;
  wide.add(config::integer_param("w", 0, 999, 1, 0));
  const Encoder wide_encoder(wide);
  CHECK(wide_encoder.encode(config::Point{{0}}) == Row{1});
  CHECK(wide_encoder.encode(config::Point{{999}}) == Row{63});
}

TEST_CASE("a forest of one value predicts it, and splits on nothing") {
  Forest forest({.trees = 8});
  Rng rng(1);
  const std::vector<Row> rows = {{1}, {2}, {3}, {4}};
  forest.fit(rows, std::vector<double>{2, 2, 2, 2}, {true}, rng);
  CHECK(forest.predict({1}).mean == Approx(2));
  CHECK(forest.predict({9}).deviation == Approx(0));
}

TEST_CASE("a forest separates categories in any order and thresholds between seen bins") {
  Rng rng(2);
  std::vector<Row> rows;
  std::vector<double> by_kind, by_size;
  for (std::uint8_t i = 0; i < 40; ++i) {
    const auto bin = static_cast<std::uint8_t>(1 + i % 8);
    rows.push_back({bin});
    by_kind.push_back(bin % 2 == 0 ? 1 : 0);
    by_size.push_back(bin > 4 ? 1 : 0);
  }
  Forest forest({.trees = 32, .feature_share = 1});
  forest.fit(rows, by_kind, {false}, rng);
  for (std::uint8_t bin = 1; bin <= 8; ++bin) {
    CHECK(forest.predict({bin}).mean == Approx(bin % 2 == 0 ? 1 : 0).epsilon(0.05));
  }
  forest.fit(rows, by_size, {true}, rng);
  CHECK(forest.predict({1}).mean < 0.05);
  CHECK(forest.predict({60}).mean > 0.95);
}

TEST_CASE("the surrogate ranks unseen points") {
  const config::SearchSpace space = mixed_space();
  const config::Sampler sampler(space);
  Rng rng(3);
  Archive archive(space);
  for (int i = 0; i < 200; ++i) {
    const auto point = *sampler.sample(rng);
    const TrialId id = archive.add(point);
    archive.tell(id, {.value = truth(space, point), .failure = {}});
  }
  Surrogate surrogate(space);
  CHECK_FALSE(surrogate.fitted());
  surrogate.fit(archive, 7);
  const Encoder encoder(space);
  std::vector<double> expected, predicted;
  for (int i = 0; i < 100; ++i) {
    const auto point = *sampler.sample(rng);
    expected.push_back(truth(space, point));
    predicted.push_back(surrogate.value(encoder.encode(point)).mean);
  }
  CHECK(stats::spearman(expected, predicted).value() > 0.9);
}

TEST_CASE("the surrogate avoids what is likely to fail, and pending points") {
  config::SearchSpace space;
  space.add(config::integer_param("x", 0, 31, 1, 0));
  Archive archive(space);
  for (config::Choice x = 0; x < 32; x += 2) {
    const TrialId id = archive.add(config::Point{{x}});
    // Ever better to the right, until it fails.
    if (x < 20) archive.tell(id, {.value = -x, .failure = {}});
    if (x >= 20) archive.tell(id, {.value = {}, .failure = "compile"});
  }
  Surrogate surrogate(space);
  surrogate.fit(archive, 1);
  std::vector<config::Point> candidates;
  for (config::Choice x = 1; x < 32; x += 2) candidates.push_back(config::Point{{x}});
  const auto best = surrogate.best(candidates, -18, 1, -1);
  REQUIRE(best);
  CHECK(candidates[*best][0] >= 13);
  CHECK(candidates[*best][0] <= 21);
  CHECK_FALSE(surrogate.best({}, 0, 1, -1));
  archive.add(candidates[*best]);  // runs: its prediction enters the model
  surrogate.fit(archive, 1);
  CHECK(surrogate.lower_bound(candidates[*best], 0, -1) == Approx(-17).epsilon(0.3));
}
