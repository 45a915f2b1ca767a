// SPDX-License-Identifier: Apache-2.0
// Which dimensions lie alike, and what they get.
#include "plan/cuda/classes.h"
#include "kernels.h"

using namespace plan_test;

TEST_CASE("a row's dimensions are two classes, whoever uses them") {
  const Subject s = subject(row_sum, {{64, 256}}, true);
  const auto map = plan::cuda::classify(s.function);
  CHECK(map.axes.size() == 2);
  CHECK(map.apart[0].size() == 1);
}

TEST_CASE("operands of a dot lie as they please, the accumulator as its fragment") {
  const Subject s = subject(product, {{512, 512}, {512, 512}}, false);
  const auto plan = make(s, "block[a0]=64 block[a1]=64 block[a2]=32 warps=4");
  REQUIRE(plan.has_value());
  const plan::cuda::DotPlan& dot = plan->roots[0].dots[0];
  CHECK(dot.family == plan::cuda::DotFamily::Mma);
  CHECK(dot.stages == 3);
  CHECK(dot.a.k_major);
  CHECK_FALSE(dot.b.k_major);
  CHECK(dot.a.width() == 64);
  CHECK(dot.b.width() == 128);
  CHECK(plan->of(dot.m).stripe.lane_mask() == 28);
  CHECK(plan->of(dot.n).stripe.lane_mask() == 3);
  CHECK(plan->roots[0].shared_bytes == 3 * (64 * 32 + 32 * 64) * 2);
}

TEST_CASE("a row takes vectors, lanes and the warps that rows leave") {
  const Subject s = subject(row_sum, {{64, 3584}}, true);
  const auto plan = make(s, "block[a0]=2 warps=4");
  REQUIRE(plan.has_value());
  const auto at = plan->values[0];
  CHECK(plan->of(at[0]).stripe.warp_mask() == 2);
  CHECK(plan->of(at[1]).stripe.warp_mask() == 1);
  CHECK(plan->of(at[1]).stripe.lane_mask() == 31);
  CHECK(plan->of(at[1]).stripe.contiguous() == 2);
  CHECK(plan->of(at[1]).stripe.extent() == 3584);
  CHECK(plan->paths[0].vector == 4);
}

TEST_CASE("a size that is not known is walked by chunks") {
  const Subject s = subject(row_sum, {{64, 3584}}, false);
  const auto plan = make(s, "block[a0]=1 warps=4");
  REQUIRE(plan.has_value());
  CHECK(plan->of(plan->values[0][1]).chunk > 0);
}
