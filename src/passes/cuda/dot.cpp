// SPDX-License-Identifier: Apache-2.0
// Dots: operands as swizzled images in shared memory, then the instruction of the family.
#include "passes/cuda/engine.h"

#include "base/diag.h"

#include <algorithm>
#include <bit>

namespace parhelion::passes::cuda {

using plan::cuda::DotFamily;
using plan::cuda::DotPlan;
using plan::cuda::OperandPlan;

/// Bytes from the image's start to 16-byte chunk `chunk` of `row`: rows of `width` bytes with their
/// chunks exchanged by the row, wider rows in columns of 128 bytes.
k::ValueId Engine::chunk_offset(const OperandPlan& plan, k::ValueId row, k::ValueId chunk) {
  const int width = plan.width(), chunks = width / 16;
  const int bits = std::countr_zero(static_cast<unsigned>(chunks));
  k::ValueId column = c32(0);
  if (plan.columns * size_bytes(plan.dtype) > width) {
    column = mul(div(chunk, c32(chunks)), c32(plan.rows * width));
    chunk = rem(chunk, c32(chunks));
  }
  // Address bits 7.. of the plain image, as the swizzle's formula reads them.
  const k::ValueId turn = rem(div(row, c32(1 << (3 - bits))), c32(chunks));
  const k::ValueId place = mul(b.binary(k::OpCode::Xor, chunk, turn), c32(16));
  return add(add(column, mul(row, c32(width))), place);
}

k::ValueId Engine::element_offset(const OperandPlan& plan, k::ValueId row, k::ValueId column) {
  const int in_chunk = 16 / size_bytes(plan.dtype);
  const k::ValueId bytes = chunk_offset(plan, row, div(column, c32(in_chunk)));
  return add(div(bytes, c32(size_bytes(plan.dtype))), rem(column, c32(in_chunk)));
}

Engine::Image Engine::make_image(const OperandPlan& plan, int stages, const char* name) {
  Image image;
  image.plan = &plan;
  const std::int64_t elements = plan.rows * plan.columns * stages;
  image.pointer = one(k::OpCode::Shared, {}, {.element = plan.dtype, .pointer = k::Space::Shared},
                      {{"count", elements}, {"align", std::int64_t{1024}}});
  b.name(image.pointer, name);
  image.address =
      b.name(one(k::OpCode::SharedAddress, {image.pointer}, u32()), std::string(name) + "_address");
  return image;
}

Engine::Image Engine::slot(const Image& image, std::optional<k::ValueId> number) {
  if (!number) return image;
  Image at = image;
  const std::int64_t elements = image.plan->rows * image.plan->columns;
  const std::string name = m.value(image.pointer).name;
  at.pointer = named(b.offset(image.pointer, mul(*number, c32(elements))), name + "_slot");
  at.address = named(add(image.address, as(mul(*number, c32(image.plan->bytes())), DType::U32)),
                     name + "_at");
  return at;
}

/// The array that the product is added to: the accumulator itself where no one else reads it.
Held Engine::dot_result(const ir::Op& op) {
  const ir::ValueId value = op.results[0];
  const Classes& at = classes(value);
  const bool adds = op.operands.size() > 2;
  const DType dtype = compute_dtype(f_.type(value).dtype);
  if (!adds) return make_array(value, at, dtype, {}, constant(0, dtype));
  const ir::ValueId accumulator = op.operands[2];
  const Held* held = find_held(accumulator, at);
  if (held != nullptr && !held->packed && uses_[accumulator.index()] == 1) return *held;
  const Held result = make_array(value, at, dtype);
  const DType from = f_.type(accumulator).dtype;
  prepare(accumulator, at);
  each_register(result.order, [&] {
    put(result.variable, cast(element(accumulator, at), from, dtype), array_index(result.order));
  });
  return result;
}

void Engine::dot(ir::OpId id) {
  const ir::Op& op = f_.op(id);
  this->at(op);
  const DotPlan& plan = *plan_.dot(id);
  const Held result = dot_result(op);
  const auto ring = rings_.find(id);
  if (ring != rings_.end()) {
    const k::ValueId read = named(b.get(ring->second.read), "slot");
    multiply(plan, result, slot(ring->second.a, read), slot(ring->second.b, read));
    bump(ring->second.read, plan.stages);
  } else {
    dot_from_registers(plan, result);
  }
  Held held = result;
  held.at = classes(op.results[0]);
  const DType dtype = f_.type(op.results[0]).dtype;
  if (compute_dtype(dtype) != dtype) {
    each_register(held.order, [&] {
      const k::ValueId index = array_index(held.order);
      put(held.variable, rounded(take(held.variable, index), dtype), index);
    });
  }
  hold(op.results[0], held);
}

void Engine::multiply(const DotPlan& plan, const Held& result, const Image& a,
                      const Image& b_image) {
  if (plan.family == DotFamily::Mma) return multiply_mma(plan, result, a, b_image);
  multiply_fma(plan, result, a, b_image);
}

/// Every element of the image is written: invalid ones and the padding as 0.
void Engine::fill_image(const Image& image, const Classes& at, bool is_a) {
  const OperandPlan& plan = *image.plan;
  const ir::ValueId value = plan.value;
  const DType from = f_.type(value).dtype;
  const bool first_is_row = plan.k_major == is_a;  // A is (m, k), B is (k, n)
  const ClassId rows = at[first_is_row ? 0 : 1], columns = at[first_is_row ? 1 : 0];
  const auto covers = [&](ClassId id, std::int64_t extent) {
    return plan_.of(id).stripe.extent() >= extent;
  };
  PH_ASSERT(rows.valid() && columns.valid(), "an operand of a dot has two dimensions");
  if (!covers(rows, plan.rows) || !covers(columns, plan.columns)) clear_image(image);
  const auto owns = owner(at);
  if (owns) b.open_if(*owns);
  {
    Scope scope(*this);
    each_register(present(at), [&] {
      k::ValueId v = compute_form(element(value, at), from);
      if (const auto inside = all_valid(at)) v = b.select(*inside, v, constant(0, from));
      const bool half = plan.dtype == DType::F16 || plan.dtype == DType::BF16;
      if (!half) v = cast(v, from, plan.dtype);
      std::optional<k::ValueId> fits;
      if (plan_.of(rows).stripe.extent() > plan.rows) {
        fits = b.compare(k::OpCode::Lt, local_in_chunk(rows), c32(plan.rows));
      }
      if (plan_.of(columns).stripe.extent() > plan.columns) {
        fits = both(fits, b.compare(k::OpCode::Lt, local_in_chunk(columns), c32(plan.columns)));
      }
      if (fits) b.open_if(*fits);
      b.store(b.offset(image.pointer,
                       element_offset(plan, local_in_chunk(rows), local_in_chunk(columns))),
              store_form(v, plan.dtype));
      if (fits) b.close();
    });
  }
  if (owns) b.close();
}

void Engine::clear_image(const Image& image) {
  const OperandPlan& plan = *image.plan;
  const k::ValueId threads = c32(32 * std::int64_t{root_->warps});
  const k::ValueId thread = add(mul(warp_, c32(32)), lane_);
  b.open_for(thread, c32(plan.rows * plan.columns), threads, {}, "i");
  const k::ValueId zero = is_float(plan.dtype) ? b.number(0, plan.dtype) : b.integer(0, plan.dtype);
  b.store(b.offset(image.pointer, b.loop_index()), zero);
  b.close();
  sync();
}

k::ValueId Engine::local_in_chunk(ClassId id) {
  const k::ValueId* chunk = lookup(&Frame::chunk, id);
  return chunk == nullptr ? local(id) : sub(local(id), *chunk);
}

/// Operands that are computed, or that cp.async cannot copy: written by their threads, step by step
/// along a k that no loop walks.
void Engine::dot_from_registers(const DotPlan& plan, const Held& result) {
  const ir::Op& op = f_.op(plan.dot);
  const Classes a_at = classes(op.operands[0]), b_at = classes(op.operands[1]);
  const Image a = make_image(plan.a, 1, "a_tile"), b_image = make_image(plan.b, 1, "b_tile");
  const ClassId ka = a_at[1], kb = b_at[0];
  const auto step = [&] {
    prepare(op.operands[0], a_at);
    prepare(op.operands[1], b_at);
    if (loops_ > 0) sync();
    fill_image(a, a_at, true);
    fill_image(b_image, b_at, false);
    sync();
    multiply(plan, result, a, b_image);
  };
  if (plan_.of(ka).chunk == 0) return step();
  // Both classes of k stand at the same chunk.
  b.open_for(c32(0), limit(plan_.of(ka).axis), c32(plan_.of(ka).stripe.extent()), {}, "k_step");
  ++loops_;
  {
    Scope scope(*this);
    frames_.back().chunk[ka] = frames_.back().chunk[kb] = b.loop_index();
    step();
  }
  --loops_;
  b.close();
}

}  // namespace parhelion::passes::cuda
