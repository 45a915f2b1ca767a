// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#include <doctest/doctest.h>

using emulation_test::Case;
using parhelion::emulation::Kind;

namespace {

constexpr Case cases[] = {
    {"initialised before others use it", Kind::MbarrierInit, R"(
  __shared__ u64 bar;
  if (t == 0) mbarrier_init(shared_address(&bar), 64);
  if (!wrong) __syncthreads();
  if (wrong) named_sync(1 + t / 32, 32);
  if (wrong && t < 32) named_sync(3, 32);
  mbarrier_arrive(shared_address(&bar));  // here
)",
     64, false},
    {"initialised once", Kind::MbarrierInit, R"(
  __shared__ u64 bar;
  if (t == 0) mbarrier_init(shared_address(&bar), 1);
  if (t == 0 && wrong) mbarrier_init(shared_address(&bar), 1);  // here
)"},
    {"fenced before the copy engine uses it", Kind::MbarrierInit, R"(
  __shared__ u64 bar;
  __shared__ uint4 part[4];
  if (t == 0) {
    mbarrier_init(shared_address(&bar), 1);
    if (!wrong) mbarrier_init_fence();
    mbarrier_expect(shared_address(&bar), 64);
    bulk_load(shared_address(part), in, 64, shared_address(&bar));  // here
    mbarrier_wait(shared_address(&bar), 0);
  }
)"},
    {"arrive hands over to who waits", Kind::Race, R"(
  __shared__ u64 bar;
  __shared__ u32 part[32];
  if (t == 0) mbarrier_init(shared_address(&bar), 32);
  __syncthreads();
  if (t < 32) {
    part[t] = in[t];
    mbarrier_arrive(shared_address(&bar));
  } else {
    if (!wrong) mbarrier_wait(shared_address(&bar), 0);
    if (wrong) for (int i = 0; i < 40; ++i) __syncwarp();
    out[t] = part[t - 32];  // here
  }
)",
     64, false},
    {"the first wait is for parity 0", Kind::Deadlock, R"(
  __shared__ u64 bar;
  if (t == 0) mbarrier_init(shared_address(&bar), 64);
  __syncthreads();
  mbarrier_arrive(shared_address(&bar));
  mbarrier_wait(shared_address(&bar), wrong);  // here
)"},
    {"as many arrivals as the barrier counts", Kind::Deadlock, R"(
  __shared__ u64 bar;
  if (t == 0) mbarrier_init(shared_address(&bar), 64);
  __syncthreads();
  if (!wrong || t != 9) mbarrier_arrive(shared_address(&bar));
  mbarrier_wait(shared_address(&bar), 0);  // here
)"},
    {"the parity flips each round", Kind::StalePhase, R"(
  __shared__ u64 bar;
  if (t == 0) mbarrier_init(shared_address(&bar), 64);
  __syncthreads();
  mbarrier_arrive(shared_address(&bar));
  mbarrier_wait(shared_address(&bar), 0);
  __syncthreads();
  if (!wrong) mbarrier_arrive(shared_address(&bar));
  mbarrier_wait(shared_address(&bar), wrong ? 0 : 1);  // here
)"},
    {"its bytes are no variable", Kind::MbarrierAccess, R"(
  __shared__ u64 bar[2];
  if (t == 0) {
    mbarrier_init(shared_address(bar), 1);
    bar[wrong ? 0 : 1] = 7;  // here
  }
)"},
    {"a bulk copy is waited for", Kind::NotWaited, R"(
  __shared__ u64 bar;
  __shared__ uint4 part[64];
  if (t == 0) {
    mbarrier_init(shared_address(&bar), 1);
    mbarrier_init_fence();
    mbarrier_expect(shared_address(&bar), 1024);
    bulk_load(shared_address(part), in, 1024, shared_address(&bar));
  }
  __syncthreads();
  if (!wrong) mbarrier_wait(shared_address(&bar), 0);
  out[t] = part[t].x;  // here
  if (wrong) mbarrier_wait(shared_address(&bar), 0);
)",
     64, false},
    {"expected bytes land", Kind::Deadlock, R"(
  __shared__ u64 bar;
  __shared__ uint4 part[64];
  if (t == 0) {
    mbarrier_init(shared_address(&bar), 1);
    mbarrier_init_fence();
    mbarrier_expect(shared_address(&bar), wrong ? 1040 : 1024);
    bulk_load(shared_address(part), in, 1024, shared_address(&bar));
    mbarrier_wait(shared_address(&bar), 0);  // here
  }
)"},
    {"all bytes that land are expected", Kind::ExpectBytes, R"(
  __shared__ u64 bar;
  __shared__ uint4 part[64];
  if (t == 0) {
    mbarrier_init(shared_address(&bar), 1);
    mbarrier_init_fence();
    mbarrier_expect(shared_address(&bar), wrong ? 512 : 1024);
    bulk_load(shared_address(part), in, 1024, shared_address(&bar));  // here
    mbarrier_wait(shared_address(&bar), 0);
  }
)",
     64, false},
    {"sizes of bulk copies", Kind::Misaligned, R"(
  __shared__ u64 bar;
  __shared__ uint4 part[64];
  if (t == 0) {
    mbarrier_init(shared_address(&bar), 1);
    mbarrier_init_fence();
    mbarrier_expect(shared_address(&bar), wrong ? 1016 : 1024);
    bulk_load(shared_address(part), in, wrong ? 1016 : 1024, shared_address(&bar));  // here
    mbarrier_wait(shared_address(&bar), 0);
  }
)"},
    {"a fence between ordinary accesses and the copy engine", Kind::Proxy, R"(
  __shared__ u64 bar;
  __shared__ uint4 part[64];
  part[t] = uint4{0, 0, 0, 0};
  if (t == 0) {
    mbarrier_init(shared_address(&bar), 1);
    mbarrier_init_fence();
  }
  if (!wrong) fence_async_shared();
  __syncthreads();
  if (wrong) fence_async_shared();  // after the barrier it covers own accesses only
  if (t == 0) {
    mbarrier_expect(shared_address(&bar), 1024);
    bulk_load(shared_address(part), in, 1024, shared_address(&bar));  // here
  }
  mbarrier_wait(shared_address(&bar), 0);
  out[t] = part[t].y;
)"},
};

}  // namespace

TEST_CASE("mbarriers and bulk copies are checked") { emulation_test::check_cases(cases); }
