// SPDX-License-Identifier: Apache-2.0
#include "layout/swizzle.h"

#include <doctest/doctest.h>

#include <vector>

#include "layout/fragments.h"
#include "layout/shared_image.h"

using namespace parhelion::layout;

TEST_CASE("the swizzle is an involution that permutes each period") {
  for (const int width : {0, 32, 64, 128}) {
    const Swizzle swizzle{width};
    std::vector<bool> hit(static_cast<std::size_t>(swizzle.period()));
    for (std::uint32_t a = 0; a < hit.size(); ++a) {
      CHECK(swizzle.apply(swizzle.apply(a)) == a);
      hit[swizzle.apply(a)] = true;
      CHECK(swizzle.apply(a + 4096) == swizzle.apply(a) + 4096);
    }
    for (const bool h : hit) CHECK(h);
  }
  CHECK(Swizzle{128}.apply(7 << 7) == (7 << 7 | 7 << 4));
}

TEST_CASE("wavefronts of known patterns") {
  std::vector<std::uint32_t> row, column, vectors;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    row.push_back(lane * 4);
    column.push_back(lane * 128);
    vectors.push_back(lane * 16);
  }
  CHECK(wavefronts(row, 4) == 1);
  CHECK(wavefronts(column, 4) == 32);
  CHECK(wavefronts(vectors, 16) == 4);
  CHECK(wavefronts(std::vector<std::uint32_t>(32, 64), 4) == 1);  // broadcast
}

TEST_CASE("rows of 128 bytes: ldmatrix conflicts without the swizzle and not with it") {
  std::vector<std::uint32_t> plain, swizzled;
  for (std::uint32_t row = 0; row < 8; ++row) {
    plain.push_back(row * 128);
    swizzled.push_back(Swizzle{128}.apply(row * 128));
  }
  CHECK(wavefronts(plain, 16) == 8);
  CHECK(wavefronts(swizzled, 16) == 1);
}

TEST_CASE("stmatrix writes an accumulator that vector accesses read back, both at the bound") {
  const auto d = *LinearLayout::parse(
      "m:64 n:64 | register n:1 m:8 n:8 n:16 n:32 | lane n:2 n:4 m:1 m:2 m:4 | warp m:16 m:32");
  const auto rows = *LinearLayout::parse(
      "m:64 n:64 | register n:1 n:2 n:4 m:16 m:32 | lane n:8 n:16 n:32 m:1 m:2 | warp m:4 m:8");
  const SharedImage image =
      swizzled_image({d, SharedAccess::Matrix}, {rows, SharedAccess::Plain}, 2);
  CHECK(image.target_vector == 3);
  CHECK(image.source_wavefronts == 64 * 64 * 2 / 128);
  CHECK(image.target_wavefronts == 64 * 64 * 2 / 128);
}
