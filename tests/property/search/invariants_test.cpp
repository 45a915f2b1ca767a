// SPDX-License-Identifier: Apache-2.0
// What every strategy must keep on every problem.
#include "property/search/problems.h"
#include "search/registry.h"
#include "search/resume.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace parhelion;
using namespace parhelion::search;
using problems::Problem;

namespace {

struct Run {
  std::vector<RecordedTrial> trials;
  std::vector<RecordedOutcome> outcomes;
};

/// Keeps `in_flight` proposals out and tells them in a shuffled order, as workers would.
Run run(Strategy& strategy, const Problem& problem, int trials, std::size_t in_flight,
        std::uint64_t seed) {
  Run out;
  Rng rng(seed, 77);
  std::vector<Proposal> open;
  while (true) {
    while (open.size() < in_flight && static_cast<int>(out.trials.size()) < trials) {
      auto asked = strategy.ask(1);
      if (asked.empty()) break;
      out.trials.push_back({asked.front().point, asked.front().told_before});
      open.push_back(std::move(asked.front()));
    }
    if (open.empty()) return out;
    std::swap(open[rng.below(open.size())], open.back());
    const Outcome outcome = problems::evaluate(problem, open.back().point, seed);
    strategy.tell(open.back().id, outcome);
    out.outcomes.push_back({open.back().id, outcome});
    open.pop_back();
  }
}

}  // namespace

TEST_CASE("no point twice, all canonical and legal, same seed same proposals, on every problem") {
  for (const Problem& problem : problems::all(5)) {
    for (const StrategyRow& row : strategies()) {
      INFO(problem.name << " " << row.name);
      const config::SearchSpace& space = *problem.space;
      const Options options{.seed = 3, .expected_trials = 60, .enumerate_visits = 5000};
      const auto first = row.make(space, options), second = row.make(space, options);
      const Run a = run(*first, problem, 60, 4, 9);
      const Run b = run(*second, problem, 60, 4, 9);
      REQUIRE(a.trials.size() == b.trials.size());
      std::set<config::Point> seen;
      for (std::size_t i = 0; i < a.trials.size(); ++i) {
        const config::Point& p = a.trials[i].point;
        CHECK(p == b.trials[i].point);
        CHECK(space.canonical(p) == p);
        CHECK(space.valid(p));
        CHECK(seen.insert(p).second);
      }
      CHECK(a.trials.front().point == *space.repair(space.default_point()));
    }
  }
}

TEST_CASE("another seed gives other proposals") {
  const Problem problem = problems::tile_roof();
  for (const StrategyRow& row : strategies()) {
    if (row.name == "exhaustive") continue;
    INFO(row.name);
    const auto a = row.make(*problem.space, {.seed = 1}), b = row.make(*problem.space, {.seed = 2});
    const auto from_a = a->ask(10), from_b = b->ask(10);
    int same = 0;
    for (std::size_t i = 0; i < 10; ++i) same += from_a[i].point == from_b[i].point;
    CHECK(same <= 2);
  }
}

TEST_CASE("an interrupted search goes on as if it had not been") {
  const Problem problem = problems::two_layer(1, 4);
  for (const StrategyRow& row : strategies()) {
    INFO(row.name);
    const Options options{.seed = 8, .expected_trials = 70, .enumerate_visits = 2000};
    const auto whole = row.make(*problem.space, options);
    const Run full = run(*whole, problem, 70, 3, 1);
    for (const std::size_t told : {std::size_t{0}, std::size_t{11}, std::size_t{40}}) {
      // Cut behind an outcome: proposals made up to then are on record.
      Run cut;
      cut.outcomes.assign(full.outcomes.begin(),
                          full.outcomes.begin() + static_cast<std::ptrdiff_t>(told));
      for (const RecordedTrial& t : full.trials) {
        if (t.told_before <= static_cast<int>(told)) cut.trials.push_back(t);
      }
      const auto resumed = row.make(*problem.space, options);
      const auto open = resume(*resumed, cut.trials, cut.outcomes);
      REQUIRE(open.has_value());
      CHECK(open->size() + told == cut.trials.size());
      // The rest, in the recorded order of asks and tells.
      std::size_t next = cut.trials.size();
      for (std::size_t i = told; i < full.outcomes.size(); ++i) {
        resumed->tell(full.outcomes[i].id, full.outcomes[i].outcome);
        while (next < full.trials.size() &&
               full.trials[next].told_before <= static_cast<int>(i + 1)) {
          const auto asked = resumed->ask(1);
          REQUIRE(asked.size() == 1);
          CHECK(asked.front().point == full.trials[next].point);
          ++next;
        }
      }
      CHECK(next == full.trials.size());
    }
  }
}

TEST_CASE("asking for many equals asking one by one") {
  const Problem problem = problems::two_layer(1, 2);
  for (const StrategyRow& row : strategies()) {
    INFO(row.name);
    const Options options{.seed = 5, .expected_trials = 40, .enumerate_visits = 2000};
    const auto many = row.make(*problem.space, options), single = row.make(*problem.space, options);
    for (int round = 0; round < 5; ++round) {
      const auto batch = many->ask(8);
      for (const Proposal& p : batch) CHECK(single->ask(1).front().point == p.point);
      for (const Proposal& p : batch) {
        const Outcome outcome = problems::evaluate(problem, p.point, 1);
        many->tell(p.id, outcome);
        single->tell(p.id, outcome);
      }
    }
  }
}

TEST_CASE("a search in which everything fails goes on with new points") {
  Problem problem = problems::tile_roof();
  problem.truth = [](const config::Point&) { return std::nullopt; };
  for (const StrategyRow& row : strategies()) {
    INFO(row.name);
    const auto strategy = row.make(*problem.space, {.seed = 1, .expected_trials = 50});
    CHECK(run(*strategy, problem, 50, 2, 1).trials.size() == 50);
    CHECK_FALSE(strategy->archive().best());
  }
}

TEST_CASE("inactive parameters never vary") {
  const Problem problem = problems::conditional_tree();
  for (const StrategyRow& row : strategies()) {
    INFO(row.name);
    const auto strategy = row.make(*problem.space, {.seed = 2, .expected_trials = 100});
    run(*strategy, problem, 100, 1, 1);
    std::set<std::string> texts;  // of active parameters only
    for (const Trial& trial : strategy->archive().trials()) {
      CHECK(texts.insert(problem.space->text(trial.point)).second);
    }
  }
}
