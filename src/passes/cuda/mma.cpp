// SPDX-License-Identifier: Apache-2.0
// Products by mma.m16n8k16: fragments by ldmatrix from swizzled images, accumulators in registers.
#include "passes/cuda/engine.h"

#include <bit>

namespace parhelion::passes::cuda {

using layout::Input;
using layout::Stripe;
using plan::cuda::DotPlan;

namespace {

constexpr int step_depth = 16;  // k of one instruction

}  // namespace

/// What the warp gives to a coordinate; lanes are the fragment's own business.
k::ValueId Engine::warp_part(ClassId id) {
  const Stripe& stripe = plan_.of(id).stripe;
  k::ValueId sum = c32(0);
  const int all = std::countr_zero(static_cast<unsigned>(root_->warps));
  for (std::size_t i = 0; i < stripe.bits.size();) {
    std::size_t n = 0;
    while (i + n < stripe.bits.size() && stripe.bits[i + n].input == Input::Warp) ++n;
    if (n == 0) {
      ++i;
      continue;
    }
    const int first = stripe.bits[i].bit;
    k::ValueId part = div(warp_, c32(1 << first));
    if (first + static_cast<int>(n) < all) part = rem(part, c32(1 << n));
    sum = add(sum, mul(part, c32(std::int64_t{1} << i)));
    i += n;
  }
  return sum;
}

/// One ldmatrix.x4 for 16 rows of A, or for two n8 columns of B. Matrix j of the four lies at bit 0
/// of j along m (A) or k (B), at bit 1 along k (A) or n (B); lanes 8j.. give its rows.
void Engine::load_fragments(const Image& image, k::ValueId array, k::ValueId step, ClassId id,
                            bool is_a) {
  const plan::cuda::OperandPlan& plan = *image.plan;
  const int per_tile = is_a ? 2 : 4;  // registers of the accumulator along the axis
  const int tiles = plan_.of(id).stripe.registers() / per_tile;
  const k::ValueId row_in_matrix = named(rem(lane_, c32(8)), "matrix_row");
  const k::ValueId low = rem(div(lane_, c32(8)), c32(2)), high = div(lane_, c32(16));
  const k::ValueId free_half = is_a ? low : high, k_half = is_a ? high : low;
  const k::ValueId warp = named(warp_part(id), axis_name(plan_.of(id).axis) + "_warp");
  open_each(tiles, "t");
  const k::ValueId t = b.loop_index();
  const k::ValueId start = add(warp, register_part(plan_.of(id).stripe, mul(t, c32(per_tile))));
  k::ValueId row, chunk;
  if (plan.k_major) {
    row = add(add(start, mul(free_half, c32(8))), row_in_matrix);
    chunk = add(mul(step, c32(2)), k_half);
  } else {
    row = add(add(mul(step, c32(step_depth)), mul(k_half, c32(8))), row_in_matrix);
    chunk = add(div(start, c32(8)), free_half);
  }
  const k::ValueId address = add(
      image.address, as(chunk_offset(plan, named(row, "row"), named(chunk, "chunk")), DType::U32));
  b.op(k::OpCode::Ldmatrix, {array, mul(t, c32(4)), named(address, "from")}, {},
       {{"trans", std::int64_t{plan.k_major ? 0 : 1}}});
  b.close();
}

void Engine::multiply_mma(const DotPlan& plan, const Held& result, const Image& a,
                          const Image& b_image) {
  const int rows = plan_.of(plan.m).stripe.registers(),
            columns = plan_.of(plan.n).stripe.registers();
  const auto words = [&](int n) {
    return k::Type{.element = DType::U32, .count = static_cast<std::uint32_t>(n)};
  };
  open_each(plan.k / step_depth, "kk");
  const k::ValueId step = b.loop_index();
  const k::ValueId a_words = b.var(words(rows * 2), "a_fragment");
  const k::ValueId b_words = b.var(words(columns), "b_fragment");
  load_fragments(a, a_words, step, plan.m, true);
  load_fragments(b_image, b_words, step, plan.n, false);
  open_each(rows / 2, "tm");
  const k::ValueId tm = b.loop_index();
  open_each(columns / 2, "tn");
  const k::ValueId tn = b.loop_index();
  const k::ValueId first = named(add(mul(tm, c32(2 * columns)), mul(tn, c32(2))), "first");
  b.op(k::OpCode::Mma,
       {result.variable, first, add(first, c32(columns)), a_words, mul(tm, c32(4)), b_words,
        mul(tn, c32(2))},
       {}, {{"dtype", std::string(name(plan.a.dtype))}});
  b.close();
  b.close();
  b.close();
}

}  // namespace parhelion::passes::cuda
