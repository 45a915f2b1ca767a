// SPDX-License-Identifier: Apache-2.0
#include "passes/tile/neutral_values.h"

#include "base/half.h"
#include "ir/tile/scalar_ops.h"
#include "passes/tile/edit.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace parhelion::passes {

using ir::AxisId;
using ir::ConstAttr;
using ir::OpCode;
using ir::OpId;
using ir::RegionId;
using ir::ValueId;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Any: not reached yet, agrees with everything (loop arguments start here).
struct Pad {
  enum class Kind : std::uint8_t { Any, Known, Unknown };
  Kind kind = Kind::Any;
  ConstAttr value;
};

bool same_number(const ConstAttr& a, const ConstAttr& b) {
  return a.integer == b.integer && std::bit_cast<std::uint64_t>(a.number) ==
                                       std::bit_cast<std::uint64_t>(b.number);
}

Pad meet(const Pad& a, const Pad& b) {
  if (a.kind == Pad::Kind::Any) return b;
  if (b.kind == Pad::Kind::Any) return a;
  const bool same = a.kind == Pad::Kind::Known && b.kind == Pad::Kind::Known &&
                    same_number(a.value, b.value);
  return same ? a : Pad{Pad::Kind::Unknown, {}};
}

Pad known(const ConstAttr& value) { return {Pad::Kind::Known, value}; }
Pad unknown() { return {Pad::Kind::Unknown, {}}; }

/// f(c) of functions whose value a library gives; the interpreter computes the same.
std::optional<double> function_of(OpCode code, double x) {
  switch (code) {
    case OpCode::Exp: return std::exp(x);
    case OpCode::Exp2: return std::exp2(x);
    case OpCode::Log: return std::log(x);
    case OpCode::Log2: return std::log2(x);
    case OpCode::Rsqrt: return 1 / std::sqrt(x);
    case OpCode::Reciprocal: return 1 / x;
    case OpCode::Tanh: return std::tanh(x);
    case OpCode::Erf: return std::erf(x);
    case OpCode::Sigmoid: return 1 / (1 + std::exp(-x));
    default: return std::nullopt;
  }
}

class Analysis {
 public:
  explicit Analysis(const ir::Function& function) : f_(function) {}

  std::map<std::pair<ValueId, AxisId>, Pad> run() {
    // Pads only ever fall from Any to Known to Unknown: this ends.
    do {
      changed_ = false;
      region(f_.body);
    } while (changed_);
    return std::move(pads_);
  }

 private:
  [[nodiscard]] bool ragged(AxisId id) const { return f_.axis(id).kind == ir::AxisKind::Tile; }

  [[nodiscard]] Pad get(ValueId v, AxisId axis) const {
    const auto it = pads_.find({v, axis});
    return it == pads_.end() ? Pad{} : it->second;
  }

  void put(ValueId v, AxisId axis, const Pad& pad) {
    Pad& held = pads_[{v, axis}];
    const Pad next = meet(held, pad);
    if (next.kind != held.kind) changed_ = true;
    held = next;
  }

  /// The number in all lanes of a value, ragged or not.
  [[nodiscard]] Pad uniform(ValueId v) const {
    const OpId by = f_.value(v).defined_by;
    if (!by.valid()) return unknown();
    const ir::Op& op = f_.op(by);
    if (op.code == OpCode::Const) {
      return known(std::get<ConstAttr>(op.payload));
    }
    if (op.code == OpCode::Full || op.code == OpCode::Expand || op.code == OpCode::Cast) {
      const Pad inner = uniform(op.operands[0]);
      if (inner.kind != Pad::Kind::Known) return inner;
      return known(ir::convert_const(inner.value, f_.type(op.operands[0]).dtype,
                                     f_.type(v).dtype));
    }
    return unknown();
  }

  /// What an operand brings to the lanes that are invalid along `axis`.
  [[nodiscard]] Pad along(ValueId v, AxisId axis) const {
    const auto& axes = f_.type(v).axes;
    if (std::ranges::find(axes, axis) != axes.end()) return get(v, axis);
    return uniform(v);
  }

  [[nodiscard]] Pad pointwise(const ir::Op& op, AxisId axis) const {
    std::vector<ConstAttr> values;
    bool any = false;
    for (const ValueId v : op.operands) {
      const Pad pad = along(v, axis);
      if (pad.kind == Pad::Kind::Unknown) return op.code == OpCode::Where ? where(op, axis) : pad;
      any = any || pad.kind == Pad::Kind::Any;
      values.push_back(pad.value);
    }
    if (any) return {};
    const std::size_t typed = op.code == OpCode::Where ? 1 : 0;
    const DType from = f_.type(op.operands[typed]).dtype, to = f_.type(op.results[0]).dtype;
    if (const auto value = ir::evaluate(op.code, values, from, to)) return known(*value);
    const auto number = function_of(op.code, values[0].number);
    return number ? known(ir::make_const(*number, to)) : unknown();
  }

  [[nodiscard]] Pad where(const ir::Op& op, AxisId axis) const {
    const Pad c = along(op.operands[0], axis);
    const Pad a = along(op.operands[1], axis), b = along(op.operands[2], axis);
    if (c.kind == Pad::Kind::Known) return c.value.number != 0 ? a : b;
    return meet(a, b);
  }

