// SPDX-License-Identifier: Apache-2.0
// Products by multiply-add: a register block a thread, four k steps of both operands held, k in
// order, one chain for each element.
#include "passes/cuda/engine.h"

namespace parhelion::passes::cuda {

using plan::cuda::DotPlan;

namespace {

constexpr int depth = 4;  // k steps of one trip

}  // namespace

/// Four k steps of the operand: array[r * 4 + step] for register r of the axis.
void Engine::load_panel(const Image& image, k::ValueId array, k::ValueId group, ClassId id) {
  const plan::cuda::OperandPlan& plan = *image.plan;
  const int in_chunk = 16 / size_bytes(plan.dtype), chunks = depth / in_chunk;
  const int registers = plan_.of(id).stripe.registers();
  const k::Type vector{.element = plan.dtype, .lanes = static_cast<std::uint16_t>(in_chunk)};
  const auto load = [&](k::ValueId row, k::ValueId chunk) {
    const k::ValueId offset = div(chunk_offset(plan, row, chunk), c32(size_bytes(plan.dtype)));
    return one(k::OpCode::Load, {b.offset(image.pointer, offset)}, vector);
  };
  const auto put = [&](k::ValueId loaded, int e, k::ValueId index) {
    b.set(array,
          one(k::OpCode::Element, {loaded}, {.element = plan.dtype}, {{"index", std::int64_t{e}}}),
          index);
  };
  const auto place = [&](k::ValueId r) {
    return add(thread_part_.at(id), register_part(plan_.of(id).stripe, r));
  };
  if (plan.k_major) {
    open_each(registers, "r");
    const k::ValueId r = b.loop_index();
    const k::ValueId row = place(r);
    for (int c = 0; c < chunks; ++c) {
      const k::ValueId loaded = load(row, add(mul(group, c32(chunks)), c32(c)));
      for (int e = 0; e < in_chunk; ++e)
        put(loaded, e, add(mul(r, c32(depth)), c32(c * in_chunk + e)));
    }
    b.close();
    return;
  }
  open_each(depth, "kk");
  const k::ValueId kk = b.loop_index();
  open_each(registers / 4, "r");
  const k::ValueId r = mul(b.loop_index(), c32(4));
  const k::ValueId column = place(r);
  for (int c = 0; c < chunks; ++c) {
    const k::ValueId chunk = add(div(column, c32(in_chunk)), c32(c));
    const k::ValueId loaded = load(add(mul(group, c32(depth)), kk), chunk);
    for (int e = 0; e < in_chunk; ++e) {
      put(loaded, e, add(mul(add(r, c32(c * in_chunk + e)), c32(depth)), kk));
    }
  }
  b.close();
  b.close();
}

void Engine::multiply_fma(const DotPlan& plan, const Held& result, const Image& a,
                          const Image& b_image) {
  const int rows = plan_.of(plan.m).stripe.registers(),
            columns = plan_.of(plan.n).stripe.registers();
  const auto array = [&](DType dtype, int n) {
    return k::Type{.element = dtype, .count = static_cast<std::uint32_t>(n)};
  };
  b.open_for(c32(0), c32(plan.k / depth), c32(1), {}, "k4");
  const k::ValueId group = b.loop_index();
  const k::ValueId a_panel = b.var(array(plan.a.dtype, rows * depth), "a_panel");
  const k::ValueId b_panel = b.var(array(plan.b.dtype, columns * depth), "b_panel");
  load_panel(a, a_panel, group, plan.m);
  load_panel(b_image, b_panel, group, plan.n);
  open_each(depth, "kk");
  const k::ValueId kk = b.loop_index();
  open_each(rows, "i");
  const k::ValueId i = b.loop_index();
  open_each(columns, "j");
  const k::ValueId j = b.loop_index();
  const k::ValueId index = add(mul(i, c32(columns)), j);
  const k::ValueId x = b.get(a_panel, add(mul(i, c32(depth)), kk));
  const k::ValueId y = b.get(b_panel, add(mul(j, c32(depth)), kk));
  const k::ValueId old = b.get(result.variable, index);
  const bool floating = is_float(plan.a.dtype);
  b.set(result.variable, floating ? b.fma(x, y, old) : add(mul(x, y), old), index);
  for (int open = 0; open < 4; ++open) b.close();
}

}  // namespace parhelion::passes::cuda
