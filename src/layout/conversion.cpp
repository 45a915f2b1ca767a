// SPDX-License-Identifier: Apache-2.0
#include "layout/conversion.h"

#include <bit>
#include <tuple>

#include "base/diag.h"
#include "layout/algebra.h"

namespace parhelion::layout {
namespace {

// How far index `x` of the source is from staying in place for the destination's input bit.
struct Displacement {
  Bits warp = 0, lane = 0;
  auto operator<=>(const Displacement&) const = default;
};

// All combinations of the kernel are tried: copies are few (lanes or warps that found no axis).
Bits nearest_copy(Bits x, const std::vector<Bits>& kernel, const Conversion& c, int column) {
  const Bits lane_mask = (Bits{1} << c.source_lanes) - 1;
  const int lane_column = column - c.target_registers;
  const int warp_column = lane_column - c.target_lanes;
  const Bits lane_home = lane_column >= 0 && warp_column < 0 ? Bits{1} << lane_column : 0;
  const Bits warp_home = warp_column >= 0 ? Bits{1} << warp_column : 0;
  const auto displacement = [&](Bits y) {
    return Displacement{(y >> (c.source_registers + c.source_lanes)) ^ warp_home,
                        (y >> c.source_registers & lane_mask) ^ lane_home};
  };
  Bits best = x;
  const BitMatrix copies(32, kernel);
  for (Bits i = 0; i < Bits{1} << kernel.size(); ++i) {
    const Bits y = x ^ copies.apply(i);
    if (displacement(y) < displacement(best)) best = y;
  }
  return best;
}

bool is_identity(const BitMatrix& m) {
  for (int i = 0; i < m.columns(); ++i) {
    if (m.column(i) != (i < m.rows() ? Bits{1} << i : 0)) return false;
  }
  return true;
}

bool is_zero(const BitMatrix& m) {
  for (const Bits c : m.all_columns()) {
    if (c != 0) return false;
  }
  return true;
}

// r with m.apply(r) = v.
std::optional<Bits> solve(const BitMatrix& m, Bits v) {
  std::vector<Bits> columns = m.all_columns();
  columns.push_back(v);
  const Bits last = Bits{1} << m.columns();
  for (const Bits relation : BitMatrix(m.rows(), columns).kernel()) {
    if (relation & last) return relation & ~last;
  }
  return std::nullopt;
}

// F with lr·F = 1 + ll: then every lane reads in place but for the round's shift.
std::optional<BitMatrix> identity_keep(const BitMatrix& ll, const BitMatrix& lr) {
  BitMatrix keep = BitMatrix::zero(lr.columns(), ll.columns());
  for (int i = 0; i < ll.columns(); ++i) {
    const auto r = solve(lr, ll.column(i) ^ Bits{1} << i);
    if (!r) return std::nullopt;
    keep.set_column(i, *r);
  }
  return keep;
}

// F of least rank that makes ll + lr·F invertible: kernel vectors of ll go outside its image.
BitMatrix least_keep(const BitMatrix& ll, const BitMatrix& lr) {
  const auto kernel = ll.kernel();
  const Subspace image(ll.all_columns());
  std::vector<Bits> registers;
  Subspace grown = image;
  for (int i = 0; i < lr.columns() && registers.size() < kernel.size(); ++i) {
    if (grown.add(lr.column(i))) registers.push_back(Bits{1} << i);
  }
  PH_ASSERT(registers.size() == kernel.size(), "a lane's elements come from nowhere");
  // Coordinates: kernel vectors first, unit vectors complete them.
  std::vector<Bits> basis = kernel;
  for (const Bits u : extension(Subspace(kernel), unit_vectors(ll.columns()))) basis.push_back(u);
  const auto coordinates = BitMatrix(ll.columns(), basis).right_inverse();
  BitMatrix keep = BitMatrix::zero(lr.columns(), ll.columns());
  for (int i = 0; i < ll.columns(); ++i) {
    const Bits in_kernel = coordinates->column(i) & ((Bits{1} << kernel.size()) - 1);
    keep.set_column(i, BitMatrix(32, registers).apply(in_kernel));
  }
  return keep;
}

}  // namespace

BitMatrix Conversion::rr() const { return map.block(0, source_registers, 0, target_registers); }
BitMatrix Conversion::rl() const {
  return map.block(0, source_registers, target_registers, target_lanes);
}
BitMatrix Conversion::lr() const {
  return map.block(source_registers, source_lanes, 0, target_registers);
}
BitMatrix Conversion::ll() const {
  return map.block(source_registers, source_lanes, target_registers, target_lanes);
}

bool Conversion::warps_stay() const {
  const int first = source_registers + source_lanes;
  const int thread = target_registers + target_lanes;
  return source_warps == target_warps && is_zero(map.block(first, source_warps, 0, thread)) &&
         is_identity(map.block(first, source_warps, thread, target_warps)) &&
         is_zero(map.block(0, first, thread, target_warps));
}

bool Conversion::lanes_stay() const {
  return source_lanes == target_lanes && is_zero(lr()) && is_identity(ll());
}

Conversion conversion(const LinearLayout& source, const LinearLayout& target) {
  PH_ASSERT(source.axes() == target.axes(), "a conversion keeps the axes");
  const auto back = inverse(source);
  PH_ASSERT(back.has_value(), "the source lacks elements");
  Conversion c;
  c.source_registers = source.bits(Input::Register);
  c.source_lanes = source.bits(Input::Lane);
  c.source_warps = source.bits(Input::Warp);
  c.target_registers = target.bits(Input::Register);
  c.target_lanes = target.bits(Input::Lane);
  c.target_warps = target.bits(Input::Warp);
  c.repeats = source.repeats();
  c.map = back->compose(target.matrix());
  const auto copies = duplicates(source);
  for (int i = 0; i < c.map.columns(); ++i) {
    c.map.set_column(i, nearest_copy(c.map.column(i), copies, c, i));
  }
  return c;
}

std::optional<ShufflePlan> shuffle_plan(const Conversion& c) {
  if (!c.warps_stay() || c.source_lanes != c.target_lanes) return std::nullopt;
  const BitMatrix ll = c.ll(), lr = c.lr();
  // With copies in the source the lanes need not be reachable from everywhere.
  Subspace reached(ll.all_columns());
  for (const Bits v : lr.all_columns()) reached.add(v);
  if (reached.dimension() != c.source_lanes) return std::nullopt;
  ShufflePlan plan;
  plan.keep = identity_keep(ll, lr).value_or(least_keep(ll, lr));
  plan.from = ll.plus(lr.compose(plan.keep));
  plan.shift = lr;
  const auto home = plan.from.right_inverse();
  PH_ASSERT(home.has_value(), "rounds are permutations of the lanes");
  const BitMatrix slots = c.rl().plus(c.rr().compose(plan.keep));
  plan.source_lane = slots.compose(*home);
  plan.source_round = c.rr().plus(plan.source_lane.compose(lr));
  plan.rounds = 1 << c.target_registers;
  for (Bits t = 0; t < static_cast<Bits>(plan.rounds); ++t) {
    const bool free = is_identity(plan.from) && lr.apply(t) == 0;
    plan.shuffles += free ? 0 : 1;
  }
  plan.target_selects = plan.keep.rank();
  plan.source_selects = plan.source_lane.rank();
  return plan;
}

ConversionKind choose(const Conversion& c) {
  if (c.warps_stay() && c.lanes_stay()) {
    if (!is_zero(c.rl())) return ConversionKind::Select;
    const bool same = c.source_registers == c.target_registers && is_identity(c.rr());
    return same ? ConversionKind::Identity : ConversionKind::Rename;
  }
  const auto plan = shuffle_plan(c);
  if (!plan) return ConversionKind::Shared;
  const double words = plan->rounds;
  const double shuffled =
      plan->shuffles + .5 * words * (plan->target_selects + plan->source_selects);
  constexpr double barrier = 16;  // guess: cycles of a block barrier beside the wavefronts
  return shuffled <= 2 * words + barrier ? ConversionKind::Shuffle : ConversionKind::Shared;
}

}  // namespace parhelion::layout
