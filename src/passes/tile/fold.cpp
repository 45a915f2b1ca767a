// SPDX-License-Identifier: Apache-2.0
#include "passes/tile/fold_rules.h"

#include <cmath>

namespace parhelion::passes {

using ir::OpCode;
using ir::OpId;
using ir::ValueId;

bool KnownValue::is(double number) const {
  const double mine = ir::number_of(value, dtype);
  return mine == number && std::signbit(mine) == std::signbit(number);
}

bool KnownValue::is_zero() const { return ir::number_of(value, dtype) == 0; }

Rewritten Folder::run() {
  region(f_.body);
  if (changed_) f_ = compact(f_);
  return {std::move(f_), changed_};
}

void Folder::region(ir::RegionId id) {
  const std::vector<OpId> old = std::move(f_.region(id).ops);
  std::vector<OpId> kept;
  std::vector<OpId>* outer = list_;
  list_ = &kept;
  for (const OpId o : old) visit(o);
  list_ = outer;
  f_.region(id).ops = std::move(kept);
}

void Folder::visit(OpId id) {
  replaced_.apply(f_.op(id).operands);
  if (!f_.op(id).regions.empty()) {
    if (decide(f_.op(id))) return;
    const std::vector<ir::RegionId> regions = f_.op(id).regions;
    for (const ir::RegionId r : regions) region(r);
    list_->push_back(id);
    return;
  }
  if (f_.op(id).results.size() == 1) {
    ir::Op op = f_.op(id);
    const ValueId result = op.results[0];
    const ir::TileType type = f_.type(result);
    if (const auto instead = simplify(op, type)) {
      replaced_.set(result, *instead);
      // A name of the user's stays visible on what takes its place.
      if (f_.value(*instead).name.empty()) f_.value(*instead).name = f_.value(result).name;
      changed_ = true;
      return;
    }
    if (op.operands != f_.op(id).operands) {
      f_.op(id).operands = op.operands;
      changed_ = true;
    }
  }
  list_->push_back(id);
}

/// A branch on a constant, or a loop that runs never.
bool Folder::decide(const ir::Op& op) {
  const std::vector<ValueId> results = op.results;
  if (op.code == OpCode::If) {
    const auto condition = known(op.operands[0]);
    if (!condition) return false;
    inline_region(op.regions[condition->is_zero() ? 1 : 0], results);
    changed_ = true;
    return true;
  }
  if (op.code != OpCode::For) return false;
  for (const ir::LoopDim& dim : std::get<ir::LoopAttr>(op.payload).dims) {
    if (!dim.begin.size.valid() || dim.begin.size != dim.end.size) continue;
    const std::size_t first = op.operands.size() - results.size();
    for (std::size_t i = 0; i < results.size(); ++i) {
      replaced_.set(results[i], op.operands[first + i]);
    }
    changed_ = true;
    return true;
  }
  return false;
}

void Folder::inline_region(ir::RegionId id, const std::vector<ValueId>& results) {
  const std::vector<OpId> ops = f_.region(id).ops;
  for (std::size_t i = 0; i + 1 < ops.size(); ++i) visit(ops[i]);
  std::vector<ValueId> yielded = f_.op(ops.back()).operands;
  replaced_.apply(yielded);
  for (std::size_t i = 0; i < results.size(); ++i) replaced_.set(results[i], yielded[i]);
}

ValueId Folder::emit_as_is(ir::Op op, const ir::TileType& type) {
  op.results.clear();
  const OpId id(f_.ops.size());
  op.results.push_back(f_.add_value(type, {}, id));
  f_.ops.push_back(std::move(op));
  list_->push_back(id);
  return f_.op(id).results[0];
}

ValueId Folder::emit(ir::Op op, const ir::TileType& type) {
  if (const auto simpler = simplify(op, type)) return *simpler;
  return emit_as_is(std::move(op), type);
}

ValueId Folder::constant(const ir::ConstAttr& value, const ir::TileType& type,
                         ir::Location where) {
  ir::Op number;
  number.code = OpCode::Const;
  number.payload = value;
  number.where = where;
  const ValueId scalar = emit_as_is(std::move(number), {type.dtype, {}});
  return as(scalar, type, where);
}

ValueId Folder::as(ValueId v, const ir::TileType& type, ir::Location where) {
  if (f_.type(v) == type) return v;
  ir::Op op;
  op.code = f_.type(v).rank() == 0 ? OpCode::Full : OpCode::Expand;
  op.operands = {v};
  op.payload = ir::ShapeAttr{type.axes};
  op.where = where;
  return emit(std::move(op), type);
}

const ir::Op* Folder::maker(ValueId v, OpCode code) const {
  const OpId by = f_.value(v).defined_by;
  if (!by.valid() || f_.op(by).code != code) return nullptr;
  return &f_.op(by);
}

std::optional<KnownValue> Folder::known(ValueId v) const {
  for (const OpCode spread : {OpCode::Full, OpCode::Expand}) {
    const ir::Op* op = maker(v, spread);
    if (op == nullptr) continue;
    const auto inner = known(op->operands[0]);
    if (!inner || inner->dtype != f_.type(v).dtype) return std::nullopt;
    return inner;
  }
  const ir::Op* op = maker(v, OpCode::Const);
  if (op == nullptr) return std::nullopt;
  return KnownValue{std::get<ir::ConstAttr>(op->payload), f_.type(v).dtype};
}

std::optional<ValueId> Folder::simplify(ir::Op& op, const ir::TileType& type) {
  switch (ir::row(op.code).group) {
    case ir::OpGroup::Leaf:
      if (op.code == OpCode::Full) return full(op, type);
      if (op.code == OpCode::Size) {
        const auto n = f_.sizes.value(std::get<ir::SizeAttr>(op.payload).size);
        if (n) return constant({0, *n}, type, op.where);
      }
      return std::nullopt;
    case ir::OpGroup::Shape: return shape(op, type);
    case ir::OpGroup::Reduce: return reduce(op, type);
    case ir::OpGroup::Memory:
    case ir::OpGroup::Dot:
    case ir::OpGroup::Control: return std::nullopt;
    default: break;
  }
  if (auto folded = constant_operands(op, type)) return folded;
  switch (ir::row(op.code).group) {
    case ir::OpGroup::Unary: return unary(op, type);
    case ir::OpGroup::Cast: return cast(op, type);
    case ir::OpGroup::Binary: return binary(op, type);
    case ir::OpGroup::Select: return op.code == OpCode::Where ? where(op, type) : std::nullopt;
    default: return std::nullopt;
  }
}

Rewritten fold(const ir::Function& function, Numerics numerics) {
  return Folder(function, numerics).run();
}

}  // namespace parhelion::passes
