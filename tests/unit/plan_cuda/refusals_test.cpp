// SPDX-License-Identifier: Apache-2.0
// Every row of the constraint table that the CUDA Plan evaluates, with its reason and repair.
#include "kernels.h"

using namespace plan_test;
using config::ConstraintId;

namespace {

void refused(const Subject& s, std::string_view config, ConstraintId row, std::string_view message,
             std::string_view repaired, const plan::cuda::Machine& machine = {}) {
  CAPTURE(config);
  const auto plan = make(s, config, machine);
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().constraint == row);
  CHECK(plan.error().message == message);
  CHECK(plan.error().repaired.text() == repaired);
  // The repair is legal, or leads on to the next row.
  const auto again = make(s, plan.error().repaired.text(), machine);
  if (!again) CHECK(again.error().constraint != ConstraintId::UnknownSubject);
}

}  // namespace

TEST_CASE("warps: powers of two, and no more threads than a block has") {
  const Subject s = subject(row_sum, {{64, 256}}, true);
  refused(s, "block[a0]=1 warps=3", ConstraintId::PowerOfTwo, "warps = 3 is not a power of two",
          "block[a0]=1 warps=2");
  refused(s, "block[a0]=1 warps=64", ConstraintId::Threads,
          "warps = 64 is 2048 threads, over the 1024 of a block", "block[a0]=1 warps=32");
}

TEST_CASE("registers: rows that a thread cannot hold") {
  const Subject s = subject(row_sum, {{64, 65536}}, true);
  refused(s, "block[a0]=1 warps=4 reduce[a1]=resident", ConstraintId::RegisterFloor,
          "the values that are held need 536 registers a thread, 255 exist",
          "block[a0]=1 warps=8 reduce[a1]=resident");
  CHECK(make(s, "block[a0]=1 warps=4").has_value());  // by chunks
}

TEST_CASE("a carried row needs a length that is known") {
  const Subject s = subject(carried_row, {{64, 256}}, false);
  const auto plan = make(s, "block[a0]=1 warps=4");
  REQUIRE_FALSE(plan.has_value());
  CHECK(plan.error().constraint == ConstraintId::ReduceResidentStatic);
  CHECK(make(subject(carried_row, {{64, 256}}, true), "block[a0]=1 warps=4").has_value());
}

TEST_CASE("products: shared memory and the warp grid") {
  const Subject s = subject(product, {{512, 512}, {512, 512}}, false);
  refused(s, "block[a0]=128 block[a1]=128 block[a2]=64 warps=8 stages[l1]=8",
          ConstraintId::SharedBytes, "shared memory: 262144 bytes, 232448 exist on sm_90a",
          "block[a0]=128 block[a1]=128 block[a2]=64 warps=8 stages[l1]=7");
  refused(s, "block[a0]=64 block[a1]=64 block[a2]=32 warps=4 warp_grid[d0]=4x2",
          ConstraintId::WarpGridCount, "warp_grid[d0] = 4x2 is not the 4 warps of the program",
          "block[a0]=64 block[a1]=64 block[a2]=32 warps=4 warp_grid[d0]=4x1");
}