  /// The other lanes of the reduction all hold the pad: what do they reduce to?
  [[nodiscard]] Pad reduction(const ir::Op& op, AxisId axis) const {
    const ValueId x = op.operands[0];
    const auto& axes = f_.type(x).axes;
    const auto dim = static_cast<std::size_t>(std::get<ir::ReduceAttr>(op.payload).dim);
    if (std::ranges::count(axes, axis) != 1) return unknown();
    const Pad pad = get(x, axis);
    if (pad.kind != Pad::Kind::Known) return pad;
    const DType from = f_.type(x).dtype, to = f_.type(op.results[0]).dtype;
    const double number = ir::number_of(pad.value, from);
    const auto extent = f_.axis(axes[dim]).kind == ir::AxisKind::Extent
                            ? f_.sizes.value(f_.axis(axes[dim]).extent).value_or(0)
                            : 1;
    switch (op.code) {
      case OpCode::Sum: return number == 0 && !std::signbit(number)
                                   ? known(ir::make_const(0, to)) : unknown();
      case OpCode::Prod: return number == 1 ? known(ir::make_const(1, to)) : unknown();
      case OpCode::Amax:
      case OpCode::Amin: return extent > 0 && !std::isnan(number) ? pad : unknown();
      default: return unknown();
    }
  }

  void plain(const ir::Op& op) {
    const ValueId result = op.results[0];
    for (const AxisId axis : f_.type(result).axes) {
      if (ragged(axis)) put(result, axis, transfer(op, axis));
    }
  }

  [[nodiscard]] Pad transfer(const ir::Op& op, AxisId axis) const {
    switch (ir::row(op.code).group) {
      case ir::OpGroup::Leaf: return op.code == OpCode::Full ? uniform(op.results[0]) : unknown();
      case ir::OpGroup::Memory:
        return known(ir::make_const(access_of(op)->other, f_.type(op.results[0]).dtype));
      case ir::OpGroup::Shape: return along(op.operands[0], axis);
      case ir::OpGroup::Reduce: return reduction(op, axis);
      case ir::OpGroup::Dot:
      case ir::OpGroup::Control: return unknown();
      default: return pointwise(op, axis);
    }
  }

  void pass(ValueId from, ValueId to) {
    for (const AxisId axis : f_.type(to).axes) {
      if (ragged(axis)) put(to, axis, get(from, axis));
    }
  }

  void region(RegionId id) {
    for (const OpId o : f_.region(id).ops) {
      const ir::Op& op = f_.op(o);
      if (op.regions.empty()) {
        if (op.results.size() == 1) plain(op);
        continue;
      }
      control(op);
    }
  }

  void control(const ir::Op& op) {
    const bool loop = op.code == OpCode::For || op.code == OpCode::While;
    const std::size_t first = op.operands.size() - (loop ? op.results.size() : 0);
    for (std::size_t i = 0; loop && i < op.results.size(); ++i) {
      for (const RegionId r : op.regions) {
        pass(op.operands[first + i], f_.region(r).arguments[i]);
      }
      pass(op.operands[first + i], op.results[i]);
    }
    for (const RegionId r : op.regions) {
      region(r);
      const ir::Op& last = f_.op(f_.region(r).ops.back());
      if (last.code != OpCode::Yield) continue;
      for (std::size_t i = 0; i < last.operands.size(); ++i) {
        pass(last.operands[i], op.results[i]);
        for (std::size_t q = 0; loop && q < op.regions.size(); ++q) {
          pass(last.operands[i], f_.region(op.regions[q]).arguments[i]);
        }
      }
    }
  }

  const ir::Function& f_;
  std::map<std::pair<ValueId, AxisId>, Pad> pads_;
  bool changed_ = false;
};

}  // namespace

NeutralValues::NeutralValues(const ir::Function& function) : function_(function) {
  for (const auto& [key, pad] : Analysis(function).run()) {
    if (pad.kind == Pad::Kind::Known) pads_[key] = pad.value;
  }
}

std::optional<ConstAttr> NeutralValues::pad(ValueId value, AxisId axis) const {
  const auto it = pads_.find({value, axis});
  if (it == pads_.end()) return std::nullopt;
  return it->second;
}

ConstAttr neutral_element(OpCode code, DType dtype) {
  switch (code) {
    case OpCode::Prod: return ir::make_const(1, dtype);
    case OpCode::Amax: return ir::make_const(-infinity, dtype);
    case OpCode::Amin: return ir::make_const(infinity, dtype);
    default: return ir::make_const(0, dtype);
  }
}

bool NeutralValues::needs_no_mask(OpId id, std::size_t index) const {
  const ir::Op& op = function_.op(id);
  const auto is_dot = op.code == OpCode::Dot;
  const ir::TileType& type = function_.type(op.operands[index]);
  const auto dim = is_dot ? 1 - index
                          : static_cast<std::size_t>(std::get<ir::ReduceAttr>(op.payload).dim);
  const AxisId axis = type.axes[dim];
  if (function_.axis(axis).kind != ir::AxisKind::Tile) return true;
  if (op.code == OpCode::Mean) return false;  // it divides by the number of valid lanes
  const auto mine = pad(op.operands[index], axis);
  if (!mine) return false;
  const ConstAttr wanted = neutral_element(op.code, type.dtype);
  if (!is_dot) return same_number(*mine, wanted);
  // Zeros on one side do, if the other side's lanes are finite.
  const auto theirs = pad(op.operands[1 - index], axis);
  const auto zero = [](const ConstAttr& c) { return c.number == 0 && c.integer == 0; };
  if (!theirs || !std::isfinite(theirs->number) || !std::isfinite(mine->number)) return false;
  return zero(*mine) || zero(*theirs);
}

}  // namespace parhelion::passes
