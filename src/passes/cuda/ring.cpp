// SPDX-License-Identifier: Apache-2.0
// Rings of cp.async: `stages` slots, the next trips' tiles are on their way while one is
// multiplied. One commit group a trip, empty at the end, so that the count of pending groups is the
// same everywhere; one barrier a trip frees the slot that the last trip read.
#include "passes/cuda/engine.h"

#include <algorithm>

namespace parhelion::passes::cuda {

using plan::cuda::access_of;
using plan::cuda::DotPlan;

bool Engine::ring_load(ir::OpId id) const {
  return std::ranges::any_of(root_->dots, [&](const DotPlan& dot) {
    return dot.loop && (dot.a.load == id || dot.b.load == id);
  });
}

void Engine::bump(k::ValueId variable, int stages) {
  const k::ValueId next = named(add(b.get(variable), c32(1)), "next_slot");
  b.set(variable, b.select(b.compare(k::OpCode::Eq, next, c32(stages)), c32(0), next));
}

void Engine::fill_slot(const Ring& ring, ir::OpId loop, k::ValueId begin, const Bounds& bounds) {
  const ir::LoopDim& dim = std::get<ir::LoopAttr>(f_.op(loop).payload).dims[0];
  Scope scope(*this);
  bind_axis(dim, begin, bounds.end, c32(0), c32(0));
  copy_operand(ring.a);
  copy_operand(ring.b);
}

void Engine::open_rings(ir::OpId loop, const Bounds& bounds) {
  const auto& dims = std::get<ir::LoopAttr>(f_.op(loop).payload).dims;
  int stages = 0;
  for (const DotPlan& dot : root_->dots) {
    if (dot.loop != loop) continue;
    Ring ring;
    ring.dot = &dot;
    ring.a = make_image(dot.a, dot.stages, "a_tiles");
    ring.b = make_image(dot.b, dot.stages, "b_tiles");
    ring.read = b.var(i32(), "read_slot", c32(0));
    ring.write = b.var(i32(), "write_slot", c32(dot.stages - 1));
    rings_[dot.dot] = ring;
    stages = dot.stages;
  }
  if (stages == 0) return;
  if (loops_ > 0) sync();
  b.label("fill all slots but one");
  const k::ValueId block = b.integer(facts_.block(dims[0].block), index_dtype());
  open_each(stages - 1, "s");
  const k::ValueId s = b.loop_index();
  const k::ValueId begin = named(add(bounds.begin, mul(as(s, index_dtype()), block)),
                                 axis_name(dims[0].axis) + "_begin");
  b.open_if(b.compare(k::OpCode::Lt, begin, bounds.end));
  for (const auto& [dot, ring] : rings_) {
    if (ring.dot->loop != loop) continue;
    Ring at = ring;
    at.a = slot(ring.a, s);
    at.b = slot(ring.b, s);
    fill_slot(at, loop, begin, bounds);
  }
  b.close();
  b.op(k::OpCode::CpAsyncCommit, {}, {});
  b.close();
}

/// Top of a trip: this trip's tiles are there, the slot that the last trip read is filled again.
void Engine::advance_rings(ir::OpId loop, const Bounds& bounds) {
  const auto& dims = std::get<ir::LoopAttr>(f_.op(loop).payload).dims;
  int stages = 0;
  for (const DotPlan& dot : root_->dots) {
    if (dot.loop == loop) stages = dot.stages;
  }
  if (stages == 0) return;
  b.op(k::OpCode::CpAsyncWait, {}, {}, {{"pending", std::int64_t{stages - 2}}});
  sync();
  const std::int64_t ahead = (stages - 1) * facts_.block(dims[0].block);
  const k::ValueId begin = named(add(axis_begin(dims[0].axis), b.integer(ahead, index_dtype())),
                                 axis_name(dims[0].axis) + "_ahead");
  b.open_if(b.compare(k::OpCode::Lt, begin, bounds.end));
  for (const auto& [dot, ring] : rings_) {
    if (ring.dot->loop != loop) continue;
    Ring at = ring;
    const k::ValueId number = b.get(ring.write);
    at.a = slot(ring.a, number);
    at.b = slot(ring.b, number);
    fill_slot(at, loop, begin, bounds);
  }
  b.close();
  b.op(k::OpCode::CpAsyncCommit, {}, {});
  for (const auto& [dot, ring] : rings_) {
    if (ring.dot->loop == loop) bump(ring.write, stages);
  }
}

void Engine::close_rings(ir::OpId loop) {
  const bool any =
      std::ranges::any_of(root_->dots, [&](const DotPlan& dot) { return dot.loop == loop; });
  if (any) b.op(k::OpCode::CpAsyncWait, {}, {}, {{"pending", std::int64_t{0}}});
}

/// The block's threads copy the operand's tile, one chunk of a row each time.
void Engine::copy_operand(const Image& image) {
  const plan::cuda::OperandPlan& plan = *image.plan;
  const int in_copy = plan.copy_bytes / size_bytes(plan.dtype);
  const std::int64_t in_row = plan.columns / in_copy;
  const std::int64_t copies = plan.rows * in_row, threads = 32 * std::int64_t{root_->warps};
  const ir::Op& load = f_.op(*plan.load);
  const k::ValueId thread = b.name(one(k::OpCode::ThreadId, {}, i32()), "thread");
  const auto copy = [&](k::ValueId n) {
    copy_chunk(image, load, named(div(n, c32(in_row)), "row"),
               named(mul(rem(n, c32(in_row)), c32(in_copy)), "column"));
  };
  open_each((copies + threads - 1) / threads, "c");
  const k::ValueId n = named(add(thread, mul(b.loop_index(), c32(threads))), "copy");
  const bool whole = copies % threads == 0;
  if (!whole) b.open_if(b.compare(k::OpCode::Lt, n, c32(copies)));
  copy(n);
  if (!whole) b.close();
  b.close();
}

void Engine::copy_chunk(const Image& image, const ir::Op& load, k::ValueId row, k::ValueId column) {
  const plan::cuda::OperandPlan& plan = *image.plan;
  const ir::Access& access = access_of(load);
  const ir::Tensor& t = f_.tensor(access.tensor);
  const std::size_t along = *facts_.contiguous(load);
  const int bytes = size_bytes(plan.dtype);
  k::ValueId offset = b.integer(0, index_dtype());
  std::optional<k::ValueId> row_valid;
  k::ValueId source = b.integer(plan.copy_bytes, DType::U32);
  for (const plan::cuda::DimensionUse& use : plan::cuda::dimension_uses(f_, load)) {
    const ir::Subscript& s = *use.subscript;
    k::ValueId index;
    if (use.place_dim) {
      const bool in_row = *use.place_dim == along;
      const k::ValueId at = in_row ? column : row;
      index = as(at, index_dtype());
      if (s.kind == ir::Subscript::Kind::Slice && s.step != 1)
        index = mul(index, b.integer(s.step, index_dtype()));
      if (s.kind == ir::Subscript::Kind::Tile) index = add(axis_begin(s.axis), index);
      if (s.begin.valid()) index = add(index, size_value(s.begin));
      const std::int64_t padded = in_row ? plan.columns : plan.rows;
      const bool full = facts_.full(s.axis) && facts_.extent(s.axis) == padded;
      if (!full && in_row) {
        const k::ValueId left = mul(sub(limit(s.axis), column), c32(bytes));
        const k::ValueId clipped =
            min(b.binary(k::OpCode::MaxNumber, left, c32(0)), c32(plan.copy_bytes));
        source = as(clipped, DType::U32);
      }
      if (!full && !in_row) row_valid = b.compare(k::OpCode::Lt, row, limit(s.axis));
    } else {
      index = size_value(s.begin);
    }
    const bool unit = facts_.unit_stride(access.tensor, use.dimension);
    offset = add(offset, unit ? index : mul(index, size_value(t.strides[use.dimension])));
  }
  if (row_valid) source = b.select(*row_valid, source, b.integer(0, DType::U32));
  const k::ValueId byte = mul(column, c32(bytes));
  k::ValueId place = chunk_offset(plan, row, div(byte, c32(16)));
  if (plan.copy_bytes < 16) place = add(place, rem(byte, c32(16)));
  const k::ValueId address = add(image.address, as(place, DType::U32));
  const k::ValueId from = named(b.offset(tensor_pointer(access.tensor), offset), t.name + "_at");
  b.op(k::OpCode::CpAsync, {named(address, "to"), from, named(source, "bytes")}, {},
       {{"bytes", std::int64_t{plan.copy_bytes}}});
}

}  // namespace parhelion::passes::cuda
