// SPDX-License-Identifier: Apache-2.0
// Values as variables, and what operators take: numbers, sizes and scalars become constants.
#include "lang/trace.h"

#include <fmt/format.h>

#include <cmath>

namespace parhelion {

using lang::Trace;

Value::Value() {
  Trace& trace = lang::current("Value", Loc{});
  handle_ = trace.handle(trace.new_variable(false));
}

Value::Value(const Operand& number, int) {
  Trace& trace = lang::current("Value", number.where);
  const lang::VarId v = lang::materialize(trace, number, std::nullopt);
  trace.variables[v].temporary = false;
  handle_ = trace.handle(v);
}

Value::Value(const Value& other) {
  Trace& trace = lang::current(other.handle_, "Value", Loc{});
  const lang::VarId v = trace.new_variable(false);
  trace.write_copy(v, other.handle_.id, Loc{});
  handle_ = trace.handle(v);
}

Value& Value::operator=(const Value& other) & {
  Trace& trace = lang::current(handle_, "=", Loc{});
  (void)trace.variable(other.handle_, Loc{});
  trace.write_copy(handle_.id, other.handle_.id, Loc{});
  return *this;
}

DType Value::dtype() const {
  Trace& trace = lang::current(handle_, "dtype", Loc{});
  return trace.function.type(trace.read(handle_.id, Loc{})).dtype;
}

int Value::rank() const {
  Trace& trace = lang::current(handle_, "rank", Loc{});
  return trace.function.type(trace.read(handle_.id, Loc{})).rank();
}

}  // namespace parhelion

namespace parhelion::lang {

namespace {

VarId constant(Trace& trace, DType dtype, double number, std::int64_t integer, Loc where) {
  ir::ConstAttr attr;
  if (is_integer(dtype)) {
    attr.integer = integer;
  } else {
    attr.number = number;
  }
  return trace.record_typed(ir::OpCode::Const, {}, attr, {dtype, {}}, where);
}

bool integer_fits(std::int64_t v, DType dtype) {
  if (dtype == DType::I64) return true;
  if (dtype == DType::U64) return v >= 0;
  const int bits = 8 * size_bytes(dtype);
  if (is_unsigned_integer(dtype)) return v >= 0 && v < (std::int64_t{1} << bits);
  return v >= -(std::int64_t{1} << (bits - 1)) && v < (std::int64_t{1} << (bits - 1));
}

DType weak_dtype(const Operand& o, std::optional<DType> peer) {
  switch (o.kind) {
    case Operand::Kind::Bool: return peer && *peer != DType::Bool ? *peer : DType::Bool;
    case Operand::Kind::Float: return peer && is_float(*peer) ? *peer : DType::F32;
    case Operand::Kind::Integer:
    case Operand::Kind::Size:
    case Operand::Kind::Scalar:
    case Operand::Kind::Value: break;
  }
  if (o.kind == Operand::Kind::Scalar && o.is_float) {
    return peer && is_float(*peer) ? *peer : DType::F32;
  }
  return peer && *peer != DType::Bool ? *peer : DType::I64;
}

}  // namespace

VarId materialize(Trace& trace, const Operand& o, std::optional<DType> peer) {
  if (o.kind == Operand::Kind::Value) {
    (void)trace.variable(o.handle, o.where);
    return o.handle.id;
  }
  trace.require_device("arithmetic on tiles", o.where);
  const DType dtype = weak_dtype(o, peer);
  if (o.kind == Operand::Kind::Size) {
    const VarId v = trace.record_typed(ir::OpCode::Size, {}, ir::SizeAttr{ir::SizeId(o.handle.id)},
                                       {DType::I64, {}}, o.where);
    return cast_to(trace, v, dtype, o.where);
  }
  if (o.kind == Operand::Kind::Scalar) {
    const DType own = o.is_float ? DType::F64 : DType::I64;
    const VarId v = trace.record_typed(
        ir::OpCode::Scalar, {}, ir::ScalarAttr{ir::ScalarId(o.handle.id)}, {own, {}}, o.where);
    return cast_to(trace, v, dtype, o.where);
  }
  if (o.kind == Operand::Kind::Integer && is_integer(dtype) && !integer_fits(o.integer, dtype)) {
    trace.fail(2106, fmt::format("{} does not fit {}", o.integer, name(dtype)), o.where,
               "cast the tile to a wider type first");
  }
  return constant(trace, dtype, o.number, o.integer, o.where);
}

VarId variable_of(Trace& trace, const Value& value, Loc where) {
  (void)trace.variable(value.handle(), where);
  return value.handle().id;
}

VarId cast_to(Trace& trace, VarId v, DType dtype, Loc where) {
  ir::TileType type = trace.function.type(trace.read(v, where));
  if (type.dtype == dtype) return v;
  type.dtype = dtype;
  return trace.record_typed(ir::OpCode::Cast, {v}, std::monostate{}, type, where);
}

std::string type_text(const ir::Function& f, const ir::TileType& type) {
  std::string text(name(type.dtype));
  text += "[";
  for (std::size_t i = 0; i < type.axes.size(); ++i) {
    if (i > 0) text += ", ";
    const ir::Axis& axis = f.axis(type.axes[i]);
    switch (axis.kind) {
      case ir::AxisKind::Unit: text += "1"; break;
      case ir::AxisKind::Tile:
      case ir::AxisKind::Product: text += axis.name; break;
      case ir::AxisKind::Extent:
        text += ":" +
                f.sizes.text(axis.extent, [&](ir::BlockId b) { return f.blocks[b.index()].name; });
        break;
    }
  }
  return text + "]";
}

}  // namespace parhelion::lang
