// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#include <doctest/doctest.h>

using emulation_test::Case;
using parhelion::emulation::Kind;

namespace {

constexpr Case cases[] = {
    {"load_once inside its buffer", Kind::Bounds, R"(
  store_once(out + t, load_once(in + t + (wrong ? 449 : 448)));  // here
)"},
    {"store_once to an output", Kind::ReadOnly, R"(
  u32* to = wrong ? const_cast<u32*>(in) : out;
  store_once(to + t, 1u);  // here
)"},
    {"load_once of 16 aligned bytes", Kind::Misaligned, R"(
  const uint4* from = reinterpret_cast<const uint4*>(in + 4 * t + (wrong ? 2 : 0));
  const uint4 v = load_once(from);  // here
  out[t] = v.x;
)"},
    {"plain load of 8 aligned bytes", Kind::Misaligned, R"(
  const uint2* from = reinterpret_cast<const uint2*>(in + 2 * t + (wrong ? 1 : 0));
  const uint2 v = *from;  // here
  out[t] = v.x + v.y;
)"},
    {"plain store inside its buffer", Kind::Bounds, R"(
  out[wrong ? t - 1 : t] = 1;  // here
)"},
    {"plain load inside its buffer", Kind::Bounds, R"(
  out[t] = in[wrong ? t + 500 : t];  // here
)"},
    {"register array", Kind::Bounds, R"(
  u32 v[4] = {1, 2, 3, 4};
  for (int i = 0; i < 4 + wrong; ++i) v[i] += in[t];  // here
  out[t] = v[0] + v[1] + v[2] + v[3];
)"},
    {"shared array", Kind::Bounds, R"(
  __shared__ u32 part[64];
  part[t + wrong] = in[t];  // here
  out[t] = part[t + wrong];
)"},
    {"dynamic shared memory as launched", Kind::Bounds, R"(
  extern __shared__ unsigned char shared[];
  u32* words = reinterpret_cast<u32*>(shared);
  words[wrong ? 1024 + t : t] = in[t];  // here
  out[t] = words[wrong ? 1024 + t : t];
)"},
    {"shared memory is written before it is read", Kind::Uninitialised, R"(
  __shared__ u32 part[64];
  if (!wrong || t != 5) part[t] = in[t];
  out[t] = part[t];  // here
)"},
    {"another thread's word after a barrier", Kind::Race, R"(
  __shared__ u32 part[64];
  part[t] = in[t];
  if (!wrong) __syncthreads();
  if (wrong) __syncwarp();
  out[t] = part[63 - t];  // here
)"},
    {"a word is overwritten after its readers", Kind::Race, R"(
  __shared__ u32 part[64];
  part[t] = in[t];
  __syncthreads();
  out[t] = part[63 - t];
  if (!wrong) __syncthreads();
  part[t] = out[t];  // here
)"},
    {"halves of a word belong to two threads", Kind::Race, R"(
  __shared__ u16 part[64];
  part[t] = 0;
  __syncthreads();
  part[wrong ? t & ~1 : t] = static_cast<u16>(in[t]);  // here
  __syncthreads();
  out[t] = part[63 - t];
)"},
    {"a word is read whole and written by halves", Kind::Race, R"(
  __shared__ u32 part[32];
  u16* halves = reinterpret_cast<u16*>(part);
  halves[t] = static_cast<u16>(in[t]);
  __syncthreads();
  if (t % 2 == 0) out[t] = part[t / 2];
  if (!wrong) __syncthreads();
  halves[t] = 7;  // here
)"},
    {"a parameter loop ends", Kind::TimeLimit, R"(
  u32 x = in[t];
  while (x != 0) x = wrong ? x * 5 + 3 | 1 : x / 2;  // here
  out[t] = x;
)",
     32},
};

}  // namespace

TEST_CASE("accesses are checked") { emulation_test::check_cases(cases); }
