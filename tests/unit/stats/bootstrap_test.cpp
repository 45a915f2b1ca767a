// SPDX-License-Identifier: Apache-2.0
#include "stats/bootstrap.h"

#include "base/rng.h"

#include <doctest/doctest.h>

#include <vector>

using namespace parhelion;
using namespace parhelion::stats;
using doctest::Approx;

TEST_CASE("constant groups have a point for an interval") {
  const std::vector<std::vector<double>> groups = {{2, 2, 2}, {2, 2}};
  const BootstrapInterval b = hierarchical_bootstrap(groups, 2, 100);
  CHECK(b.estimate == 2);
  CHECK(b.low == 2);
  CHECK(b.high == 2);
}

TEST_CASE("the same seed gives the same interval, another seed another") {
  const std::vector<std::vector<double>> groups = {{1, 2, 3, 4}, {2, 3, 4, 5}, {0, 1, 2, 3}};
  const BootstrapInterval a = hierarchical_bootstrap(groups, 2, 200, 5);
  const BootstrapInterval b = hierarchical_bootstrap(groups, 2, 200, 5);
  CHECK(a.low == b.low);
  CHECK(a.high == b.high);
  CHECK(a.estimate == Approx(2.5));
  CHECK(a.low < 2.5);
  CHECK(a.high > 2.5);
}

TEST_CASE("the interval covers when processes differ") {
  Rng rng(41);
  constexpr int repeats = 300;
  int covered = 0;
  for (int r = 0; r < repeats; ++r) {
    std::vector<std::vector<double>> groups(20);
    for (auto& group : groups) {
      const double offset = rng.normal();
      for (int i = 0; i < 20; ++i) group.push_back(offset + 0.5 * rng.normal());
    }
    const BootstrapInterval b =
        hierarchical_bootstrap(groups, 5, 300, static_cast<std::uint64_t>(r));
    covered += b.low <= 0 && 0 <= b.high;
  }
  // Percentile intervals of 20 groups cover a little less than 95 %.
  CHECK(covered > repeats * 0.88);
  CHECK(covered < repeats * 0.985);
}
