// SPDX-License-Identifier: Apache-2.0
#include "layout/algebra.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "random_layout.h"

using namespace parhelion;
using namespace parhelion::layout;
using namespace parhelion::layout::testing;

TEST_CASE("inverse, kernel, rank and text of random layouts") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Rng rng(seed, 1);
    const int copies = static_cast<int>(rng.below(4));
    const LinearLayout f = random_layout(rng, random_shape(rng, copies), rng.chance(.5), copies);
    const BitMatrix m = f.matrix();
    CHECK(m.rank() + static_cast<int>(duplicates(f).size()) == f.input_bits());
    const auto back = inverse(f);
    REQUIRE(back.has_value());
    CHECK(m.compose(*back) == BitMatrix::identity(f.output_bits()));
    if (duplicates(f).empty()) CHECK(back->compose(m) == BitMatrix::identity(f.input_bits()));
    for (const Bits d : duplicates(f)) {
      const auto x = static_cast<Bits>(rng.below(1u << f.input_bits()));
      CHECK(m.apply(x) == m.apply(x ^ d));
    }
    CHECK(LinearLayout::parse(f.text()) == f);
  }
}

TEST_CASE("apply of a composition is the composition of applies; products associate") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Rng rng(seed, 2);
    const Shape s{.m_bits = 3, .n_bits = 4, .registers = 2, .lanes = 4, .warps = 1};
    const LinearLayout a = random_layout(rng, s, true), b = random_layout(rng, s, true);
    const BitMatrix f = a.matrix(), g = b.matrix(), h = f.compose(g);
    for (int i = 0; i < 20; ++i) {
      const auto x = static_cast<Bits>(rng.below(1u << 7));
      CHECK(h.apply(x) == f.apply(g.apply(x)));
    }
    const LinearLayout c = random_layout(rng, s, false);
    CHECK(product(product(a, b), c) == product(a, product(b, c)));
    CHECK(quotient(product(a, b), a) == b);
  }
}

TEST_CASE("canonical form is idempotent and blind to the order of registers only") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    Rng rng(seed, 3);
    const LinearLayout f = random_layout(rng, random_shape(rng), true);
    CHECK(canonical(canonical(f)) == canonical(f));
    auto registers = f.bases(Input::Register);
    rng.shuffle(registers);
    LinearLayout g(f.axes()), swapped(f.axes());
    for (const Bits b : registers) g.add(Input::Register, b);
    for (const Bits b : f.bases(Input::Register)) swapped.add(Input::Register, b);
    for (const Bits b : f.bases(Input::Lane)) g.add(Input::Lane, b);
    auto lanes = f.bases(Input::Lane);
    std::swap(lanes[0], lanes[1]);
    for (const Bits b : lanes) swapped.add(Input::Lane, b);
    for (const Bits b : f.bases(Input::Warp)) {
      g.add(Input::Warp, b);
      swapped.add(Input::Warp, b);
    }
    CHECK(equal_up_to_registers(f, g));
    CHECK_FALSE(equal_up_to_registers(f, swapped));
  }
}

TEST_CASE("subspaces: dimension formula and membership") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    Rng rng(seed, 4);
    std::vector<Bits> a, b;
    for (std::uint64_t i = 0; i < rng.below(7); ++i)
      a.push_back(static_cast<Bits>(rng.below(1024)));
    for (std::uint64_t i = 0; i < rng.below(7); ++i)
      b.push_back(static_cast<Bits>(rng.below(1024)));
    const Subspace u(a), v(b), both = intersection(u, v), all = sum(u, v);
    CHECK(u.dimension() + v.dimension() == both.dimension() + all.dimension());
    for (const Bits x : both.basis()) CHECK((u.contains(x) && v.contains(x)));
    for (const Bits x : u.basis()) CHECK(all.contains(x));
  }
}
