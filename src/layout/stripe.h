// SPDX-License-Identifier: Apache-2.0
// A layout of one axis. Values whose axes have stripes on disjoint lanes and warps are products of
// them; a value that lacks an axis holds copies over its lanes and warps, so that broadcasting and
// the result of a reduction need no movement.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "layout/linear_layout.h"

namespace parhelion::layout {

/// Source of each coordinate bit, from bit 0 up; the repeat is above them, in registers.
struct Stripe {
  struct Source {
    Input input = Input::Register;  // Register, Lane or Warp
    int bit = 0;                    // which lane or warp bit; registers count up by themselves
    bool operator==(const Source&) const = default;
  };
  std::vector<Source> bits;
  int repeat = 1;

  [[nodiscard]] int register_bits() const;
  [[nodiscard]] int registers() const { return repeat << register_bits(); }
  [[nodiscard]] std::int64_t extent() const { return std::int64_t{repeat} << bits.size(); }
  [[nodiscard]] Bits lane_mask() const;
  [[nodiscard]] Bits warp_mask() const;
  /// Coordinate bits [0, n) that come from registers: consecutive elements of one thread.
  [[nodiscard]] int contiguous() const;
  /// Part of the coordinate that a register index gives.
  [[nodiscard]] std::int64_t register_part(int index) const;
  bool operator==(const Stripe&) const = default;
};

/// Lane and warp bits that no axis has taken yet.
struct FreeBits {
  Bits lanes = 31, warps = 0;
};

struct StripeLimits {
  int vector = 1;                  // elements a thread holds side by side, a power of two
  int lanes = 32, warps = 1 << 5;  // most lanes and warps on the axis
};

/// Blocked layout of `extent` elements: vector, then lanes, then warps while elements are left,
/// then registers. Takes the bits it uses out of `free`. The extent is rounded up: the rest is
/// masked.
[[nodiscard]] Stripe blocked_stripe(std::int64_t extent, const StripeLimits& limits,
                                    FreeBits& free);

/// The product of the stripes; the last axis varies fastest in the registers.
[[nodiscard]] LinearLayout layout_of(std::span<const std::pair<std::string, Stripe>> stripes);

/// How a reduction over an axis goes: in the thread, between lanes, between warps.
struct ReductionLevels {
  int registers = 1;
  std::vector<int> lane_steps;  // XOR distances of the shuffles, largest first
  Bits warp_mask = 0;           // warps that hold parts of one result
  bool operator==(const ReductionLevels&) const = default;
};
[[nodiscard]] ReductionLevels reduction_levels(const Stripe& stripe);

}  // namespace parhelion::layout
