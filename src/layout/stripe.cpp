// SPDX-License-Identifier: Apache-2.0
#include "layout/stripe.h"

#include <algorithm>
#include <bit>
#include <functional>

#include "base/diag.h"

namespace parhelion::layout {
namespace {

Bits mask_of(const std::vector<Stripe::Source>& bits, Input input) {
  Bits mask = 0;
  for (const auto& s : bits) {
    if (s.input == input) mask |= Bits{1} << s.bit;
  }
  return mask;
}

// Takes free bits of `input`, lowest first, while the stripe has fewer elements than wanted.
void take(Stripe& stripe, Input input, Bits& free, int most, std::int64_t extent) {
  for (int taken = 1; free != 0 && taken < most && stripe.extent() < extent; taken *= 2) {
    const int bit = std::countr_zero(free);
    stripe.bits.push_back({input, bit});
    free &= free - 1;
  }
}

}  // namespace

int Stripe::register_bits() const {
  return static_cast<int>(std::ranges::count(bits, Input::Register, &Source::input));
}

Bits Stripe::lane_mask() const { return mask_of(bits, Input::Lane); }
Bits Stripe::warp_mask() const { return mask_of(bits, Input::Warp); }

int Stripe::contiguous() const {
  int n = 0;
  while (n < static_cast<int>(bits.size()) &&
         bits[static_cast<std::size_t>(n)].input == Input::Register) {
    ++n;
  }
  return n;
}

std::int64_t Stripe::register_part(int index) const {
  std::int64_t part = 0;
  for (std::size_t b = 0; b < bits.size(); ++b) {
    if (bits[b].input != Input::Register) continue;
    part |= std::int64_t{index & 1} << b;
    index >>= 1;
  }
  return part + (std::int64_t{index} << bits.size());
}

Stripe blocked_stripe(std::int64_t extent, const StripeLimits& limits, FreeBits& free) {
  PH_ASSERT(extent >= 1, "an axis without elements has no layout");
  Stripe stripe;
  for (int v = 1; v < limits.vector && v < extent; v *= 2) stripe.bits.push_back({});
  take(stripe, Input::Lane, free.lanes, limits.lanes, extent);
  take(stripe, Input::Warp, free.warps, limits.warps, extent);
  const std::int64_t atom = stripe.extent();
  auto rest = static_cast<std::uint64_t>((extent + atom - 1) / atom);
  for (; rest % 2 == 0; rest /= 2) stripe.bits.push_back({});
  stripe.repeat = static_cast<int>(rest);
  return stripe;
}

LinearLayout layout_of(std::span<const std::pair<std::string, Stripe>> stripes) {
  std::vector<Axis> axes;
  int lanes = 0, warps = 0;
  for (const auto& [axis, stripe] : stripes) {
    axes.push_back({axis, static_cast<int>(stripe.bits.size()), stripe.repeat});
    lanes = std::max(lanes, static_cast<int>(std::bit_width(stripe.lane_mask())));
    warps = std::max(warps, static_cast<int>(std::bit_width(stripe.warp_mask())));
  }
  LinearLayout layout(axes);
  std::vector<Bits> lane_bases(static_cast<std::size_t>(lanes)),
      warp_bases(static_cast<std::size_t>(warps));
  for (std::size_t i = stripes.size(); i-- > 0;) {
    const Stripe& stripe = stripes[i].second;
    for (std::size_t b = 0; b < stripe.bits.size(); ++b) {
      const Bits basis = Bits{1} << (static_cast<std::size_t>(layout.axis_shift(i)) + b);
      const auto bit = static_cast<std::size_t>(stripe.bits[b].bit);
      if (stripe.bits[b].input == Input::Lane) lane_bases[bit] ^= basis;
      if (stripe.bits[b].input == Input::Warp) warp_bases[bit] ^= basis;
      if (stripe.bits[b].input == Input::Register) layout.add(Input::Register, basis);
    }
  }
  for (const Bits b : lane_bases) layout.add(Input::Lane, b);
  for (const Bits b : warp_bases) layout.add(Input::Warp, b);
  return layout;
}

ReductionLevels reduction_levels(const Stripe& stripe) {
  ReductionLevels levels;
  levels.registers = stripe.registers();
  levels.warp_mask = stripe.warp_mask();
  for (Bits mask = stripe.lane_mask(); mask != 0; mask &= mask - 1) {
    levels.lane_steps.push_back(1 << std::countr_zero(mask));
  }
  std::ranges::sort(levels.lane_steps, std::greater<>());
  return levels;
}

}  // namespace parhelion::layout
