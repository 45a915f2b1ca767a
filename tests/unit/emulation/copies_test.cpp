// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#include <doctest/doctest.h>

using emulation_test::Case;
using parhelion::emulation::Kind;

namespace {

constexpr Case cases[] = {
    {"a copy is waited for", Kind::NotWaited, R"(
  __shared__ u32 part[64];
  cp_async<4>(shared_address(part + t), in + t, 4);
  cp_async_commit();
  if (!wrong) cp_async_wait<0>();
  out[t] = part[t];  // here
  cp_async_wait<0>();
)"},
    {"the right group is waited for", Kind::NotWaited, R"(
  __shared__ uint2 part[2][64];
  cp_async<8>(shared_address(&part[0][t]), in + 2 * t, 8);
  cp_async_commit();
  cp_async<8>(shared_address(&part[1][t]), in + 128 + 2 * t, 8);
  cp_async_commit();
  cp_async_wait<1>();
  out[t] = part[wrong][t].x;  // here
  cp_async_wait<0>();
)"},
    {"an empty group counts", Kind::NotWaited, R"(
  __shared__ u32 part[64];
  cp_async<4>(shared_address(part + t), in + t, 4);
  cp_async_commit();
  if (!wrong) cp_async_commit();
  cp_async_wait<1>();
  out[t] = part[t];  // here
  cp_async_wait<0>();
)"},
    {"other threads' copies need a barrier after the wait", Kind::NotWaited, R"(
  __shared__ u32 part[64];
  cp_async<4>(shared_address(part + t), in + t, 4);
  cp_async_commit();
  if (wrong) __syncthreads();
  cp_async_wait<0>();
  if (!wrong) __syncthreads();
  out[t] = part[63 - t];  // here
)"},
    {"a copy is committed", Kind::CopyPending, R"(
  __shared__ u32 part[64];
  cp_async<4>(shared_address(part + t), in + t, 4);  // here
  if (!wrong) cp_async_commit();
  cp_async_wait<0>();
)"},
    {"a copy does not outlive its thread", Kind::CopyPending, R"(
  __shared__ u32 part[64];
  cp_async<4>(shared_address(part + t), in + t, 4);  // here
  cp_async_commit();
  if (!wrong) cp_async_wait<0>();
)"},
    {"a slot is refilled after its readers", Kind::Race, R"(
  __shared__ u32 part[64];
  part[t] = in[t];
  __syncthreads();
  out[t] = part[63 - t];
  if (!wrong) __syncthreads();
  cp_async<4>(shared_address(part + t), in + t, 4);  // here
  cp_async_commit();
  cp_async_wait<0>();
)"},
    {"a slot is refilled after its last copy", Kind::NotWaited, R"(
  __shared__ uint4 part[64];
  cp_async<16>(shared_address(part + t), in + 4 * t, 16);
  cp_async_commit();
  if (!wrong) cp_async_wait<0>();
  cp_async<16>(shared_address(part + t), in + 4 * t, 16);  // here
  cp_async_commit();
  cp_async_wait<0>();
)"},
    {"aligned target", Kind::Misaligned, R"(
  __shared__ uint4 part[65];
  const u32 to = shared_address(part + t) + (wrong ? 8 : 0);
  cp_async<16>(to, in + 4 * t, 16);  // here
  cp_async_commit();
  cp_async_wait<0>();
)"},
    {"aligned source", Kind::Misaligned, R"(
  __shared__ uint4 part[64];
  cp_async<16>(shared_address(part + t), in + 4 * t + (wrong ? 1 : 0), 16);  // here
  cp_async_commit();
  cp_async_wait<0>();
)"},
    {"source inside its buffer; what is filled with zeros is not read", Kind::Bounds, R"(
  __shared__ uint4 part[64];
  const int first = 4 * (t + 65);
  const int left = wrong ? 4 : min(max(512 - first, 0), 4);
  cp_async<16>(shared_address(part + t), in + (left ? first : 0), 4 * left);  // here
  cp_async_commit();
  cp_async_wait<0>();
)"},
    {"no more source than target", Kind::Bounds, R"(
  __shared__ u32 part[64];
  cp_async<4>(shared_address(part + t), in + t, wrong ? 8 : 3);  // here
  cp_async_commit();
  cp_async_wait<0>();
)"},
};

}  // namespace

TEST_CASE("asynchronous copies are checked") { emulation_test::check_cases(cases); }
