// SPDX-License-Identifier: Apache-2.0
#include "layout/linear_layout.h"

#include "base/diag.h"

namespace parhelion::layout {
namespace {

constexpr std::array<Input, input_count> all_inputs = {Input::Register, Input::Lane, Input::Warp,
                                                       Input::Block, Input::Offset};

std::uint32_t part(const HardwareIndex& index, Input input) {
  switch (input) {
    case Input::Register:
      return index.slot;
    case Input::Lane:
      return index.lane;
    case Input::Warp:
      return index.warp;
    case Input::Block:
      return index.block;
    case Input::Offset:
      return index.offset;
  }
  return 0;
}

}  // namespace

std::string_view name(Input input) {
  switch (input) {
    case Input::Register:
      return "register";
    case Input::Lane:
      return "lane";
    case Input::Warp:
      return "warp";
    case Input::Block:
      return "block";
    case Input::Offset:
      return "offset";
  }
  return "";
}

LinearLayout& LinearLayout::add(Input input, std::string_view axis_name, int bit) {
  const auto index = axis(axis_name);
  PH_ASSERT(index.has_value(), "layout has no axis " + std::string(axis_name));
  PH_ASSERT(bit < axes_[*index].bits, "bit outside the axis");
  return add(input, Bits{1} << (axis_shift(*index) + bit));
}

LinearLayout& LinearLayout::add(Input input, Bits basis) {
  bases_[static_cast<std::size_t>(input)].push_back(basis);
  return *this;
}

std::optional<std::size_t> LinearLayout::axis(std::string_view axis_name) const {
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].name == axis_name) return i;
  }
  return std::nullopt;
}

int LinearLayout::axis_shift(std::size_t axis) const {
  int shift = 0;
  for (std::size_t i = 0; i < axis; ++i) shift += axes_[i].bits;
  return shift;
}

const std::vector<Bits>& LinearLayout::bases(Input input) const {
  return bases_[static_cast<std::size_t>(input)];
}

int LinearLayout::input_bits() const {
  int total = 0;
  for (const Input input : all_inputs) total += bits(input);
  return total;
}

int LinearLayout::output_bits() const { return axis_shift(axes_.size()); }

int LinearLayout::repeats() const {
  int product = 1;
  for (const Axis& a : axes_) product *= a.repeat;
  return product;
}

std::int64_t LinearLayout::slots() const {
  return std::int64_t{repeats()} << bits(Input::Register);
}

BitMatrix LinearLayout::matrix() const {
  std::vector<Bits> columns;
  for (const Input input : all_inputs) {
    columns.insert(columns.end(), bases(input).begin(), bases(input).end());
  }
  return {output_bits(), std::move(columns)};
}

int LinearLayout::first_column(Input input) const {
  int first = 0;
  for (const Input i : all_inputs) {
    if (i == input) break;
    first += bits(i);
  }
  return first;
}

Bits LinearLayout::atom_at(const HardwareIndex& index) const {
  Bits result = 0;
  for (const Input input : all_inputs) {
    result ^= BitMatrix(32, bases(input)).apply(part(index, input));
  }
  return result;
}

std::vector<std::int64_t> LinearLayout::at(const HardwareIndex& index) const {
  // The holder of the repeat is the register, or the offset of an image.
  const Input holder = bits(Input::Offset) > 0 ? Input::Offset : Input::Register;
  std::uint32_t repeat = part(index, holder) >> bits(holder);
  const Bits atom = atom_at(index);
  std::vector<std::int64_t> coordinate(axes_.size());
  for (std::size_t i = axes_.size(); i-- > 0;) {
    const Axis& a = axes_[i];
    const auto turns = static_cast<std::uint32_t>(a.repeat);
    const Bits mask = (Bits{1} << a.bits) - 1;
    coordinate[i] =
        std::int64_t{atom >> axis_shift(i) & mask} + (std::int64_t{repeat % turns} << a.bits);
    repeat /= turns;
  }
  return coordinate;
}

}  // namespace parhelion::layout
