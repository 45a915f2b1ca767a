// SPDX-License-Identifier: Apache-2.0
#include "ir/tile/function.h"

#include "base/diag.h"

#include <algorithm>

namespace parhelion::ir {

std::string_view text(Relation relation) {
  switch (relation) {
    case Relation::Eq: return "==";
    case Relation::Ne: return "!=";
    case Relation::Lt: return "<";
    case Relation::Le: return "<=";
    case Relation::Gt: return ">";
    case Relation::Ge: return ">=";
  }
  return "";
}

bool satisfies(Relation relation, std::int64_t a, std::int64_t b) {
  switch (relation) {
    case Relation::Eq: return a == b;
    case Relation::Ne: return a != b;
    case Relation::Lt: return a < b;
    case Relation::Le: return a <= b;
    case Relation::Gt: return a > b;
    case Relation::Ge: return a >= b;
  }
  return false;
}

Function::Function() {
  axes.emplace_back();
  body = add_region();
}

AxisId Function::add_axis(Axis axis) {
  axes.push_back(std::move(axis));
  return AxisId(axes.size() - 1);
}

AxisId Function::extent_axis(SizeId extent) {
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].kind == AxisKind::Extent && axes[i].extent == extent) return AxisId(i);
  }
  Axis axis;
  axis.kind = AxisKind::Extent;
  axis.extent = extent;
  return add_axis(std::move(axis));
}

ValueId Function::add_value(TileType type, std::string name_, OpId defined_by) {
  values.push_back({std::move(type), std::move(name_), defined_by});
  return ValueId(values.size() - 1);
}

RegionId Function::add_region() {
  regions.emplace_back();
  return RegionId(regions.size() - 1);
}

OpId Function::append(RegionId region_id, Op op, const std::vector<TileType>& types) {
  const OpId id(ops.size());
  for (const TileType& type : types) op.results.push_back(add_value(type, {}, id));
  ops.push_back(std::move(op));
  region(region_id).ops.push_back(id);
  return id;
}

Place Function::place(Location where) const {
  if (!where.known() || where.file >= files.size()) return {};
  return {files[where.file], static_cast<int>(where.line), static_cast<int>(where.column)};
}

std::uint32_t Function::file_index(std::string_view file) {
  const auto it = std::ranges::find(files, file);
  if (it != files.end()) return static_cast<std::uint32_t>(it - files.begin());
  files.emplace_back(file);
  return static_cast<std::uint32_t>(files.size() - 1);
}

}  // namespace parhelion::ir
