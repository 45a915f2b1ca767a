// SPDX-License-Identifier: Apache-2.0
#include "stats/verdict.h"

#include "base/rng.h"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace parhelion;
using namespace parhelion::stats;
using doctest::Approx;

namespace {

FinalistSamples sample(double gain, double between, double within, Rng& rng, int processes = 5) {
  FinalistSamples out;
  for (int p = 0; p < processes; ++p) {
    std::vector<double> samples;
    const double center = gain + between * rng.normal();
    for (int i = 0; i < 60; ++i) samples.push_back(center + within * rng.normal());
    out.processes.push_back(std::move(samples));
  }
  return out;
}

Verdict judge_one(std::vector<double> process_means) {
  FinalistSamples samples;
  for (const double m : process_means) samples.processes.push_back({m, m, m});
  return judge(std::vector<FinalistSamples>{samples}).front();
}

}  // namespace

TEST_CASE("a clear gain is accepted, with its interval") {
  Rng rng(3);
  const std::vector<FinalistSamples> finalists = {sample(0.05, 0.002, 0.01, rng)};
  const Verdict v = judge(finalists).front();
  CHECK(v.accepted);
  CHECK(v.reason.empty());
  CHECK(v.gain == Approx(std::exp(0.05)).epsilon(0.005));
  CHECK(v.gain_low < v.gain);
  CHECK(v.gain < v.gain_high);
  CHECK(v.bootstrap.low > 0.04);
  CHECK(v.processes == 5);
}

TEST_CASE("each condition refuses with its reason") {
  CHECK(judge_one({0.02, -0.03, 0.01, 0.02, -0.01}).reason.starts_with("adjusted p"));
  CHECK(judge_one({0.004, 0.0041, 0.0039, 0.004, 0.004}).reason.find("does not exclude") !=
        std::string::npos);
  CHECK(judge_one({0.02}).reason.starts_with("adjusted p"));
  CHECK(judge_one({-0.02, -0.02, -0.02}).reason.starts_with("adjusted p"));
  CHECK(judge_one({0.02, 0.02, 0.02}).accepted);
  // With many processes a small effect becomes significant; it is still refused.
  std::vector<double> many;
  for (int i = 0; i < 400; ++i) many.push_back(i % 10 < 7 ? 0.1 : -0.1);
  CHECK(judge_one(many).reason.starts_with("the effect of"));
  std::vector<double> one_against(19, 0.1);
  one_against.push_back(-0.001);
  CHECK(judge_one(one_against).reason == "the processes do not agree in sign");
}

TEST_CASE("a family of finalists without gain is accepted in less than 5 % of cases") {
  Rng rng(9);
  constexpr int repeats = 400;
  int accepted = 0;
  for (int r = 0; r < repeats; ++r) {
    std::vector<FinalistSamples> finalists;
    for (int f = 0; f < 4; ++f) {
      FinalistSamples samples;
      for (int p = 0; p < 5; ++p) {
        const double center = 0.02 * rng.normal();
        samples.processes.push_back({center, center});
      }
      finalists.push_back(std::move(samples));
    }
    bool any = false;
    for (const Verdict& v : judge(finalists)) any = any || v.accepted;
    accepted += any;
  }
  CHECK(accepted <= repeats / 20);
}
