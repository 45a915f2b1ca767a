// SPDX-License-Identifier: Apache-2.0
#include "stats/robust.h"

#include "base/diag.h"
#include "base/rng.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace parhelion;
using namespace parhelion::stats;
using doctest::Approx;

TEST_CASE("moments and order statistics of small samples") {
  const std::vector<double> x = {5, 1, 4, 2, 3};
  CHECK(mean(x) == Approx(3));
  CHECK(variance(x) == Approx(2.5));
  CHECK(deviation(x) == Approx(std::sqrt(2.5)));
  CHECK(median(x) == 3);
  CHECK(median(std::vector<double>{1, 2}) == 1.5);
  const Quartiles q = quartiles(x);
  CHECK(q.low == 2);
  CHECK(q.middle == 3);
  CHECK(q.high == 4);
  CHECK(quantile(x, 0) == 1);
  CHECK(quantile(x, 1) == 5);
  CHECK(quantile(x, 0.1) == Approx(1.4));
  CHECK(scaled_mad(x) == Approx(1.4826));
  CHECK(variance(std::vector<double>{7}) == 0);
  CHECK_THROWS_AS((void)mean({}), InternalError);
  CHECK_THROWS_AS((void)median({}), InternalError);
}

TEST_CASE("winsorising moves outliers to five MADs and nothing else") {
  const std::vector<double> held = winsorised(std::vector<double>{1, 2, 3, 4, 100});
  CHECK(held[3] == 4);
  CHECK(held[4] == Approx(3 + 5 * 1.4826));
  // More than half are equal: no scale, so nothing is an outlier.
  CHECK(winsorised(std::vector<double>{1, 1, 1, 50})[3] == 50);
}

TEST_CASE("the scaled MAD estimates the deviation of normal samples") {
  Rng rng(2);
  std::vector<double> x;
  for (int i = 0; i < 20000; ++i) x.push_back(3 + 2 * rng.normal());
  CHECK(scaled_mad(x) == Approx(2).epsilon(0.03));
}

TEST_CASE("AR(1): the correlation is found, and the inflation is that of the mean's variance") {
  CHECK(ar1_inflation(0.5) == Approx(3));
  CHECK(ar1_inflation(-0.5) == 1);
  CHECK(ar1_inflation(2) == Approx(39));
  CHECK(lag1_correlation(std::vector<double>{1, 2}) == 0);
  CHECK(lag1_correlation(std::vector<double>{1, 1, 1}) == 0);
  constexpr double rho = 0.5;
  constexpr int repeats = 2000, n = 200;
  Rng rng(4);
  std::vector<double> means, correlations;
  for (int r = 0; r < repeats; ++r) {
    std::vector<double> x;
    double state = rng.normal();
    for (int i = 0; i < n; ++i) {
      x.push_back(state);
      state = rho * state + std::sqrt(1 - rho * rho) * rng.normal();
    }
    means.push_back(mean(x));
    correlations.push_back(lag1_correlation(x));
  }
  CHECK(mean(correlations) == Approx(rho).epsilon(0.05));
  CHECK(variance(means) * n == Approx(ar1_inflation(rho)).epsilon(0.1));
}

TEST_CASE("paired log ratios") {
  const auto d = paired_log_ratios(std::vector<double>{1, 2}, std::vector<double>{2, 1});
  CHECK(d[0] == Approx(std::log(2)));
  CHECK(d[1] == Approx(-std::log(2)));
  CHECK_THROWS_AS((void)paired_log_ratios(std::vector<double>{0}, std::vector<double>{1}),
                  InternalError);
}

TEST_CASE("rank correlation") {
  const std::vector<double> a = {1, 2, 3, 4}, up = {1, 4, 9, 16}, down = {4, 3, 2, 1};
  CHECK(spearman(a, up) == Approx(1));
  CHECK(spearman(a, down) == Approx(-1));
  // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: 4.5 / sqrt(4.5 * 5).
  CHECK(spearman(std::vector<double>{1, 2, 2, 3}, a).value() == Approx(std::sqrt(0.9)));
  CHECK_FALSE(spearman(std::vector<double>{1, 1, 1}, std::vector<double>{1, 2, 3}));
}
