// SPDX-License-Identifier: Apache-2.0
// Pointwise ops, reductions, dot, creation and shape: each records one op of the tile IR, with the
// casts that promotion asks for spelled out.
#include "lang/trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion {

using lang::Trace;
using lang::VarId;

namespace {

std::optional<ir::OpCode> find_code(std::string_view text) {
  for (const ir::OpRow& row : ir::op_rows()) {
    if (row.text == text) return row.code;
  }
  return std::nullopt;
}

DType dtype_of(Trace& trace, VarId v, Loc where) {
  return trace.function.type(trace.read(v, where)).dtype;
}

std::optional<DType> peer_dtype(Trace& trace, const Operand& o) {
  if (o.kind != Operand::Kind::Value) return std::nullopt;
  (void)trace.variable(o.handle, o.where);
  return dtype_of(trace, o.handle.id, o.where);
}

/// Extents of different tensors that meet in one position become one axis.
void unite_aligned(Trace& trace, VarId a, VarId b, Loc where) {
  const std::vector<ir::AxisId> x = trace.function.type(trace.read(a, where)).axes;
  const std::vector<ir::AxisId> y = trace.function.type(trace.read(b, where)).axes;
  for (std::size_t i = 1; i <= std::min(x.size(), y.size()); ++i) {
    (void)trace.unite(x[x.size() - i], y[y.size() - i], where);
  }
}

bool is_bitwise(ir::OpCode code) {
  return code == ir::OpCode::And || code == ir::OpCode::Or || code == ir::OpCode::Xor;
}

Value reduce(ir::OpCode code, const Operand& v, Over over, Keep keep, Loc where) {
  Trace& trace = lang::current(ir::row(code).text, where);
  trace.require_device(fmt::format("ph::{}", ir::row(code).text), where);
  const VarId x = lang::materialize(trace, v, std::nullopt);
  const ir::TileType type = trace.function.type(trace.read(x, where));
  ir::ReduceAttr attr;
  attr.keep = keep == Keep::Dim;
  if (over.is_tile) {
    const ir::AxisId axis(over.handle.id);
    const auto it = std::ranges::find(type.axes, axis);
    if (it == type.axes.end()) {
      trace.fail(2201,
                 fmt::format("{}: the value {} has no axis '{}'", ir::row(code).text,
                             lang::type_text(trace.function, type), trace.function.axis(axis).name),
                 where, "reduce over a dimension that the value has");
    }
    attr.dim = static_cast<int>(it - type.axes.begin());
  } else {
    attr.dim = over.dim < 0 ? over.dim + type.rank() : over.dim;
  }
  const VarId r = trace.record(code, {x}, attr, where);
  return lang::as_value(trace, r);
}

}  // namespace

namespace detail {

Value binary(std::string_view text, const Operand& a, const Operand& b) {
  const Loc where = b.where.line != 0 ? b.where : a.where;
  Trace& trace = lang::current(text, where);
  trace.require_device("arithmetic on tiles", where);
  const auto pa = peer_dtype(trace, a), pb = peer_dtype(trace, b);
  VarId x = lang::materialize(trace, a, pb);
  VarId y = lang::materialize(trace, b, pa);
  unite_aligned(trace, x, y, where);
  const ir::OpCode code = *find_code(text);
  DType common = ir::promote(dtype_of(trace, x, where), dtype_of(trace, y, where));
  if (code == ir::OpCode::Div && !is_float(common)) common = DType::F32;
  if (!is_bitwise(code) || common != DType::Bool) {
    x = lang::cast_to(trace, x, common, where);
    y = lang::cast_to(trace, y, common, where);
  }
  return lang::as_value(trace, trace.record(code, {x, y}, std::monostate{}, where));
}

Value binary_at(std::string_view text, const Value& a, const Operand& b) {
  return binary(text, Operand(a, b.where), b);
}
Value binary_at(std::string_view text, const Operand& a, const Value& b) {
  return binary(text, a, Operand(b, a.where));
}

Value unary(std::string_view text, const Operand& a) {
  Trace& trace = lang::current(text, a.where);
  trace.require_device(fmt::format("ph::{}", text), a.where);
  const ir::OpCode code = *find_code(text);
  VarId x = lang::materialize(trace, a, std::nullopt);
  const DType dtype = dtype_of(trace, x, a.where);
  const bool keeps_integers = code == ir::OpCode::Neg || code == ir::OpCode::Abs ||
                              code == ir::OpCode::Not || code == ir::OpCode::Floor ||
                              code == ir::OpCode::Ceil;
  if (!is_float(dtype) && !keeps_integers) x = lang::cast_to(trace, x, DType::F32, a.where);
  return lang::as_value(trace, trace.record(code, {x}, std::monostate{}, a.where));
}

}  // namespace detail

