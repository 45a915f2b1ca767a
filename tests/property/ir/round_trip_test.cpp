// SPDX-License-Identifier: Apache-2.0
// Random kernels: the verifier takes them, their text round-trips, results do not depend on block
// sizes beyond the bounds.
#include "random_run.h"

#include <cmath>

using namespace parhelion;

TEST_CASE("texts of random kernels round-trip") {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    CAPTURE(seed);
    const test::RandomKernel kernel = test::random_kernel(seed);
    const ir::Function f = test::parsed(kernel.text);
    CHECK(ir::verify(f).empty());
    for (const bool locations : {false, true}) {
      const std::string once = ir::print(f, locations);
      const ir::Function again = test::parsed(once);
      CHECK(ir::print(again, locations) == once);
      CHECK(ir::hash(again) == ir::hash(f));
    }
  }
}

TEST_CASE("block sizes change results by no more than the bounds") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    CAPTURE(seed);
    test::RandomKernelOptions options;
    options.branches = false;  // they look at tile numbers
    options.loops = false;     // carried values are functions of the number of trips
    options.whiles = false;
    test::RandomKernel kernel = test::random_kernel(seed, options);
    const ir::Function f = test::parsed(kernel.text);
    // A reduction over a tile axis is one per tile.
    if (kernel.text.find(", j in n") != std::string::npos) continue;
    if (kernel.text.find("dim 0") != std::string::npos) continue;
    std::optional<interp::Outcome> first;
    for (const std::int64_t block : {3, 8}) {
      interp::Options run;
      run.default_block = block;
      run.runs = 1;
      const interp::Outcome out = test::interpreted(f, kernel, run);
      CHECK(out.findings.empty());
      if (!first) {
        first = out;
        continue;
      }
      for (std::size_t t = 0; t < out.outputs.size(); ++t) {
        const interp::OutputTensor &a = first->outputs[t], &b = out.outputs[t];
        for (std::size_t k = 0; k < a.values.size(); ++k) {
          if (((a.flags[k] | b.flags[k]) & interp::OutputTensor::ambiguous) != 0) continue;
          if (std::isnan(a.values[k]) && std::isnan(b.values[k])) continue;
          CHECK(std::abs(a.values[k] - b.values[k]) <= a.bounds[k] + b.bounds[k]);
        }
      }
    }
  }
}
