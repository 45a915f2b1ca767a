// SPDX-License-Identifier: Apache-2.0
// Axis rules: broadcast, the dimensions of a place, sizes that checks make equal; promotion.
#include "ir/tile/function.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::ir {

std::optional<std::vector<AxisId>> broadcast(const Function&, const std::vector<AxisId>& a,
                                             const std::vector<AxisId>& b) {
  const std::vector<AxisId>& longer = a.size() >= b.size() ? a : b;
  const std::vector<AxisId>& shorter = a.size() >= b.size() ? b : a;
  std::vector<AxisId> result = longer;
  const std::size_t skip = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    AxisId& axis = result[skip + i];
    if (axis == shorter[i] || shorter[i] == unit_axis) continue;
    if (axis != unit_axis) return std::nullopt;
    axis = shorter[i];
  }
  return result;
}

namespace {

std::string axis_text(const Function& f, AxisId id) {
  const Axis& axis = f.axis(id);
  const auto block_name = [&](BlockId b) { return f.blocks[b.index()].name; };
  switch (axis.kind) {
    case AxisKind::Unit: return "1";
    case AxisKind::Tile: return axis.name.empty() ? fmt::format("t{}", id.value) : axis.name;
    case AxisKind::Extent: return ":" + f.sizes.text(axis.extent, block_name);
    case AxisKind::Product: break;
  }
  std::string text;
  for (const AxisId factor : axis.factors) {
    const std::string one = axis_text(f, factor);
    text = text.empty() ? one : fmt::format("({} * {})", text, one);
  }
  return text;
}

}  // namespace

std::string text(const Function& function, const TileType& type) {
  std::string result(name(type.dtype));
  if (type.axes.empty()) return result;
  std::vector<std::string> dims;
  for (const AxisId axis : type.axes) dims.push_back(axis_text(function, axis));
  return fmt::format("{}[{}]", result, fmt::join(dims, ", "));
}

namespace {

class PlaceMapper {
 public:
  PlaceMapper(const Function& function, const Access& access, const std::vector<ValueId>& operands)
      : f_(function), access_(access), operands_(operands) {}

  PlaceMap run() {
    for (const Subscript& s : access_.subscripts) add(s);
    return std::move(map_);
  }

 private:
  int dimension_of(AxisId axis) const {
    const auto it = std::ranges::find(map_.axes, axis);
    return it == map_.axes.end() ? -1 : static_cast<int>(it - map_.axes.begin());
  }

  int push(AxisId axis, bool by_value) {
    map_.axes.push_back(axis);
    by_value_.push_back(by_value);
    return static_cast<int>(map_.axes.size()) - 1;
  }

  std::vector<int> add_value(const Subscript& s) {
    std::vector<int> dims;
    if (s.operand >= operands_.size()) return dims;
    for (const AxisId axis : f_.type(operands_[s.operand]).axes) {
      if (axis == unit_axis) {
        dims.push_back(-1);
        continue;
      }
      const int have = dimension_of(axis);
      dims.push_back(have >= 0 ? have : push(axis, true));
    }
    return dims;
  }

  void add(const Subscript& s) {
    int dimension = -1;
    std::vector<int> of_value;
    switch (s.kind) {
      case Subscript::Kind::Tile: {
        const int have = dimension_of(s.axis);
        const bool zipped = have >= 0 && by_value_[static_cast<std::size_t>(have)];
        dimension = zipped ? have : push(s.axis, false);
        break;
      }
      case Subscript::Kind::All:
      case Subscript::Kind::Slice: dimension = push(s.axis, false); break;
      case Subscript::Kind::New: dimension = push(unit_axis, false); break;
      case Subscript::Kind::Value: of_value = add_value(s); break;
      case Subscript::Kind::Point: break;
    }
    map_.dimension.push_back(dimension);
    map_.of_value.push_back(std::move(of_value));
  }

  const Function& f_;
  const Access& access_;
  const std::vector<ValueId>& operands_;
  PlaceMap map_;
  std::vector<bool> by_value_;  // the dimension came from an index value
};

}  // namespace

PlaceMap map_place(const Function& function, const Access& access,
                   const std::vector<ValueId>& operands) {
  return PlaceMapper(function, access, operands).run();
}

EqualSizes::EqualSizes(const Function& function) {
  for (const HostOp& op : function.host) {
    if (op.kind == HostOp::Kind::Make || op.relation != Relation::Eq) continue;
    const SizeId a = find(op.left), b = find(op.right);
    if (a != b) parent_[std::max(a, b)] = std::min(a, b);
  }
}

SizeId EqualSizes::find(SizeId id) const {
  for (auto it = parent_.find(id); it != parent_.end(); it = parent_.find(id)) id = it->second;
  return id;
}

namespace {

int integer_bits(DType t) { return t == DType::Bool ? 1 : 8 * size_bytes(t); }

DType signed_of(int bits) {
  if (bits <= 8) return DType::I8;
  if (bits <= 16) return DType::I16;
  return bits <= 32 ? DType::I32 : DType::I64;
}

}  // namespace

DType promote(DType a, DType b) {
  if (a == b) return a;
  if (is_float(a) != is_float(b)) return is_float(a) ? a : b;
  if (is_float(a)) {
    // Two different floats: the wider one; two of one width meet in f32, which holds both.
    const int x = size_bytes(a), y = size_bytes(b);
    if (x == y) return DType::F32;
    return x > y ? a : b;
  }
  if (a == DType::Bool) return b;
  if (b == DType::Bool) return a;
  const int x = integer_bits(a), y = integer_bits(b);
  if (is_signed_integer(a) == is_signed_integer(b)) return x > y ? a : b;
  const DType plain = is_signed_integer(a) ? a : b;
  const int of_signed = is_signed_integer(a) ? x : y, of_unsigned = is_signed_integer(a) ? y : x;
  return of_signed > of_unsigned ? plain : signed_of(std::min(64, 2 * of_unsigned));
}

}  // namespace parhelion::ir
