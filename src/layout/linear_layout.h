// SPDX-License-Identifier: Apache-2.0
// A layout: a linear map over F2 from the bits of a hardware index (register slot, lane, warp,
// block of a cluster, or offset in shared memory) to the bits of a tile coordinate.
//
// An axis may have an odd repeat R: its extent is R * 2^bits, and the repeat lives in registers
// (or in the offset of an image) only, above the atom: slot = repeat * atom slots + atom slot.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layout/bit_matrix.h"

namespace parhelion::layout {

enum class Input : std::uint8_t { Register, Lane, Warp, Block, Offset };
inline constexpr int input_count = 5;
[[nodiscard]] std::string_view name(Input input);

struct Axis {
  std::string name;
  int bits = 0;
  int repeat = 1;  // odd
  [[nodiscard]] std::int64_t extent() const { return std::int64_t{repeat} << bits; }
  bool operator==(const Axis&) const = default;
};

/// Position in the hardware: one number per input.
struct HardwareIndex {
  std::uint32_t slot = 0, lane = 0, warp = 0, block = 0, offset = 0;
};

class LinearLayout {
 public:
  LinearLayout() = default;
  explicit LinearLayout(std::vector<Axis> axes) : axes_(std::move(axes)) {}

  /// One more bit of `input`, which adds 2^bit along `axis`.
  LinearLayout& add(Input input, std::string_view axis, int bit);
  /// One more bit of `input`, which adds `basis`: the axes' bits side by side, axis 0 lowest.
  LinearLayout& add(Input input, Bits basis);

  [[nodiscard]] const std::vector<Axis>& axes() const { return axes_; }
  [[nodiscard]] std::optional<std::size_t> axis(std::string_view name) const;
  [[nodiscard]] int axis_shift(std::size_t axis) const;  // first bit of the axis in a basis
  [[nodiscard]] const std::vector<Bits>& bases(Input input) const;
  [[nodiscard]] int bits(Input input) const { return static_cast<int>(bases(input).size()); }
  [[nodiscard]] int input_bits() const;
  [[nodiscard]] int output_bits() const;
  [[nodiscard]] int repeats() const;         // product over the axes
  [[nodiscard]] std::int64_t slots() const;  // register slots, repeats included

  /// The atom as one matrix; columns in the order of Input.
  [[nodiscard]] BitMatrix matrix() const;
  /// First column of `input` in matrix().
  [[nodiscard]] int first_column(Input input) const;
  /// The tile coordinate, one number per axis.
  [[nodiscard]] std::vector<std::int64_t> at(const HardwareIndex& index) const;
  /// The same inside the atom, as a basis-like word.
  [[nodiscard]] Bits atom_at(const HardwareIndex& index) const;

  /// Every element of the atom has a place.
  [[nodiscard]] bool covers() const { return matrix().rank() == output_bits(); }

  /// `register n1 m8 | lane n2 n4 m1 m2 m4`, axes first: round-trips through parse.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static std::optional<LinearLayout> parse(std::string_view text);
  bool operator==(const LinearLayout&) const = default;

 private:
  std::vector<Axis> axes_;
  std::array<std::vector<Bits>, input_count> bases_;
};

}  // namespace parhelion::layout
