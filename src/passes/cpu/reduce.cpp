// SPDX-License-Identifier: Apache-2.0
// Reductions over one axis: vectors along it are folded by a fixed tree; vectors across it carry
// one accumulator a lane.
#include "passes/cpu/engine.h"

#include "base/diag.h"

#include <algorithm>
#include <limits>

namespace parhelion::passes::cpu {

namespace {

struct Rule {
  double identity;
  k::OpCode combine;
  const char* fold;
};

Rule rule(ir::OpCode code, DType dtype) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  switch (code) {
    case ir::OpCode::Sum:
    case ir::OpCode::Mean: return {0, k::OpCode::Add, "add"};
    case ir::OpCode::Prod: return {1, k::OpCode::Mul, "mul"};
    case ir::OpCode::Amax:
      return {-inf, k::OpCode::MaxNumber, is_float(dtype) ? "max_nan" : "max_number"};
    case ir::OpCode::Amin:
      return {inf, k::OpCode::MinNumber, is_float(dtype) ? "min_nan" : "min_number"};
    default: break;
  }
  PH_ASSERT(false, "not a reduction");
  return {0, k::OpCode::Add, "add"};
}

std::int64_t integer_identity(ir::OpCode code, DType dtype) {
  const int bits = 8 * size_bytes(dtype);
  const bool is_signed = is_signed_integer(dtype);
  switch (code) {
    case ir::OpCode::Prod: return 1;
    case ir::OpCode::Amax:
      if (!is_signed) return 0;
      return bits == 64 ? std::numeric_limits<std::int64_t>::min()
                        : -(std::int64_t{1} << (bits - 1));
    case ir::OpCode::Amin:
      if (bits == 64) return std::numeric_limits<std::int64_t>::max();
      return (std::int64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
    default: return 0;
  }
}

}  // namespace

/// One accumulator step: the new accumulators for a value `x` (masked to the identity on the lanes
/// of a tail that are not there). Minimum and maximum of floats keep a second one, "a NaN was
/// seen".
std::vector<k::ValueId> Engine::accumulate(const ir::Op& op, k::ValueId x, const Lanes& lanes,
                                           const std::vector<k::ValueId>& acc) {
  const DType dtype = m.type(acc[0]).element;
  const Rule r = rule(op.code, dtype);
  const bool reduces_lanes = lanes.axis == f.type(op.operands[0]).axes[reduced_dim(op)];
  if (reduces_lanes && lanes.valid && lanes.lanes > 1) {
    const k::ValueId here = b.compare(k::OpCode::Lt, iota(lanes.lanes),
                                      as_lanes(b.convert(*lanes.valid, DType::I32), lanes.lanes));
    const k::ValueId identity = is_float(dtype)
                                    ? b.number(r.identity, dtype)
                                    : b.integer(integer_identity(op.code, dtype), dtype);
    x = b.select(here, x, as_lanes(identity, lanes.lanes));
  }
  std::vector<k::ValueId> next;
  next.push_back(b.binary(r.combine, acc[0], x));
  if (acc.size() > 1) {
    next.push_back(b.binary(k::OpCode::Or, acc[1], b.compare(k::OpCode::Ne, x, x)));
  }
  return next;
}

k::ValueId Engine::iota(int lanes) {
  const k::Type type{DType::I32, static_cast<std::uint16_t>(lanes), 0, k::Space::None};
  return b.result(b.op(k::OpCode::Iota, {}, {type}));
}

std::size_t Engine::reduced_dim(const ir::Op& op) {
  return static_cast<std::size_t>(std::get<ir::ReduceAttr>(op.payload).dim);
}

namespace {

DType accumulator_dtype(ir::OpCode code, DType operand, DType result) {
  if (is_float(operand)) return compute_dtype(operand);
  if (code == ir::OpCode::Mean) return DType::F32;
  return compute_dtype(result);
}

}  // namespace

void Engine::reduce(const ir::Op& op) {
  at(op);
  const ir::ValueId operand = op.operands[0];
  const ir::AxisId axis = f.type(operand).axes[reduced_dim(op)];
  const DType from = f.type(operand).dtype, to = f.type(op.results[0]).dtype;
  const DType dtype = accumulator_dtype(op.code, from, to);
  const Rule r = rule(op.code, dtype);
  const bool nan_flag =
      is_float(dtype) && (op.code == ir::OpCode::Amax || op.code == ir::OpCode::Amin);
  const auto start = [&](int lanes) {
    std::vector<k::ValueId> initial;
    const k::ValueId identity = is_float(dtype)
                                    ? b.number(r.identity, dtype)
                                    : b.integer(integer_identity(op.code, dtype), dtype);
    initial.push_back(as_lanes(identity, lanes));
    if (nan_flag) initial.push_back(as_lanes(b.integer(0, DType::Bool), lanes));
    return initial;
  };
  const auto combine = [&](std::size_t i, k::ValueId x, k::ValueId y) {
    return b.binary(i == 0 ? r.combine : k::OpCode::Or, x, y);
  };
  const auto finish = [&](std::vector<k::ValueId> acc) {
    k::ValueId v = acc[0];
    const k::Type type = m.type(v);
    if (nan_flag) {
      const k::ValueId nan = b.number(std::numeric_limits<double>::quiet_NaN(), dtype);
      v = b.select(acc[1], as_lanes(nan, type.lanes), v);
    }
    return v;
  };
  const auto value_at = [&](const Lanes& lanes) {
    k::ValueId x = eval(operand, &lanes);
    if (m.type(x).element != dtype) x = b.convert(x, dtype);
    return as_lanes(x, lanes.lanes);
  };
  const auto scale = [&](k::ValueId v) {
    if (op.code == ir::OpCode::Mean) {
      const k::ValueId n = b.convert(axes.at(axis).count, dtype);
      v = b.binary(k::OpCode::Div, v, as_lanes(n, m.type(v).lanes));
    }
    if (m.type(v).element != compute_dtype(to)) v = b.convert(v, compute_dtype(to));
    return rounded(v, to);
  };

  const Shape shape = choose(f.type(operand).axes, {operand}, {});
  bind_extent(axis);
  const std::vector<ir::AxisId> kept = live_axes(f.type(op.results[0]).axes);
  std::optional<Buffer> out;
  if (!kept.empty()) out = allocate(kept, compute_dtype(to), "partial");

  const auto along = [&] {  // vectors run along the reduced axis
    evaluate_invariants(operand, axis);
    const std::vector<k::ValueId> acc =
        strips(axis, shape.lanes, shape.lanes > 1 ? strip_ : 1, start(shape.lanes), combine,
               [&](const Lanes& lanes, const std::vector<k::ValueId>& carry) {
                 return accumulate(op, value_at(lanes), lanes, carry);
               });
    k::ValueId v = finish(acc);
    if (m.type(v).lanes > 1) {
      v = b.result(b.op(k::OpCode::Fold, {v}, {{dtype, 1, 0, k::Space::None}},
                        {{"combine", std::string(r.fold)}}));
    }
    return scale(v);
  };
  const auto across = [&] {  // vectors run along a kept axis; the reduced one is a loop inside
    strips(shape.inner, shape.lanes, 1, {}, combine,
           [&](const Lanes& lanes, const std::vector<k::ValueId>&) {
             b.open_for(c64(0), axes.at(axis).count, c64(1), start(lanes.lanes), "r");
             axes.at(axis).index = b.loop_index();
             scopes.emplace_back();
             std::vector<k::ValueId> carry = {b.carried(0)};
             if (nan_flag) carry.push_back(b.carried(1));
             const std::vector<k::ValueId> next = accumulate(op, value_at(lanes), lanes, carry);
             scopes.pop_back();
             axes.at(axis).index.reset();
             write_buffer(*out, scale(finish(b.close(next))), &lanes);
             return std::vector<k::ValueId>{};
           });
  };

  begin_tees({operand}, shape);
  if (shape.inner == axis) {
    if (kept.empty()) {
      remember(op.results[0], along());
    } else {
      walk(kept, [&] { write_buffer(*out, along(), nullptr); });
      buffers[op.results[0]] = *out;
    }
  } else {
    std::vector<ir::AxisId> outer;
    for (const ir::AxisId a : shape.outer) {
      if (a != axis) outer.push_back(a);
    }
    walk(outer, across);
    buffers[op.results[0]] = *out;
  }
  end_tees();
}

}  // namespace parhelion::passes::cpu
