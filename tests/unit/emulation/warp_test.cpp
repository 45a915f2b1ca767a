// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#include <doctest/doctest.h>

using emulation_test::Case;
using parhelion::emulation::Kind;

namespace {

constexpr Case cases[] = {
    {"the mask holds the lane that calls", Kind::Divergent, R"(
  const u32 mask = wrong ? 0x0fffffffu : 0xffffffffu;
  out[t] = __shfl_xor_sync(mask, in[t], 16);  // here
)"},
    {"the mask holds the lane that is read", Kind::Divergent, R"(
  if (t % 32 < 16) {
    out[t] = __shfl_sync(0x0000ffffu, in[t], wrong ? 20 : 3);  // here
  }
)"},
    {"all lanes of the mask come", Kind::Divergent, R"(
  u32 v = in[t];
  if (!wrong || t % 32 < 16) v = __shfl_up_sync(0xffffffffu, v, 1);
  __syncwarp();  // here
  out[t] = v;
)"},
    {"no lane of the mask has ended", Kind::Divergent, R"(
  if (wrong && t % 32 == 7) return;
  out[t] = __shfl_down_sync(0xffffffffu, in[t], 2);  // here
)"},
    {"all lanes shuffle by the same step", Kind::Divergent, R"(
  out[t] = __shfl_xor_sync(0xffffffffu, in[t], wrong && t % 2 ? 2 : 1);  // here
)"},
    {"two halves at two shuffles with their own masks", Kind::Divergent, R"(
  const bool low = t % 32 < 16;
  const u32 mask = wrong ? 0xffffffffu : low ? 0x0000ffffu : 0xffff0000u;
  u32 v;
  if (low) v = __shfl_xor_sync(mask, in[t], 1);
  else v = __shfl_xor_sync(mask, in[t], 2);  // here
  out[t] = v;
)"},
    {"uniform values agree", Kind::Divergent, R"(
  out[t] = uniform(wrong ? t / 16 : t / 32);  // here
)"},
    {"the elected lane hands over by __syncwarp", Kind::Race, R"(
  __shared__ u32 part[2];
  if (elect_one()) part[t / 32] = in[t];
  if (!wrong) __syncwarp();
  out[t] = part[t / 32];  // here
)"},
    {"a shuffle orders no memory", Kind::Race, R"(
  __shared__ u32 part[64];
  part[t] = in[t];
  if (wrong) __shfl_sync(0xffffffffu, 0, 0);
  else __syncwarp();
  out[t] = part[t ^ 1];  // here
)"},
    {"ldmatrix: aligned rows", Kind::Misaligned, R"(
  __shared__ uint4 tile[34];
  tile[t % 32] = uint4{1, 2, 3, 4};
  if (t < 2) tile[32 + t] = uint4{0, 0, 0, 0};
  __syncwarp();
  u32 a, b, c, d;
  const u32 row = shared_address(tile) + 16 * t + (wrong ? 8 : 0);
  load_matrix_x4(a, b, c, d, row);  // here
  out[t] = a + b + c + d;
)",
     32},
    {"ldmatrix: rows inside shared memory", Kind::Bounds, R"(
  extern __shared__ unsigned char shared[];
  reinterpret_cast<uint4*>(shared)[t] = uint4{1, 2, 3, 4};
  __syncwarp();
  u32 a, b, c, d;
  load_matrix_x4_trans(a, b, c, d, shared_address(shared) + 16 * (wrong ? 240 + t : t));  // here
  out[t] = a + b + c + d;
)",
     32},
    {"ldmatrix: other lanes' stores need an order", Kind::Race, R"(
  __shared__ uint4 tile[32];
  tile[31 - t] = uint4{1, 2, 3, 4};
  if (!wrong) __syncwarp();
  u32 a, b, c, d;
  load_matrix_x4(a, b, c, d, shared_address(tile + t));  // here
  out[t] = a + b + c + d;
)",
     32},
    {"ldmatrix orders no memory", Kind::Race, R"(
  __shared__ uint4 tile[32];
  tile[t] = uint4{1, 2, 3, 4};
  __syncwarp();
  u32 a, b, c, d;
  load_matrix_x4(a, b, c, d, shared_address(tile + t));
  if (!wrong) __syncwarp();
  tile[t ^ 1] = uint4{a, b, c, d};  // here
)",
     32},
    {"stmatrix: rows of two warps", Kind::Race, R"(
  __shared__ uint4 tile[64];
  store_matrix_x4(shared_address(tile + (wrong ? t % 32 : t)), 1, 2, 3, 4);  // here
)"},
    {"mma takes the whole warp", Kind::Divergent, R"(
  float d[4] = {0, 0, 0, 0};
  if (!wrong || t % 32 < 8) {
    mma_m16n8k16_bf16(d[0], d[1], d[2], d[3], in[t], in[t], in[t], in[t], in[t], in[t]);  // here
  }
  out[t] = __float_as_uint(d[0]);
)"},
};

}  // namespace

TEST_CASE("operations of a warp are checked") { emulation_test::check_cases(cases); }
