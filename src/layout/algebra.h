// SPDX-License-Identifier: Apache-2.0
// Operations on layouts (cuda_layouts section 1 of the design): product, quotient, canonical form,
// duplicates, inverse.
#pragma once

#include <optional>
#include <vector>

#include "layout/linear_layout.h"

namespace parhelion::layout {

/// Inputs side by side, outputs side by side: `outer`'s bases are shifted left by the bits that
/// `inner` has on the same axis. Not commutative. Repeats must be on `outer` (or 1).
[[nodiscard]] LinearLayout product(const LinearLayout& inner, const LinearLayout& outer);

/// h with `whole` = product(inner, h), or nullopt when `whole` is not made of `inner`.
[[nodiscard]] std::optional<LinearLayout> quotient(const LinearLayout& whole,
                                                   const LinearLayout& inner);

/// The same bits read as other axes of the same total: reshape, merge, split, rename.
[[nodiscard]] LinearLayout with_axes(const LinearLayout& layout, std::vector<Axis> axes);

/// Index differences of matrix() that hold the same element, reduced.
[[nodiscard]] std::vector<Bits> duplicates(const LinearLayout& layout);
/// Lane and warp bits that must be 0 for a thread to own its elements (store, count, sum).
struct OwnerMask {
  Bits lane = 0, warp = 0;
  bool operator==(const OwnerMask&) const = default;
};
[[nodiscard]] OwnerMask owner_mask(const LinearLayout& layout);

/// Register bases in reduced echelon form, the rest untouched.
[[nodiscard]] LinearLayout canonical(const LinearLayout& layout);
/// Equal but for the names of registers: same span of register bases, same lane and warp bases.
[[nodiscard]] bool equal_up_to_registers(const LinearLayout& a, const LinearLayout& b);

/// Element word (axes side by side) -> index word of matrix(); free bits 0.
[[nodiscard]] std::optional<BitMatrix> inverse(const LinearLayout& layout);

/// The layout of the value after a reduction over `axis`: the axis goes, and what its bits were in
/// lanes and warps become duplicates (a free broadcast). Register bits of the axis go.
[[nodiscard]] LinearLayout without_axis(const LinearLayout& layout, std::string_view axis);

}  // namespace parhelion::layout
