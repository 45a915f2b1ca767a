// SPDX-License-Identifier: Apache-2.0
#include "stats/tests.h"

#include "base/rng.h"
#include "stats/robust.h"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

using namespace parhelion;
using namespace parhelion::stats;
using doctest::Approx;

TEST_CASE("Student's distribution in its closed forms") {
  for (const double t : {-3.0, -0.5, 0.0, 1.0, 7.0}) {
    CHECK(student_cdf(t, 1) == Approx(0.5 + std::atan(t) / std::numbers::pi));
    CHECK(student_cdf(t, 2) == Approx(0.5 + t / (2 * std::sqrt(2 + t * t))));
  }
  CHECK(student_quantile(0.975, 4) == Approx(2.776445));
  CHECK(normal_quantile(0.975) == Approx(1.959964));
  CHECK(normal_cdf(1.959964) == Approx(0.975));
}

TEST_CASE("one-sample t of three samples, two degrees of freedom") {
  // mean 2, deviation 1: t = 2 sqrt(3), p = 1 - t / sqrt(2 + t^2).
  const std::vector<double> x = {1, 2, 3};
  const double t = 2 * std::sqrt(3.0), p = 1 - t / std::sqrt(2 + t * t);
  const auto both = one_sample_t(x);
  REQUIRE(both);
  CHECK(both->statistic == Approx(t));
  CHECK(both->degrees == 2);
  CHECK(both->p == Approx(p));
  CHECK(one_sample_t(x, 0, Side::Greater)->p == Approx(p / 2));
  CHECK(one_sample_t(x, 0, Side::Less)->p == Approx(1 - p / 2));
  const double half = student_quantile(0.975, 2) / std::sqrt(3.0);
  CHECK(both->low == Approx(2 - half));
  CHECK(both->high == Approx(2 + half));
  CHECK(one_sample_t(x, 2)->p == Approx(1));
}

TEST_CASE("tests of samples that cannot say anything") {
  CHECK_FALSE(one_sample_t(std::vector<double>{1}));
  CHECK_FALSE(welch_t(std::vector<double>{1}, std::vector<double>{1, 2}));
  CHECK(one_sample_t(std::vector<double>{2, 2})->p == 0);
  CHECK(one_sample_t(std::vector<double>{2, 2}, 2)->p == 1);
  CHECK(one_sample_t(std::vector<double>{2, 2}, 0, Side::Less)->p == 1);
  CHECK(one_sample_t(std::vector<double>{2, 2}, 0, Side::Greater)->p == 0);
  CHECK_FALSE(cohens_d(std::vector<double>{2, 2}));
  CHECK_FALSE(cohens_d(std::vector<double>{2, 2}, std::vector<double>{2, 2}));
}

TEST_CASE("Welch's t equals the pooled test when spreads and counts are equal") {
  const std::vector<double> a = {1, 2, 3}, b = {4, 5, 6};
  const auto test = welch_t(a, b);
  REQUIRE(test);
  CHECK(test->estimate == Approx(3));
  CHECK(test->degrees == Approx(4));
  CHECK(test->statistic == Approx(3 / std::sqrt(2.0 / 3)));
  CHECK(cohens_d(a, b).value() == Approx(3));
  // Unequal spreads: variances 1 and 100 over three samples each; degrees from the closed form.
  const auto unequal = welch_t(a, std::vector<double>{0, 10, 20});
  CHECK(unequal->degrees == Approx(101.0 * 101.0 / 9 / ((1.0 / 9 + 1e4 / 9) / 2)));
}

TEST_CASE("Holm adjusts in steps and keeps the order") {
  const std::vector<double> adjusted = holm(std::vector<double>{0.01, 0.04, 0.03, 0.5});
  CHECK(adjusted[0] == Approx(0.04));
  CHECK(adjusted[2] == Approx(0.09));
  CHECK(adjusted[1] == Approx(0.09));
  CHECK(adjusted[3] == Approx(0.5));
  CHECK(holm(std::vector<double>{0.9, 0.8})[0] == 1);
  CHECK(holm({}).empty());
}

TEST_CASE("sample sizes of the usual effects at power 0.8") {
  // Tables of the exact (noncentral t) answer.
  CHECK(sample_size(0.2) == 199);
  CHECK(sample_size(0.5) == 34);
  CHECK(sample_size(0.8) == 15);
  CHECK(sample_size(-0.8) == 15);
  CHECK(sample_size(100) <= 3);
}

TEST_CASE("intervals cover at their level, tests reject at theirs") {
  Rng rng(7);
  constexpr int repeats = 4000;
  int covered = 0, rejected = 0, welch_covered = 0;
  for (int r = 0; r < repeats; ++r) {
    std::vector<double> a, b;
    for (int i = 0; i < 5; ++i) a.push_back(1 + rng.normal());
    for (int i = 0; i < 9; ++i) b.push_back(3 + 4 * rng.normal());
    const auto t = *one_sample_t(a, 1);
    covered += t.low <= 1 && 1 <= t.high;
    rejected += t.p < 0.05;
    const auto w = *welch_t(a, b);
    welch_covered += w.low <= 2 && 2 <= w.high;
  }
  // Three binomial deviations: 3 sqrt(0.95 * 0.05 / 4000) = 0.0103.
  CHECK(covered / static_cast<double>(repeats) == Approx(0.95).epsilon(0.011));
  CHECK(rejected == repeats - covered);
  CHECK(welch_covered / static_cast<double>(repeats) == Approx(0.95).epsilon(0.014));
}
