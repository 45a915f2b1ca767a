// SPDX-License-Identifier: Apache-2.0
#include "layout/fragments.h"

#include <doctest/doctest.h>

#include <set>

#include "layout/algebra.h"

using namespace parhelion::layout;

TEST_CASE("every fragment holds each element exactly once") {
  for (const FragmentRow& row : fragment_rows()) {
    CAPTURE(row.name);
    const LinearLayout& layout = layout_of(row.fragment);
    CHECK(layout.text() == row.text);
    CHECK(layout.covers());
    CHECK(layout.input_bits() == layout.output_bits());
  }
}

TEST_CASE("wgmma accumulators are bijective for all 32 widths") {
  for (int n = 8; n <= 256; n += 8) {
    const LinearLayout d = wgmma_d(n);
    std::set<std::vector<std::int64_t>> seen;
    for (std::uint32_t slot = 0; slot < d.slots(); ++slot) {
      for (std::uint32_t thread = 0; thread < 128; ++thread) {
        seen.insert(d.at({.slot = slot, .lane = thread % 32, .warp = thread / 32}));
      }
    }
    CHECK(seen.size() == static_cast<std::size_t>(64 * n));
    CHECK(*seen.rbegin() == std::vector<std::int64_t>{63, n - 1});
  }
}

TEST_CASE("wgmma N = 80 is five repeats of 16 columns") {
  CHECK(wgmma_d(80).text() ==
        "m:64 n:16*5 | register n:1 m:8 n:8 | lane n:2 n:4 m:1 m:2 m:4 | warp m:16 m:32");
}

TEST_CASE("ldmatrix gives mma operands without movement") {
  // A: matrices j1 = m8, j2 = k8; rows are m, columns k.
  const auto a =
      with_axes(*LinearLayout::parse("m:16 k:16 | register k:1 m:8 k:8 | lane k:2 k:4 m:1 m:2 m:4"),
                layout_of(Fragment::MmaM16N8K16A).axes());
  CHECK(a == layout_of(Fragment::MmaM16N8K16A));
  const LinearLayout& matrix = layout_of(Fragment::LdmatrixX4);
  for (std::uint32_t slot = 0; slot < 8; ++slot) {
    for (std::uint32_t lane = 0; lane < 32; ++lane) {
      const auto rcj = matrix.at({.slot = slot, .lane = lane});
      const auto mk = a.at({.slot = slot, .lane = lane});
      CHECK(mk[0] == rcj[0] + 8 * (rcj[2] & 1));
      CHECK(mk[1] == rcj[1] + 8 * (rcj[2] >> 1));
    }
  }
}
