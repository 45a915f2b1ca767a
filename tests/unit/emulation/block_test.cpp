// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#include <doctest/doctest.h>

using emulation_test::Case;
using parhelion::emulation::Kind;

namespace {

constexpr Case cases[] = {
    {"__syncthreads is reached by all", Kind::Deadlock, R"(
  if (!wrong || t < 32) __syncthreads();  // here
  out[t] = 1;
)"},
    {"__syncthreads is one statement", Kind::Divergent, R"(
  if (wrong && t >= 32) __syncthreads();
  else __syncthreads();  // here
  out[t] = 1;
)",
     64, false},
    {"named barrier: id", Kind::BarrierCount, R"(
  named_sync(wrong ? 16 : 1, 64);  // here
)"},
    {"named barrier: equal counts", Kind::BarrierCount, R"(
  if (t < 64) named_sync(2, wrong && t >= 32 ? 96 : 64);  // here
)",
     128},
    {"named barrier: whole warps", Kind::BarrierCount, R"(
  if (!wrong || t % 32 < 16) named_sync(3, wrong ? 32 : 64);  // here
)"},
    {"named barrier: counts are of whole warps", Kind::BarrierCount, R"(
  if (t < 32) named_sync(3, wrong ? 16 : 32);  // here
)"},
    {"named barrier: no thread twice", Kind::BarrierCount, R"(
  if (t < 32) {
    named_arrive(4, 64);
    if (wrong) named_arrive(4, 64);  // here
  } else {
    named_sync(4, 64);
  }
)"},
    {"named barrier: enough threads", Kind::Deadlock, R"(
  if (t < 32) named_sync(5, wrong ? 64 : 32);  // here
)"},
    {"arrive hands over", Kind::Race, R"(
  __shared__ u32 part[32];
  if (t < 32) part[t] = 0;
  __syncthreads();
  if (t < 32) {
    part[t] = in[t];
    named_arrive(6, 64);
  } else {
    if (wrong) named_arrive(6, 64);
    else named_sync(6, 64);
    out[t] = part[63 - t];  // here
  }
)"},
    {"arrive takes nothing", Kind::Race, R"(
  __shared__ u32 part[32];
  if (t < 32) part[t] = 0;
  __syncthreads();
  if (t < 32) {
    if (wrong) named_arrive(7, 64);
    else named_sync(7, 64);
    out[t] = part[t];  // here
  } else {
    part[t - 32] = in[t];
    named_sync(7, 64);
  }
)",
     64, false},
    {"two named barriers keep two pairs of warps apart", Kind::Race, R"(
  __shared__ u32 part[128];
  part[t] = in[t];
  named_sync(wrong ? 8 + t / 32 % 2 : 8 + t / 64, 64);
  out[t] = part[t ^ 32];  // here
)",
     128},
};

}  // namespace

TEST_CASE("barriers of a block are checked") { emulation_test::check_cases(cases); }
