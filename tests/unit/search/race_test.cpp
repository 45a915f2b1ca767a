// SPDX-License-Identifier: Apache-2.0
#include "search/race.h"

#include "base/diag.h"
#include "base/rng.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

using namespace parhelion;
using namespace parhelion::search;

namespace {

/// Answers what a race asks for from true times and noise.
class Bench {
 public:
  Bench(std::map<std::uint64_t, double> times, double sigma, std::uint64_t seed)
      : times_(std::move(times)), sigma_(sigma), rng_(seed) {}

  void answer(Race& race, const RaceRequest& request) {
    std::vector<double> samples;
    for (int i = 0; i < request.count; ++i) {
      if (request.kind == RaceRequest::Kind::Alone) {
        samples.push_back(times_[request.candidate] * std::exp(sigma_ * rng_.normal()));
      } else {
        samples.push_back(std::log(times_[request.candidate] / times_[request.incumbent]) +
                          sigma_ * rng_.normal());
      }
    }
    blocks_ += request.count;
    if (request.kind == RaceRequest::Kind::Alone) race.tell_alone(request.candidate, samples);
    if (request.kind == RaceRequest::Kind::Paired) race.tell_paired(request.candidate, samples);
  }

  void run(Race& race) {
    for (auto request = race.next(); request; request = race.next()) answer(race, *request);
  }
  [[nodiscard]] int blocks() const { return blocks_; }

 private:
  std::map<std::uint64_t, double> times_;
  double sigma_;
  Rng rng_;
  int blocks_ = 0;
};

}  // namespace

TEST_CASE("the first candidate is the incumbent and is measured first") {
  Race race;
  CHECK_FALSE(race.next());
  CHECK_FALSE(race.incumbent());
  race.add(7);
  race.add(8);
  CHECK(race.incumbent() == 7u);
  CHECK(race.state(8) == RaceState::Waiting);
  const auto request = race.next();
  REQUIRE(request);
  CHECK(request->kind == RaceRequest::Kind::Alone);
  CHECK(request->candidate == 7);
  CHECK(request->count == 3);
  CHECK_THROWS_AS(race.add(7), InternalError);
  CHECK_THROWS_AS((void)race.state(9), InternalError);
}

TEST_CASE("far slower candidates are dropped after the unpaired samples") {
  Race race;
  race.add(0);
  race.add(1);
  race.tell_alone(0, std::vector<double>{10, 10, 10});
  race.tell_alone(1, std::vector<double>{12.6, 12.6, 12.6});
  CHECK(race.state(1) == RaceState::Rejected);
  CHECK(race.time(1) == 12.6);
  CHECK_FALSE(race.next());
}

TEST_CASE("paired blocks double until the sequence decides") {
  Race race;
  race.add(0);
  race.add(1);
  race.tell_alone(0, std::vector<double>{10, 10, 10});
  race.tell_alone(1, std::vector<double>{10, 10, 10});
  for (const int count : {4, 4, 8, 16}) {
    const auto request = race.next();
    REQUIRE(request);
    CHECK(request->kind == RaceRequest::Kind::Paired);
    CHECK(request->incumbent == 0);
    CHECK(request->count == count);
    std::vector<double> samples;
    for (int i = 0; i < count; ++i) samples.push_back(i % 2 == 0 ? 0.0035 : -0.0065);
    race.tell_paired(1, samples);
    if (race.state(1) != RaceState::Contender) break;
  }
  CHECK(race.state(1) == RaceState::Contender);
  CHECK(race.log_ratios(1).size() == 32);
  CHECK(race.time(1).value() == doctest::Approx(10 * std::exp(-0.0015)));
}

TEST_CASE("a faster candidate becomes the incumbent, the others meet it") {
  Race race;
  for (std::uint64_t id = 0; id < 4; ++id) {
    race.add(id);
    race.tell_alone(id, std::vector<double>{10, 10, 10});
  }
  const std::vector<double> slower(4, 0.002), faster(8, -0.05);
  race.tell_paired(2, slower);
  CHECK(race.state(2) == RaceState::Contender);
  race.tell_paired(1, faster);
  CHECK(race.incumbent() == 1u);
  CHECK(race.state(0) == RaceState::Rejected);
  CHECK(race.state(2) == RaceState::Rejected);   // 5 % behind, indirectly
  CHECK(race.state(3) == RaceState::Contender);  // nothing is known of it
  CHECK(race.next()->incumbent == 1);
  CHECK_THROWS_AS(race.tell_paired(0, slower), InternalError);
}

TEST_CASE("failures leave the race; a failed incumbent hands over") {
  Race race;
  race.add(0);
  race.add(1);
  race.add(2);
  race.tell_alone(0, std::vector<double>{10});
  race.tell_alone(1, std::vector<double>{11});
  race.tell_alone(2, std::vector<double>{10.5});
  race.tell_failed(0);
  CHECK(race.state(0) == RaceState::Failed);
  CHECK(race.incumbent() == 2u);
  race.tell_failed(2);
  race.tell_failed(1);
  CHECK_FALSE(race.incumbent());
  CHECK_FALSE(race.next());
  CHECK(race.finalists(4).empty());
}

TEST_CASE("of equal candidates the simpler leads the finalists") {
  Race race;
  race.add(0, 5);
  race.add(1, 2);
  race.add(2, 5);
  Bench bench({{0, 10}, {1, 10}, {2, 10}}, 0.0005, 3);
  bench.run(race);
  CHECK(race.state(1) == RaceState::Tied);
  CHECK(race.finalists(3) == std::vector<std::uint64_t>{1, 0, 2});
  CHECK(race.finalists(1) == std::vector<std::uint64_t>{1});
}

TEST_CASE("races end at the fastest, with few blocks") {
  int right = 0, blocks = 0;
  constexpr int repeats = 40;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    Rng rng(101, static_cast<std::uint64_t>(repeat));
    std::map<std::uint64_t, double> times;
    for (std::uint64_t id = 0; id < 30; ++id) times[id] = 10 * (1.01 + 0.5 * rng.uniform());
    const std::uint64_t best = 1 + rng.below(29);
    times[best] = 10;
    Race race;
    for (const auto& [id, time] : times) race.add(id);
    Bench bench(times, 0.003, static_cast<std::uint64_t>(repeat));
    bench.run(race);
    right += race.incumbent() == best;
    blocks += bench.blocks();
  }
  CHECK(right >= repeats - 1);
  CHECK(blocks / repeats < 30 * 3 + 250);
}

TEST_CASE("names of states") {
  CHECK(name(RaceState::Tied) == "tied");
  CHECK(name(RaceState::Waiting) == "waiting");
}
