// SPDX-License-Identifier: Apache-2.0
#include "layout/stripe.h"

#include <doctest/doctest.h>

#include <set>

#include "layout/algebra.h"

using namespace parhelion::layout;

TEST_CASE("a row over two warps: vector, lanes, warps, and an odd repeat in registers") {
  FreeBits free{31, 3};
  const Stripe row = blocked_stripe(3584, {.vector = 8, .warps = 2}, free);
  CHECK(row.extent() == 3584);
  CHECK(row.repeat == 7);
  CHECK(row.registers() == 56);
  CHECK(row.contiguous() == 3);
  CHECK(free.lanes == 0);
  CHECK(free.warps == 2);
  CHECK(row.register_part(9) == 1 + 512);
  const ReductionLevels levels = reduction_levels(row);
  CHECK(levels.registers == 56);
  CHECK(levels.lane_steps == std::vector<int>{16, 8, 4, 2, 1});
  CHECK(levels.warp_mask == 1);
}

TEST_CASE("short rows leave lanes to the other axis; primes are rounded up") {
  FreeBits free{31, 3};
  const Stripe columns = blocked_stripe(13, {.vector = 2}, free);
  CHECK(columns.extent() == 16);
  CHECK(free.lanes == 24);
  const Stripe rows = blocked_stripe(5, {}, free);
  CHECK(rows.extent() == 8);
  CHECK(rows.lane_mask() == 24);
  CHECK(rows.warp_mask() == 1);
  FreeBits many{31, 3};
  CHECK(blocked_stripe(4099, {}, many).extent() == 4224);  // 33 * 128
}

TEST_CASE("the product of stripes covers the tile once") {
  FreeBits free{31, 3};
  const Stripe n = blocked_stripe(96, {.vector = 4, .lanes = 8}, free);
  const Stripe m = blocked_stripe(24, {}, free);
  const std::pair<std::string, Stripe> axes[] = {{"m", m}, {"n", n}};
  const LinearLayout layout = layout_of(axes);
  CHECK(layout.covers());
  std::set<std::vector<std::int64_t>> seen;
  for (std::uint32_t slot = 0; slot < layout.slots(); ++slot) {
    for (std::uint32_t t = 0; t < 128; ++t) {
      seen.insert(layout.at({.slot = slot, .lane = t % 32, .warp = t / 32}));
    }
  }
  CHECK(seen.size() == static_cast<std::size_t>(m.extent() * n.extent()));
}
