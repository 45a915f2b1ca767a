// SPDX-License-Identifier: Apache-2.0
// How good the strategies are, on problems with known answers. Limits leave room for other seeds;
// what was seen with these stands beside them.
#include "property/search/problems.h"
#include "search/race.h"
#include "search/registry.h"
#include "stats/robust.h"
#include "stats/verdict.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace parhelion;
using namespace parhelion::search;
using problems::Problem;

namespace {

/// True value of the best trial by what the strategy was told.
double found(std::string_view name, const Problem& problem, int trials, std::uint64_t seed) {
  const auto strategy =
      *make_strategy(name, *problem.space, {.seed = seed, .expected_trials = trials});
  for (int i = 0; i < trials; ++i) {
    const auto asked = strategy->ask(1);
    if (asked.empty()) break;
    strategy->tell(asked.front().id, problems::evaluate(problem, asked.front().point, seed));
  }
  const auto best = strategy->archive().best();
  if (!best) return std::numeric_limits<double>::infinity();
  return *problem.truth(strategy->archive()[*best].point);
}

double mean_regret(std::string_view name, const Problem& problem, int trials, int seeds) {
  std::vector<double> regrets;
  for (int s = 0; s < seeds; ++s) {
    regrets.push_back(found(name, problem, trials, static_cast<std::uint64_t>(s)) -
                      *problem.optimum);
  }
  return stats::mean(regrets);
}

}  // namespace

TEST_CASE("guided strategies come closer than random ones") {
  std::vector<Problem> list;
  list.push_back(problems::sphere_mixed(1));
  list.push_back(problems::onemax(16));
  list.push_back(problems::tile_roof());
  list.push_back(problems::hidden_fail());
  list.push_back(problems::wrong_fast());
  for (const Problem& problem : list) {
    INFO(problem.name);
    const double random = mean_regret("random", problem, 100, 4);
    const double evolutionary = mean_regret("evolutionary", problem, 100, 4);
    const double joint = mean_regret("joint", problem, 100, 4);
    MESSAGE(problem.name << ": random " << random << ", evolutionary " << evolutionary << ", joint "
                         << joint);
    CHECK(joint < 0.6 * random + 1e-9);
    CHECK(evolutionary < random + 0.005);
  }
}

TEST_CASE("the optimum behind a condition is found") {
  const Problem problem = problems::conditional_tree();
  CHECK(mean_regret("joint", problem, 80, 4) < 0.03);
  CHECK(mean_regret("joint", problems::dup_heavy(), 60, 4) < 1e-9);
}

TEST_CASE("searching both layers at once beats one after the other where they are coupled") {
  constexpr int seeds = 8, loose_seeds = 4, trials = 200;
  int not_worse = 0;
  double gain = 0, uncoupled = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const Problem coupled = problems::two_layer(1, seed);
    const double joint = found("joint", coupled, trials, seed);
    const double sequential = found("sequential", coupled, trials, seed);
    not_worse += joint <= sequential + 1e-4;
    gain += (sequential - joint) / seeds;
    if (seed >= loose_seeds) continue;
    const Problem loose = problems::two_layer(0, seed);
    const double loss =
        found("joint", loose, trials, seed) - found("sequential", loose, trials, seed);
    uncoupled -= loss / loose_seeds;
  }
  MESSAGE("joint not worse in " << not_worse << " of " << seeds << ", mean gain " << gain
                                << "; uncoupled " << uncoupled);
  CHECK(not_worse >= seeds - 1);  // seen: all
  CHECK(gain > 0.05);             // seen: 0.13
  CHECK(uncoupled > -0.02);       // seen: -0.007
}

TEST_CASE("where nothing is to be gained, nothing is claimed") {
  // Search, race and validation as a tuner does them, on a flat landscape.
  constexpr int seeds = 60;
  int claimed = 0;
  const Problem problem = problems::free_lunch();
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto strategy = *make_strategy(seed % 6 == 0 ? "joint" : "evolutionary", *problem.space,
                                         {.seed = seed, .expected_trials = 60});
    Race race;
    Rng rng(seed, 5);
    for (int i = 0; i < 60; ++i) {
      for (const Proposal& p : strategy->ask(1)) {
        race.add(p.id);
        strategy->tell(p.id, problems::evaluate(problem, p.point, seed));
      }
    }
    while (const auto request = race.next()) {
      std::vector<double> samples;
      for (int i = 0; i < request->count; ++i) samples.push_back(problem.noise * rng.normal());
      if (request->kind == RaceRequest::Kind::Paired) {
        race.tell_paired(request->candidate, samples);
        continue;
      }
      for (double& s : samples) s = std::exp(s);
      race.tell_alone(request->candidate, samples);
    }
    std::vector<stats::FinalistSamples> finalists;
    for ([[maybe_unused]] const std::uint64_t id : race.finalists(4)) {
      stats::FinalistSamples fresh;
      for (int process = 0; process < 5; ++process) {
        const double offset = 0.01 * rng.normal();
        std::vector<double> samples;
        for (int i = 0; i < 60; ++i) samples.push_back(offset + problem.noise * rng.normal());
        fresh.processes.push_back(std::move(samples));
      }
      finalists.push_back(std::move(fresh));
    }
    bool any = false;
    for (const stats::Verdict& v : stats::judge(finalists)) any = any || v.accepted;
    claimed += any;
  }
  CHECK(claimed <= seeds / 20);
}
