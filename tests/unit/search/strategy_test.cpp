// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"
#include "search/random.h"
#include "search/registry.h"
#include "search/resume.h"

#include <doctest/doctest.h>

using namespace parhelion;
using namespace parhelion::search;

namespace {

config::SearchSpace small_space() {
  config::SearchSpace space;
  space.add(config::integer_param("x", 0, 4, 1, 2));
  space.add(config::bool_param("y", false));
  space.add_seed(config::Point{{4, 1}});
  return space;
}

Outcome value(double v) { return {.value = v, .failure = {}}; }

}  // namespace

TEST_CASE("the archive keeps the order of what succeeded") {
  const config::SearchSpace space = small_space();
  Archive archive(space);
  for (config::Choice x = 0; x < 4; ++x) archive.add(config::Point{{x, 0}});
  CHECK_FALSE(archive.best());
  archive.tell(2, value(1));
  archive.tell(0, value(2));
  archive.tell(1, {.value = {}, .failure = "wrong"});
  CHECK(archive.ranked() == std::vector<TrialId>{2, 0});
  archive.tell(2, value(3));
  CHECK(archive.best() == TrialId{0});
  CHECK(archive.told() == 4);
  CHECK(archive.seen(config::Point{{3, 0}}));
  CHECK_FALSE(archive.seen(config::Point{{3, 1}}));
  CHECK_THROWS_AS(archive.tell(9, value(0)), InternalError);
}

TEST_CASE("every strategy gives the default first, then seeds, then each point once, then ends") {
  const config::SearchSpace space = small_space();
  for (const StrategyRow& row : strategies()) {
    INFO(row.name);
    CHECK_FALSE(row.doc.empty());
    const auto strategy = row.make(space, {});
    const auto first = strategy->ask(2);
    REQUIRE(first.size() == 2);
    CHECK(first[0].point == space.default_point());
    CHECK(first[0].origin == "default");
    CHECK(first[1].point == space.seeds().front());
    CHECK(first[1].origin == "seed");
    for (const Proposal& p : first) strategy->tell(p.id, value(p.point[0]));
    std::size_t total = 2;
    for (auto batch = strategy->ask(3); !batch.empty(); batch = strategy->ask(3)) {
      for (const Proposal& p : batch) strategy->tell(p.id, value(p.point[0]));
      total += batch.size();
    }
    CHECK(total == 10);
    CHECK(strategy->archive()[*strategy->archive().best()].point[0] == 0);
  }
}

TEST_CASE("spaces of one point, and without any, end at once") {
  config::SearchSpace single;
  single.add(config::integer_param("only", 3, 3, 1, 3));
  config::SearchSpace none;
  none.add(config::bool_param("x", false));
  none.add_rule([](const config::Point&) {
    return config::PointRefusal{"no", "never", std::nullopt};
  });
  for (const StrategyRow& row : strategies()) {
    INFO(row.name);
    CHECK(row.make(single, {})->ask(5).size() == 1);
    CHECK(row.make(none, {})->ask(5).empty());
  }
}

TEST_CASE("an unknown strategy is refused with the names") {
  const config::SearchSpace space = small_space();
  CHECK(make_strategy("joint", space));
  const auto close = make_strategy("joints", space);
  REQUIRE_FALSE(close.has_value());
  CHECK(close.error().front().code == 9042);
  CHECK(close.error().front().help == "did you mean \"joint\"?");
  CHECK(make_strategy("annealing", space).error().front().help ==
        "use one of joint, sequential, evolutionary, random, exhaustive");
}

TEST_CASE("resuming refuses a record of another search") {
  const config::SearchSpace space = small_space();
  Random strategy(space, {.seed = 1});
  const std::vector<RecordedTrial> trials = {{.point = config::Point{{0, 1}}, .told_before = 0}};
  const auto resumed = resume(strategy, trials, {});
  REQUIRE_FALSE(resumed.has_value());
  CHECK(resumed.error().front().code == 9043);
  CHECK(resumed.error().front().message ==
        "trial 0 of the record is not what this search proposes");
  Random other(space, {.seed = 1});
  const std::vector<RecordedOutcome> outcomes = {{.id = 0, .outcome = value(1)}};
  CHECK(resume(other, {}, outcomes).error().front().code == 9043);
}