#define PH_UNARY(name)               \
  Value name(Operand v, Loc where) { \
    v.where = where;                 \
    return detail::unary(#name, v);  \
  }
PH_UNARY(abs)
PH_UNARY(exp)
PH_UNARY(exp2)
PH_UNARY(log)
PH_UNARY(log2)
PH_UNARY(sqrt)
PH_UNARY(rsqrt)
PH_UNARY(reciprocal)
PH_UNARY(tanh)
PH_UNARY(erf)
PH_UNARY(sigmoid)
PH_UNARY(floor)
PH_UNARY(ceil)
#undef PH_UNARY

namespace {

Value at(Trace& trace, VarId v, std::string_view op, double number, Loc where) {
  return detail::binary(op, Operand(lang::as_value(trace, v), where), Operand(number, where));
}

}  // namespace

Value relu(Operand v, Loc where) {
  Trace& trace = lang::current("relu", where);
  const VarId x = lang::materialize(trace, v, std::nullopt);
  return at(trace, x, "max", 0.0, where);
}

Value silu(Operand v, Loc where) {
  Trace& trace = lang::current("silu", where);
  const Value x = lang::as_value(trace, lang::materialize(trace, v, std::nullopt));
  return detail::binary("mul", Operand(x, where),
                        Operand(sigmoid(Operand(x, where), where), where));
}

// 0.5 x (1 + erf(x / sqrt 2)), the exact form.
Value gelu(Operand v, Loc where) {
  Trace& trace = lang::current("gelu", where);
  const VarId x = lang::materialize(trace, v, std::nullopt);
  const Value scaled = at(trace, x, "mul", 0.70710678118654752440, where);
  const Value one_plus =
      at(trace, lang::variable_of(trace, erf(Operand(scaled, where), where), where), "add", 1.0,
         where);
  const Value half = at(trace, x, "mul", 0.5, where);
  return detail::binary("mul", Operand(half, where), Operand(one_plus, where));
}

Value minimum(Operand a, Operand b) { return detail::binary("min", a, b); }
Value maximum(Operand a, Operand b) { return detail::binary("max", a, b); }

Value where(Operand condition, Operand a, Operand b) {
  Trace& trace = lang::current("where", condition.where);
  trace.require_device("ph::where", condition.where);
  const VarId c = lang::cast_to(trace, lang::materialize(trace, condition, std::nullopt),
                                DType::Bool, condition.where);
  VarId x = lang::materialize(trace, a, peer_dtype(trace, b));
  VarId y = lang::materialize(trace, b, peer_dtype(trace, a));
  const Loc at = condition.where;
  const DType common = ir::promote(dtype_of(trace, x, at), dtype_of(trace, y, at));
  x = lang::cast_to(trace, x, common, at);
  y = lang::cast_to(trace, y, common, at);
  unite_aligned(trace, c, x, at);
  unite_aligned(trace, c, y, at);
  unite_aligned(trace, x, y, at);
  return lang::as_value(trace, trace.record(ir::OpCode::Where, {c, x, y}, std::monostate{}, at));
}

Value fma(Operand a, Operand b, Operand c) {
  Trace& trace = lang::current("fma", a.where);
  trace.require_device("ph::fma", a.where);
  std::optional<DType> peer = peer_dtype(trace, a);
  for (const Operand* o : {&b, &c}) {
    const auto p = peer_dtype(trace, *o);
    if (p) peer = peer ? ir::promote(*peer, *p) : *p;
  }
  VarId x = lang::materialize(trace, a, peer), y = lang::materialize(trace, b, peer),
        z = lang::materialize(trace, c, peer);
  const DType common = peer.value_or(DType::F32);
  x = lang::cast_to(trace, x, common, a.where);
  y = lang::cast_to(trace, y, common, a.where);
  z = lang::cast_to(trace, z, common, a.where);
  unite_aligned(trace, x, y, a.where);
  unite_aligned(trace, x, z, a.where);
  return lang::as_value(trace, trace.record(ir::OpCode::Fma, {x, y, z}, std::monostate{}, a.where));
}

Value cast(Operand v, DType dtype, Loc where) {
  Trace& trace = lang::current("cast", where);
  trace.require_device("ph::cast", where);
  const VarId x = lang::materialize(trace, v, dtype);
  const VarId r = lang::cast_to(trace, x, dtype, where);
  if (r != x || v.kind != Operand::Kind::Value) return lang::as_value(trace, r);
  const VarId copy = trace.new_variable(true);  // the result must not share the user's variable
  trace.write_copy(copy, x, where);
  return lang::as_value(trace, copy);
}

Value sum(Operand v, Over o, Keep k, Loc w) { return reduce(ir::OpCode::Sum, v, o, k, w); }
Value prod(Operand v, Over o, Keep k, Loc w) { return reduce(ir::OpCode::Prod, v, o, k, w); }
Value mean(Operand v, Over o, Keep k, Loc w) { return reduce(ir::OpCode::Mean, v, o, k, w); }
Value amax(Operand v, Over o, Keep k, Loc w) { return reduce(ir::OpCode::Amax, v, o, k, w); }
Value amin(Operand v, Over o, Keep k, Loc w) { return reduce(ir::OpCode::Amin, v, o, k, w); }

namespace {

void unite_contraction(Trace& trace, VarId a, VarId b, Loc where) {
  const auto x = trace.function.type(trace.read(a, where)).axes;
  const auto y = trace.function.type(trace.read(b, where)).axes;
  if (x.size() == 2 && y.size() == 2) (void)trace.unite(x[1], y[0], where);
}

}  // namespace

Value dot(Operand a, Operand b, Loc where) {
  Trace& trace = lang::current("dot", where);
  trace.require_device("ph::dot", where);
  const VarId x = lang::materialize(trace, a, std::nullopt);
  const VarId y = lang::materialize(trace, b, std::nullopt);
  unite_contraction(trace, x, y, where);
  return lang::as_value(trace, trace.record(ir::OpCode::Dot, {x, y}, ir::DotAttr{}, where));
}

Value dot(Operand a, Operand b, Operand acc, Loc where) {
  Trace& trace = lang::current("dot", where);
  trace.require_device("ph::dot", where);
  const VarId x = lang::materialize(trace, a, std::nullopt);
  const VarId y = lang::materialize(trace, b, std::nullopt);
  const VarId z = lang::materialize(trace, acc, std::nullopt);
  unite_contraction(trace, x, y, where);
  const DType accumulator = dtype_of(trace, z, where);
  if ((accumulator == DType::BF16 || accumulator == DType::F16) && trace.open_loops.size() > 1) {
    trace.warn(2307,
               fmt::format("{} accumulator in a loop rounds at every step", name(accumulator)),
               where, "accumulate in f32");
  }
  return lang::as_value(trace, trace.record(ir::OpCode::Dot, {x, y, z}, ir::DotAttr{}, where));
}

namespace {

std::vector<ir::AxisId> dims_to_axes(Trace& trace, std::initializer_list<Dim> dims, Loc where) {
  std::vector<ir::AxisId> axes;
  for (const Dim& d : dims) {
    if (d.is_tile) {
      axes.push_back(ir::AxisId(d.handle.id));
      continue;
    }
    const ir::SizeId size = lang::size_id(trace, *d.size);
    if (!trace.function.sizes.value(size)) {
      const auto block = trace.function.sizes.block_of(size);
      if (!block) {
        trace.fail(2108,
                   fmt::format("register tile sized by the run-time size '{}'",
                               trace.function.sizes.text(
                                   size, [](ir::BlockId) { return std::string("block"); })),
                   where, "ph::specialize(n), or a tile axis");
      }
    }
    axes.push_back(trace.find(trace.function.extent_axis(size)));
  }
  return axes;
}

}  // namespace

Value full(std::initializer_list<Dim> dims, Operand value, DType dtype) {
  Trace& trace = lang::current("full", value.where);
  trace.require_device("ph::full", value.where);
  const VarId v = lang::cast_to(trace, lang::materialize(trace, value, dtype), dtype, value.where);
  ir::ShapeAttr shape{dims_to_axes(trace, dims, value.where)};
  return lang::as_value(trace, trace.record(ir::OpCode::Full, {v}, shape, value.where));
}

Value zeros(std::initializer_list<Dim> dims, DType dtype, Loc where) {
  (void)lang::current("zeros", where);
  return full(dims, Operand(0.0, where), dtype);
}

Value arange(Size n, Loc where) {
  Trace& trace = lang::current("arange", where);
  trace.require_device("ph::arange", where);
  ir::ShapeAttr shape{dims_to_axes(trace, {Dim(n)}, where)};
  return lang::as_value(trace, trace.record(ir::OpCode::Arange, {}, shape, where));
}

Value unsqueeze(Operand v, int dim, Loc where) {
  Trace& trace = lang::current("unsqueeze", where);
  const VarId x = lang::materialize(trace, v, std::nullopt);
  const int rank = trace.function.type(trace.read(x, where)).rank();
  const int at = dim < 0 ? dim + rank + 1 : dim;
  return lang::as_value(trace, trace.record(ir::OpCode::Unsqueeze, {x}, ir::DimAttr{at}, where));
}

Value squeeze(Operand v, int dim, Loc where) {
  Trace& trace = lang::current("squeeze", where);
  const VarId x = lang::materialize(trace, v, std::nullopt);
  const int rank = trace.function.type(trace.read(x, where)).rank();
  const int at = dim < 0 ? dim + rank : dim;
  return lang::as_value(trace, trace.record(ir::OpCode::Squeeze, {x}, ir::DimAttr{at}, where));
}

Value permute(Operand v, std::initializer_list<int> order, Loc where) {
  Trace& trace = lang::current("permute", where);
  const VarId x = lang::materialize(trace, v, std::nullopt);
  return lang::as_value(trace, trace.record(ir::OpCode::Permute, {x},
                                            ir::PermuteAttr{std::vector<int>(order)}, where));
}

Value transpose(Operand v, Loc where) {
  Trace& trace = lang::current("transpose", where);
  const VarId x = lang::materialize(trace, v, std::nullopt);
  const int rank = trace.function.type(trace.read(x, where)).rank();
  std::vector<int> order;
  for (int i = 0; i < rank; ++i) order.push_back(i);
  if (rank >= 2) std::swap(order[order.size() - 1], order[order.size() - 2]);
  return lang::as_value(trace,
                        trace.record(ir::OpCode::Permute, {x}, ir::PermuteAttr{order}, where));
}

}  // namespace parhelion
