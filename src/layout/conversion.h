// SPDX-License-Identifier: Apache-2.0
// From one register layout to another: what moves, and by which means.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "layout/linear_layout.h"

namespace parhelion::layout {

/// destination index -> source index on the atoms, and its blocks by input.
struct Conversion {
  BitMatrix map;
  int source_registers = 0, source_lanes = 0, source_warps = 0;  // bit counts
  int target_registers = 0, target_lanes = 0, target_warps = 0;
  int repeats = 1;  // the conversion is done once for each

  // `rl`: source register bits from destination lane bits, and so on.
  [[nodiscard]] BitMatrix rr() const, rl() const, lr() const, ll() const;
  [[nodiscard]] bool lanes_stay() const;  // no element changes its lane
  [[nodiscard]] bool warps_stay() const;
};

/// Source and target hold the same axes. Where the source has copies, one in the same warp, then in
/// the same lane, is preferred.
[[nodiscard]] Conversion conversion(const LinearLayout& source, const LinearLayout& target);

/// Shuffles in rounds: in round t lane l fills its slot t ^ keep(l) from lane from(l) ^ shift(t).
struct ShufflePlan {
  BitMatrix keep;          // F: lane -> destination register bits
  BitMatrix from;          // P, invertible
  BitMatrix shift;         // destination register -> source lane
  BitMatrix source_lane;   // source lane -> source slot, added to
  BitMatrix source_round;  // round -> source slot
  int rounds = 0, shuffles = 0;
  int target_selects = 0, source_selects = 0;  // layers of conditional swaps
};

/// nullopt when an element changes its warp.
[[nodiscard]] std::optional<ShufflePlan> shuffle_plan(const Conversion& conversion);

enum class ConversionKind : std::uint8_t { Identity, Rename, Select, Shuffle, Shared };
/// The cheapest means by the unit costs of the design: a rename is free, a layer of selects costs
/// half a cycle a word, a shuffle one, shared memory two and a barrier.
[[nodiscard]] ConversionKind choose(const Conversion& conversion);

}  // namespace parhelion::layout
