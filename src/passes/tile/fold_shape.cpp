// SPDX-License-Identifier: Apache-2.0
#include "passes/tile/fold_rules.h"

#include <numeric>

namespace parhelion::passes {

using ir::OpCode;
using ir::ValueId;

/// A number of another dtype is converted by an op of its own, so that backends see one kind.
std::optional<ValueId> Folder::full(const ir::Op& op, const ir::TileType& type) {
  const ValueId x = op.operands[0];
  if (f_.type(x).dtype != type.dtype) {
    ir::Op conversion;
    conversion.code = OpCode::Cast;
    conversion.operands = {x};
    conversion.where = op.where;
    ir::Op spread = op;
    spread.operands = {emit(std::move(conversion), {type.dtype, {}})};
    return emit(std::move(spread), type);
  }
  if (type.axes.empty()) return x;
  return std::nullopt;
}

std::optional<ValueId> Folder::permute(const ir::Op& op, const ir::TileType& type) {
  const auto& order = std::get<ir::PermuteAttr>(op.payload).order;
  std::vector<int> identity(order.size());
  std::iota(identity.begin(), identity.end(), 0);
  if (order == identity) return op.operands[0];
  const ir::Op* first = maker(op.operands[0], OpCode::Permute);
  if (first == nullptr) return std::nullopt;
  const auto& inner = std::get<ir::PermuteAttr>(first->payload).order;
  ir::PermuteAttr both;
  for (const int d : order) both.order.push_back(inner[static_cast<std::size_t>(d)]);
  ir::Op direct = op;
  direct.operands = {first->operands[0]};
  direct.payload = std::move(both);
  return emit(std::move(direct), type);
}

std::optional<ValueId> Folder::shape(const ir::Op& op, const ir::TileType& type) {
  const ValueId x = op.operands[0];
  // Same axes, same lanes: a scalar constant says it all.
  if (const auto c = known(x); c && f_.type(x).rank() > 0) {
    return constant(c->value, type, op.where);
  }
  if (op.code == OpCode::Permute) return permute(op, type);
  if (op.code == OpCode::Expand) {
    if (f_.type(x) == type) return x;
    if (f_.type(x).rank() == 0) return as(x, type, op.where);
    if (const ir::Op* first = maker(x, OpCode::Expand)) {
      return as(first->operands[0], type, op.where);
    }
    return std::nullopt;
  }
  const int dim = std::get<ir::DimAttr>(op.payload).dim;
  const OpCode opposite = op.code == OpCode::Squeeze ? OpCode::Unsqueeze : OpCode::Squeeze;
  const ir::Op* first = maker(x, opposite);
  if (first != nullptr && std::get<ir::DimAttr>(first->payload).dim == dim) {
    return first->operands[0];
  }
  return std::nullopt;
}

/// One lane reduces to itself.
std::optional<ValueId> Folder::reduce(const ir::Op& op, const ir::TileType& type) {
  const ValueId x = op.operands[0];
  const auto& attr = std::get<ir::ReduceAttr>(op.payload);
  if (f_.type(x).axes[static_cast<std::size_t>(attr.dim)] != ir::unit_axis) return std::nullopt;
  if (f_.type(x).dtype != type.dtype) return std::nullopt;
  if (attr.keep) return x;
  ir::Op squeeze;
  squeeze.code = OpCode::Squeeze;
  squeeze.operands = {x};
  squeeze.payload = ir::DimAttr{attr.dim};
  squeeze.where = op.where;
  return emit(std::move(squeeze), type);
}

}  // namespace parhelion::passes
