// SPDX-License-Identifier: Apache-2.0
#include "layout/algebra.h"

#include <algorithm>
#include <bit>

#include "base/diag.h"

namespace parhelion::layout {
namespace {

constexpr Bits low_mask(int bits) { return bits >= 32 ? ~Bits{0} : (Bits{1} << bits) - 1; }

int bits_of(const LinearLayout& layout, std::string_view axis) {
  const auto index = layout.axis(axis);
  return index ? layout.axes()[*index].bits : 0;
}

// Moves a basis of `from` into the axes of `to`, shifted left by `shift(axis name)` on each axis.
template <class Shift>
Bits moved(const LinearLayout& from, Bits basis, const LinearLayout& to, Shift shift) {
  Bits result = 0;
  for (std::size_t i = 0; i < from.axes().size(); ++i) {
    const Axis& axis = from.axes()[i];
    const Bits part = basis >> from.axis_shift(i) & low_mask(axis.bits);
    if (part == 0) continue;
    const auto target = to.axis(axis.name);
    PH_ASSERT(target.has_value(), "axis " + axis.name + " is gone");
    result |= part << (to.axis_shift(*target) + shift(axis.name));
  }
  return result;
}

std::vector<Axis> product_axes(const LinearLayout& inner, const LinearLayout& outer) {
  std::vector<Axis> axes = inner.axes();
  for (const Axis& a : outer.axes()) {
    const auto at = inner.axis(a.name);
    if (!at) {
      axes.push_back(a);
      continue;
    }
    PH_ASSERT(axes[*at].repeat == 1, "a repeat below atom bits leaves the form");
    axes[*at].bits += a.bits;
    axes[*at].repeat = a.repeat;
  }
  return axes;
}

}  // namespace

LinearLayout product(const LinearLayout& inner, const LinearLayout& outer) {
  LinearLayout result(product_axes(inner, outer));
  for (int i = 0; i < input_count; ++i) {
    const auto input = static_cast<Input>(i);
    for (const Bits b : inner.bases(input)) {
      result.add(input, moved(inner, b, result, [](const std::string&) { return 0; }));
    }
    for (const Bits b : outer.bases(input)) {
      result.add(input, moved(outer, b, result,
                              [&](const std::string& axis) { return bits_of(inner, axis); }));
    }
  }
  return result;
}

std::optional<LinearLayout> quotient(const LinearLayout& whole, const LinearLayout& inner) {
  std::vector<Axis> axes;
  for (const Axis& a : whole.axes()) {
    const int taken = bits_of(inner, a.name);
    if (taken > a.bits) return std::nullopt;
    axes.push_back({a.name, a.bits - taken, a.repeat});
  }
  for (const Axis& a : inner.axes()) {
    if (!whole.axis(a.name)) return std::nullopt;
  }
  LinearLayout result(axes);
  for (int i = 0; i < input_count; ++i) {
    const auto input = static_cast<Input>(i);
    if (inner.bits(input) > whole.bits(input)) return std::nullopt;
    for (std::size_t j = 0; j < whole.bases(input).size(); ++j) {
      const Bits basis = whole.bases(input)[j];
      if (j < inner.bases(input).size()) {
        const Bits wanted =
            moved(inner, inner.bases(input)[j], whole, [](const std::string&) { return 0; });
        if (basis != wanted) return std::nullopt;
        continue;
      }
      Bits rest = 0;
      for (std::size_t k = 0; k < whole.axes().size(); ++k) {
        const int taken = bits_of(inner, whole.axes()[k].name);
        const Bits part = basis >> whole.axis_shift(k) & low_mask(whole.axes()[k].bits);
        if ((part & low_mask(taken)) != 0) return std::nullopt;
        rest |= part >> taken << result.axis_shift(k);
      }
      result.add(input, rest);
    }
  }
  return result;
}

LinearLayout with_axes(const LinearLayout& layout, std::vector<Axis> axes) {
  LinearLayout result(std::move(axes));
  PH_ASSERT(result.output_bits() == layout.output_bits(), "axes of another size");
  for (int i = 0; i < input_count; ++i) {
    const auto input = static_cast<Input>(i);
    for (const Bits b : layout.bases(input)) result.add(input, b);
  }
  return result;
}

std::vector<Bits> duplicates(const LinearLayout& layout) { return layout.matrix().kernel(); }

OwnerMask owner_mask(const LinearLayout& layout) {
  OwnerMask mask;
  const int first_lane = layout.first_column(Input::Lane);
  const int first_warp = layout.first_column(Input::Warp);
  for (const Bits v : duplicates(layout)) {
    const int lead = 31 - std::countl_zero(v);
    if (lead >= first_warp && lead < first_warp + layout.bits(Input::Warp)) {
      mask.warp |= Bits{1} << (lead - first_warp);
    } else if (lead >= first_lane && lead < first_lane + layout.bits(Input::Lane)) {
      mask.lane |= Bits{1} << (lead - first_lane);
    }
  }
  return mask;
}

LinearLayout canonical(const LinearLayout& layout) {
  LinearLayout result(layout.axes());
  std::vector<Bits> registers = Subspace(layout.bases(Input::Register)).basis();
  std::reverse(registers.begin(), registers.end());
  registers.resize(layout.bases(Input::Register).size(), 0);
  for (const Bits b : registers) result.add(Input::Register, b);
  for (int i = 1; i < input_count; ++i) {
    for (const Bits b : layout.bases(static_cast<Input>(i))) {
      result.add(static_cast<Input>(i), b);
    }
  }
  return result;
}

bool equal_up_to_registers(const LinearLayout& a, const LinearLayout& b) {
  return canonical(a) == canonical(b);
}

std::optional<BitMatrix> inverse(const LinearLayout& layout) {
  return layout.matrix().right_inverse();
}

LinearLayout without_axis(const LinearLayout& layout, std::string_view axis) {
  const auto gone = layout.axis(axis);
  PH_ASSERT(gone.has_value(), "no such axis");
  std::vector<Axis> axes = layout.axes();
  axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(*gone));
  const int shift = layout.axis_shift(*gone), bits = layout.axes()[*gone].bits;
  LinearLayout result(std::move(axes));
  for (int i = 0; i < input_count; ++i) {
    const auto input = static_cast<Input>(i);
    for (const Bits b : layout.bases(input)) {
      const Bits high = shift + bits >= 32 ? 0 : b >> (shift + bits) << shift;
      const Bits rest = (b & low_mask(shift)) | high;
      if (input == Input::Register && rest == 0) continue;
      result.add(input, rest);
    }
  }
  return result;
}

}  // namespace parhelion::layout
