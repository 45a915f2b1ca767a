// SPDX-License-Identifier: Apache-2.0
// Random layouts from a seed: permuted unit bases (what compilers make) or dense ones.
#pragma once

#include "base/rng.h"
#include "layout/linear_layout.h"

namespace parhelion::layout::testing {

struct Shape {
  int m_bits = 4, n_bits = 5, registers = 3, lanes = 5, warps = 1;
  int m_repeat = 1, n_repeat = 1;
};

inline LinearLayout random_layout(Rng& rng, const Shape& s, bool dense, int copies = 0) {
  const int n = s.m_bits + s.n_bits;
  std::vector<Bits> bases = unit_vectors(n);
  rng.shuffle(bases);
  if (dense) {
    // Elementary operations keep the bases independent.
    for (int i = 0; i < 4 * n; ++i) {
      const auto a = rng.below(bases.size()), b = rng.below(bases.size());
      if (a != b) bases[a] ^= bases[b];
    }
  }
  // Copies: lanes or warps that hold what others hold.
  for (int i = 0; i < copies; ++i)
    bases.push_back(rng.chance(.5) ? 0 : bases[rng.below(bases.size())]);
  LinearLayout layout({{"m", s.m_bits, s.m_repeat}, {"n", s.n_bits, s.n_repeat}});
  for (std::size_t i = 0; i < bases.size(); ++i) {
    const int at = static_cast<int>(i);
    const Input input = at < s.registers             ? Input::Register
                        : at < s.registers + s.lanes ? Input::Lane
                                                     : Input::Warp;
    layout.add(input, bases[i]);
  }
  return layout;
}

/// Registers take what lanes and warps leave; 1..4 warps.
inline Shape random_shape(Rng& rng, int copies = 0) {
  const int n = static_cast<int>(rng.between(9, 13));
  Shape s;
  s.warps = static_cast<int>(rng.between(0, 2));
  s.registers = n + copies - 5 - s.warps;
  s.m_bits = static_cast<int>(rng.between(2, n - 2));
  s.n_bits = n - s.m_bits;
  return s;
}

}  // namespace parhelion::layout::testing
