// SPDX-License-Identifier: Apache-2.0
#include "layout/conversion.h"

#include <doctest/doctest.h>

#include <set>

#include "layout/algebra.h"
#include "random_layout.h"

using namespace parhelion;
using namespace parhelion::layout;
using namespace parhelion::layout::testing;

namespace {

// Runs the plan on one warp: what each (lane, slot) of the destination receives.
void check_shuffles(const LinearLayout& source, const LinearLayout& target, const ShufflePlan& plan,
                    Bits warp) {
  for (Bits t = 0; t < static_cast<Bits>(plan.rounds); ++t) {
    std::set<Bits> sources;
    for (Bits lane = 0; lane < 32; ++lane) {
      const Bits from = plan.from.apply(lane) ^ plan.shift.apply(t);
      sources.insert(from);
      const Bits slot = plan.source_lane.apply(from) ^ plan.source_round.apply(t);
      const Bits filled = t ^ plan.keep.apply(lane);
      CHECK(source.atom_at({.slot = slot, .lane = from, .warp = warp}) ==
            target.atom_at({.slot = filled, .lane = lane, .warp = warp}));
    }
    CHECK(sources.size() == 32);  // a permutation: one shuffle
  }
}

}  // namespace

TEST_CASE("a conversion finds every element, with copies and repeats") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    Rng rng(seed, 5);
    const int copies = static_cast<int>(rng.below(3));
    Shape from = random_shape(rng, copies);
    from.m_repeat = rng.chance(.3) ? 3 : 1;
    from.n_repeat = rng.chance(.3) ? 5 : 1;
    Shape to = from;
    to.registers -= copies;
    const LinearLayout source = random_layout(rng, from, rng.chance(.5), copies);
    const LinearLayout target = random_layout(rng, to, rng.chance(.5));
    const Conversion c = conversion(source, target);
    CHECK(c.repeats == from.m_repeat * from.n_repeat);
    CHECK(source.matrix().compose(c.map) == target.matrix());
  }
}

TEST_CASE("shuffle rounds move the right data when no warp changes") {
  int planned = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Rng rng(seed, 6);
    Shape s = random_shape(rng);
    s.registers = s.m_bits + s.n_bits - 5;
    s.warps = 0;
    if (s.registers > 5) continue;
    const LinearLayout source = random_layout(rng, s, rng.chance(.5));
    const LinearLayout target = random_layout(rng, s, rng.chance(.5));
    const auto plan = shuffle_plan(conversion(source, target));
    REQUIRE(plan.has_value());
    check_shuffles(source, target, *plan, 0);
    ++planned;
  }
  CHECK(planned > 50);
}

TEST_CASE("an element that stays in its warp though others are copies needs no shared memory") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    Rng rng(seed, 7);
    // Each warp of the source holds the whole tile; the target gives each a part.
    const Shape whole{.m_bits = 4, .n_bits = 5, .registers = 4, .lanes = 5, .warps = 0};
    LinearLayout source = random_layout(rng, whole, false);
    source.add(Input::Warp, Bits{0});
    LinearLayout target(source.axes());
    for (int i = 0; i < 3; ++i)
      target.add(Input::Register, source.bases(Input::Register)[static_cast<std::size_t>(i)]);
    for (const Bits b : source.bases(Input::Lane)) target.add(Input::Lane, b);
    target.add(Input::Warp, source.bases(Input::Register)[3]);
    const Conversion c = conversion(source, target);
    CHECK(c.lanes_stay());
    CHECK(source.matrix().compose(c.map) == target.matrix());
  }
}
