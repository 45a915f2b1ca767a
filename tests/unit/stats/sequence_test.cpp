// SPDX-License-Identifier: Apache-2.0
#include "stats/sequence.h"

#include "base/rng.h"
#include "stats/robust.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace parhelion;
using namespace parhelion::stats;
using doctest::Approx;

namespace {

/// AR(1) noise of deviation sigma; one sample in fifty is five times as wide.
class Noise {
 public:
  Noise(double sigma, double rho, Rng& rng) : sigma_(sigma), rho_(rho), rng_(rng) {
    state_ = rng.normal();
  }
  double next() {
    state_ = rho_ * state_ + std::sqrt(1 - rho_ * rho_) * rng_.normal();
    return sigma_ * state_ * (rng_.chance(0.02) ? 5 : 1);
  }

 private:
  double sigma_, rho_, state_;
  Rng& rng_;
};

RaceDecision race(double difference, Noise& noise, const SpreadPrior& prior, int& blocks) {
  std::vector<double> d;
  for (int next = 4;; next *= 2) {
    while (static_cast<int>(d.size()) < next) d.push_back(difference + noise.next());
    blocks = next;
    const RaceDecision decision = decide(sequence_estimate(d, prior));
    if (decision != RaceDecision::Continue) return decision;
  }
}

}  // namespace

TEST_CASE("half widths of the sequence at a deviation of 0.3 %") {
  CHECK(sequence_half_width(0.003, 4) == Approx(0.0066).epsilon(0.01));
  CHECK(sequence_half_width(0.003, 16) == Approx(0.00245).epsilon(0.01));
  CHECK(sequence_half_width(0.003, 64) == Approx(0.00114).epsilon(0.01));
  CHECK(sequence_half_width(0.003, 256) == Approx(0.00059).epsilon(0.01));
}

TEST_CASE("the sequence covers at all looks at once") {
  Rng rng(17);
  constexpr int paths = 2000;
  int missed = 0;
  for (int p = 0; p < paths; ++p) {
    double sum = 0;
    bool out = false;
    for (int n = 1; n <= 256; ++n) {
      sum += rng.normal();
      out = out || std::abs(sum / n) > sequence_half_width(1, n);
    }
    missed += out;
  }
  CHECK(missed <= paths / 20);
  CHECK(missed > 0);
}

TEST_CASE("decisions at their limits") {
  const auto at = [](double mean, double half_width, int n) {
    return decide({.mean = mean, .half_width = half_width, .deviation = 0, .n = n});
  };
  CHECK(at(0.01, 0.002, 8) == RaceDecision::Reject);
  CHECK(at(-0.01, 0.002, 8) == RaceDecision::Promote);
  CHECK(at(-0.0005, 0.0008, 64) == RaceDecision::Tie);
  CHECK(at(-0.001, 0.002, 64) == RaceDecision::Continue);
  CHECK(at(0.0005, 0.002, 256) == RaceDecision::Reject);
  CHECK(at(-0.0005, 0.002, 256) == RaceDecision::Tie);
  CHECK(name(RaceDecision::Promote) == "promote");
}

TEST_CASE("the prior keeps equal samples from certainty, outliers do not move the mean") {
  const SpreadPrior prior;
  const auto equal = sequence_estimate(std::vector<double>{-0.01, -0.01, -0.01, -0.01}, prior);
  CHECK(equal.deviation == Approx(std::sqrt(8 * 0.003 * 0.003 / 11)));
  const auto spiked =
      sequence_estimate(std::vector<double>{0.001, -0.001, 0.002, -0.002, 0.0, 3.0}, prior);
  CHECK(spiked.mean < 0.003);
  const auto correlated = sequence_estimate(std::vector<double>{0, 0, 0, 0}, {.rho = 0.5});
  CHECK(correlated.deviation == Approx(equal.deviation * std::sqrt(3.0)));
}

TEST_CASE("pooled spread and correlation approach the truth") {
  Rng rng(23);
  SpreadPool pool;
  CHECK(pool.prior().sigma == Approx(0.003));
  CHECK(pool.prior().rho == 0);
  for (int r = 0; r < 200; ++r) {
    std::vector<double> d;
    double state = rng.normal();
    for (int i = 0; i < 32; ++i) {
      state = 0.4 * state + std::sqrt(1 - 0.16) * rng.normal();
      d.push_back(0.01 * state);
    }
    pool.add(d);
  }
  CHECK(pool.prior().sigma == Approx(0.01).epsilon(0.06));
  CHECK(pool.prior().rho == Approx(0.4).epsilon(0.1));
}

TEST_CASE("races under heavy tails and correlation decide rightly and soon") {
  Rng rng(31);
  constexpr int repeats = 400;
  for (const double rho : {0.0, 0.3, 0.5}) {
    const SpreadPrior prior{.sigma = 0.003, .weight = 8, .rho = rho};
    int false_promotions = 0, found = 0, false_rejects = 0, blocks = 0, spent = 0;
    for (int r = 0; r < repeats; ++r) {
      Noise noise(0.003, rho, rng);
      false_promotions += race(0.0, noise, prior, blocks) == RaceDecision::Promote;
      false_promotions += race(0.003, noise, prior, blocks) == RaceDecision::Promote;
      const RaceDecision faster = race(-0.01, noise, prior, blocks);
      found += faster == RaceDecision::Promote;
      false_rejects += faster == RaceDecision::Reject;
      spent += blocks;
    }
    INFO("rho = " << rho);
    CHECK(false_promotions <= repeats * 2 * 0.018);
    CHECK(false_rejects <= repeats * 0.018);
    CHECK(found >= repeats * 0.99);
    CHECK(spent < repeats * 40);
  }
}
