// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <bit>

#include "layout/algebra.h"
#include "layout/fragments.h"
#include "layout/shared_image.h"
#include "layout/stripe.h"
#include "random_layout.h"

using namespace parhelion;
using namespace parhelion::layout;
using namespace parhelion::layout::testing;

namespace {

int lines(const LinearLayout& layout, int element_bytes) {
  return std::max(1, (element_bytes << layout.output_bits()) / 128);
}

// Fewest wavefronts of a side for its vector width: every group of lanes in one.
int conflict_free(const LinearLayout& layout, int vector, int element_bytes) {
  const int bytes = element_bytes << vector;
  const int groups = bytes <= 4 ? 1 : bytes / 4;
  const Subspace registers(layout.bases(Input::Register));
  const int accesses = 1 << (registers.dimension() - vector);
  return (accesses * groups) << layout.bits(Input::Warp);
}

LinearLayout accumulator(int m_bits, int n_bits, int warps) {
  const LinearLayout& d = layout_of(Fragment::MmaD);
  LinearLayout outer({{"m", m_bits - 4, 1}, {"n", n_bits - 3, 1}});
  for (int b = 0; b < n_bits - 3; ++b) outer.add(Input::Register, "n", b);
  for (int b = 0; b < m_bits - 4 - warps; ++b) outer.add(Input::Register, "m", b);
  for (int b = m_bits - 4 - warps; b < m_bits - 4; ++b) outer.add(Input::Warp, "m", b);
  return product(d, outer);
}

LinearLayout blocked(int m_bits, int n_bits, int warps, int vector, bool along_m) {
  FreeBits free{31, (Bits{1} << warps) - 1};
  const auto fast =
      blocked_stripe(1 << (along_m ? m_bits : n_bits), {.vector = vector, .lanes = 8}, free);
  const auto slow = blocked_stripe(1 << (along_m ? n_bits : m_bits), {}, free);
  const std::pair<std::string, Stripe> axes[] = {{"m", along_m ? fast : slow},
                                                 {"n", along_m ? slow : fast}};
  return layout_of(axes);
}

void check_image(const LinearLayout& source, const LinearLayout& target, int element_bytes) {
  const SharedImage made = swizzled_image({source}, {target}, element_bytes);
  CHECK(made.image.covers());
  CHECK(made.image.input_bits() == made.image.output_bits());
  CHECK(made.source_wavefronts == conflict_free(source, made.source_vector, element_bytes));
  CHECK(made.target_wavefronts == conflict_free(target, made.target_vector, element_bytes));
  // What is written at an offset is what is read there: both sides use one bijection.
  CHECK(inverse(made.image).has_value());
}

}  // namespace

TEST_CASE("images of regular pairs are free of conflicts") {
  for (int m_bits = 5; m_bits <= 6; ++m_bits) {
    for (int n_bits = 4; n_bits <= 6; ++n_bits) {
      for (int warps = 0; warps <= 1; ++warps) {
        const LinearLayout d = accumulator(m_bits, n_bits, warps);
        for (const int bytes : {2, 4}) {
          CAPTURE(m_bits);
          CAPTURE(n_bits);
          CAPTURE(warps);
          CAPTURE(bytes);
          const LinearLayout rows = blocked(m_bits, n_bits, warps, 16 / bytes, false);
          const LinearLayout columns = blocked(m_bits, n_bits, warps, 16 / bytes, true);
          check_image(rows, d, bytes);
          check_image(d, rows, bytes);
          check_image(rows, columns, bytes);
          check_image(d, columns, bytes);
        }
      }
    }
  }
}

TEST_CASE("blocked <-> accumulator reaches the bound of one line a wavefront") {
  const LinearLayout d = accumulator(6, 6, 1);
  for (const int bytes : {2, 4}) {
    const LinearLayout rows = blocked(6, 6, 1, 16 / bytes, false);
    const SharedImage image = swizzled_image({rows}, {d}, bytes);
    CHECK(image.source_wavefronts == lines(rows, bytes));
    CHECK(image.target_wavefronts == lines(d, bytes));
    const LinearLayout naive = row_major_image(d);
    CHECK(count_wavefronts(naive, {rows}, 0, bytes) + count_wavefronts(naive, {d}, 0, bytes) >
          image.source_wavefronts + image.target_wavefronts);
  }
}

TEST_CASE("images of random pairs are free of conflicts") {
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    Rng rng(seed, 8);
    const Shape s = random_shape(rng);
    const bool dense = rng.chance(.5);
    const LinearLayout source = random_layout(rng, s, dense), target = random_layout(rng, s, dense);
    check_image(source, target, 1 << rng.below(3));
  }
}
