// SPDX-License-Identifier: Apache-2.0
// A dot outside of the panel pattern: operands and result in buffers, vectors along n, k in order.
#include "passes/cpu/engine.h"

#include "base/diag.h"

namespace parhelion::passes::cpu {

void Engine::dot(const ir::Op& op) {
  at(op);
  const ir::ValueId a = op.operands[0], bb = op.operands[1], result = op.results[0];
  const std::vector<ir::AxisId>& mk = f.type(a).axes;
  const std::vector<ir::AxisId>& kn = f.type(bb).axes;
  const std::vector<ir::AxisId> mn = f.type(result).axes;
  const DType dtype = compute_dtype(f.type(result).dtype);
  const bool exact = !is_float(dtype);
  const auto operand = [&](ir::ValueId v) {
    const Buffer buffer =
        allocate(f.type(v).axes, exact ? dtype : compute_dtype(f.type(v).dtype), "operand");
    fill(buffer, live_axes(f.type(v).axes), v);
    return buffer;
  };
  const Buffer left = operand(a), right = operand(bb);
  const Buffer out = allocate(mn, dtype, "product");
  if (op.operands.size() > 2) {
    fill(out, live_axes(mn), op.operands[2]);
  } else {
    walk({mn[0]}, [&] {
      strips(mn[1], plan.lanes, 1, {}, {}, [&](const Lanes& lanes, const std::vector<k::ValueId>&) {
        const k::ValueId zero = exact ? b.integer(0, dtype) : b.number(0, dtype);
        write_buffer(out, as_lanes(zero, lanes.lanes), &lanes);
        return std::vector<k::ValueId>{};
      });
    });
  }
  bind_extent(mk[1]);
  bind_extent(kn[0]);
  walk({mn[0]}, [&] {
    strips(mn[1], plan.lanes, 1, {}, {}, [&](const Lanes& lanes, const std::vector<k::ValueId>&) {
      const k::ValueId start = read_buffer(out, &lanes);
      b.open_for(c64(0), axes.at(mk[1]).count, c64(1), {start}, "kk");
      axes.at(mk[1]).index = b.loop_index();
      axes.at(kn[0]).index = b.loop_index();
      const k::ValueId x = as_lanes(widen(read_buffer(left, nullptr), dtype), lanes.lanes);
      const k::ValueId y = widen(read_buffer(right, &lanes), dtype);
      const k::ValueId sum = exact ? add(b.carried(0), mul(x, y)) : b.fma(x, y, b.carried(0));
      axes.at(mk[1]).index.reset();
      axes.at(kn[0]).index.reset();
      write_buffer(out, b.close({sum})[0], &lanes);
      return std::vector<k::ValueId>{};
    });
  });
  const DType to = f.type(result).dtype;
  if (compute_dtype(to) != to) round_buffer(out, mn, to);
  buffers[result] = out;
}

k::ValueId Engine::widen(k::ValueId v, DType dtype) {
  return m.type(v).element == dtype ? v : b.convert(v, dtype);
}

/// A 16-bit accumulator rounds once, after the products of this dot.
void Engine::round_buffer(const Buffer& buffer, const std::vector<ir::AxisId>& over, DType dtype) {
  walk({over[0]}, [&] {
    strips(over[1], plan.lanes, 1, {}, {}, [&](const Lanes& lanes, const std::vector<k::ValueId>&) {
      write_buffer(buffer, rounded(read_buffer(buffer, &lanes), dtype), &lanes);
      return std::vector<k::ValueId>{};
    });
  });
}

}  // namespace parhelion::passes::cpu
