// SPDX-License-Identifier: Apache-2.0
// Type rules of leaves and control; the other groups have a file each.
#include "ir/tile/infer_rules.h"

namespace parhelion::ir {

namespace {

bool fits(std::int64_t v, DType dtype) {
  if (dtype == DType::Bool) return v == 0 || v == 1;
  if (dtype == DType::I64) return true;
  if (dtype == DType::U64) return v >= 0;
  const int bits = 8 * size_bytes(dtype);
  if (is_unsigned_integer(dtype)) return v >= 0 && v < (std::int64_t{1} << bits);
  return v >= -(std::int64_t{1} << (bits - 1)) && v < (std::int64_t{1} << (bits - 1));
}

/// The type that the op carries already: dtypes of constants and casts are written, not inferred.
const TileType& written(const Inference& in) {
  PH_ASSERT(!in.op.results.empty(), fmt::format("'{}' has no written type", in.name()));
  return in.f.type(in.op.results[0]);
}

Types infer_const(const Inference& in) {
  const TileType& type = written(in);
  if (type.rank() != 0) return in.refuse(2110, "a constant has no axes", "use full");
  const auto& attr = in.payload<ConstAttr>();
  if (is_integer(type.dtype) && !fits(attr.integer, type.dtype)) {
    return in.refuse(2106, fmt::format("{} does not fit {}", attr.integer, name(type.dtype)),
                     "use a wider type");
  }
  return std::vector<TileType>{type};
}

Types infer_full(const Inference& in) {
  if (in.operand(0).rank() != 0) {
    return in.refuse(2110, fmt::format("full of {}, it needs one number", in.show(0)),
                     "use expand");
  }
  // A written dtype converts the number, as a cast would; canonicalisation spells the cast out.
  const DType dtype =
      in.op.results.empty() ? in.operand(0).dtype : in.f.type(in.op.results[0]).dtype;
  return std::vector<TileType>{{dtype, in.payload<ShapeAttr>().axes}};
}

Types infer_arange(const Inference& in) {
  const auto& axes = in.payload<ShapeAttr>().axes;
  if (axes.size() != 1 || in.f.axis(axes[0]).kind != AxisKind::Extent) {
    return in.refuse(2110, "arange has one axis of a fixed extent", "for a tile use index");
  }
  return std::vector<TileType>{{DType::I64, axes}};
}

Types infer_axis_op(const Inference& in) {
  const AxisId axis = in.payload<AxisAttr>().axis;
  if (in.f.axis(axis).kind != AxisKind::Tile) {
    return in.refuse(2110, fmt::format("{} of an axis that is no tile", in.name()),
                     "name the axis of a loop");
  }
  TileType type{DType::I64, {}};
  if (in.op.code == OpCode::Index) type.axes.push_back(axis);
  return std::vector<TileType>{type};
}

}  // namespace

Types infer_leaf(const Inference& in) {
  switch (in.op.code) {
    case OpCode::Const: return infer_const(in);
    case OpCode::Size: return std::vector<TileType>{{DType::I64, {}}};
    case OpCode::Scalar: {
      const ScalarParameter& s = in.f.scalars[in.payload<ScalarAttr>().scalar.index()];
      return std::vector<TileType>{{s.is_float ? DType::F64 : DType::I64, {}}};
    }
    case OpCode::Full: return infer_full(in);
    case OpCode::Arange: return infer_arange(in);
    default: return infer_axis_op(in);
  }
}

namespace {

std::vector<TileType> types_of(const Function& f, std::span<const ValueId> values) {
  std::vector<TileType> types;
  for (const ValueId v : values) types.push_back(f.type(v));
  return types;
}

/// What a closed region yields; nullopt while it is still open.
std::optional<std::vector<TileType>> yields(const Function& f, RegionId region) {
  if (f.region(region).ops.empty()) return std::nullopt;
  const Op& last = f.op(f.region(region).ops.back());
  if (last.code != OpCode::Yield) return std::nullopt;
  return types_of(f, last.operands);
}

std::unexpected<Diagnostics> differ(const Inference& in, int code, std::string_view text,
                                    const std::vector<TileType>& a,
                                    const std::vector<TileType>& b, std::string help) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] == b[i]) continue;
    return in.refuse(code, fmt::format(fmt::runtime(text), in.show(a[i]), in.show(b[i])), help);
  }
  return in.refuse(code, fmt::format("{} values and {} values", a.size(), b.size()), help);
}

Types carried(const Inference& in, std::size_t first, RegionId body) {
  auto entry = types_of(in.f, std::span(in.op.operands).subspan(first));
  const auto leave = yields(in.f, body);
  if (leave && *leave != entry) {
    return differ(in, 3003, "a carried value enters the loop as {} and leaves as {}", entry, *leave,
                  "start with the wider type or shape, or cast at the end");
  }
  return entry;
}

Types infer_loop(const Inference& in) {
  const auto& attr = in.payload<LoopAttr>();
  std::size_t bounds = 0;
  for (const LoopDim& dim : attr.dims) {
    for (const Bound& b : {dim.begin, dim.end}) {
      if (b.operand < 0) continue;
      ++bounds;
      const TileType& type = in.operand(static_cast<std::size_t>(b.operand));
      if (type.rank() != 0 || !is_integer(type.dtype)) {
        return in.refuse(1206, fmt::format("loop bound is {}, not one integer", in.show(type)),
                         "reduce it: ph::amax(lengths, 0)");
      }
    }
  }
  if (in.op.regions.empty()) return types_of(in.f, std::span(in.op.operands).subspan(bounds));
  return carried(in, bounds, in.op.regions[0]);
}

Types require_condition(const Inference& in) {
  const TileType& type = in.operand(0);
  if (type.rank() != 0 || type.dtype != DType::Bool) {
    return in.refuse(3201, fmt::format("'{}' needs one condition, this is {}", in.name(),
                                       in.show(type)),
                     "ph::where chooses per element");
  }
  return std::vector<TileType>{};
}

Types infer_if(const Inference& in) {
  if (auto checked = require_condition(in); !checked) return checked;
  if (in.op.regions.size() != 2) return std::vector<TileType>{};
  const auto a = yields(in.f, in.op.regions[0]), b = yields(in.f, in.op.regions[1]);
  if (!a || !b) return std::vector<TileType>{};
  if (*a != *b) {
    return differ(in, 3004, "the branches leave a value as {} and {}", *a, *b,
                  "cast in one branch");
  }
  return *a;
}

}  // namespace

Types infer_control(const Inference& in) {
  switch (in.op.code) {
    case OpCode::Grid:
    case OpCode::For: return infer_loop(in);
    case OpCode::While:
      if (in.op.regions.size() < 2) return types_of(in.f, in.op.operands);
      return carried(in, 0, in.op.regions[1]);
    case OpCode::If: return infer_if(in);
    case OpCode::Condition: return require_condition(in);
    default: return std::vector<TileType>{};
  }
}

Types infer(const Function& function, const Op& op) {
  const Inference in{function, op};
  const OpRow& r = row(op.code);
  if (r.operands >= 0 && static_cast<std::size_t>(r.operands) != op.operands.size()) {
    return in.refuse(2110, fmt::format("'{}' takes {} operand{}, here are {}", r.text, r.operands,
                                       r.operands == 1 ? "" : "s", op.operands.size()),
                     "give each operand");
  }
  switch (r.group) {
    case OpGroup::Leaf: return infer_leaf(in);
    case OpGroup::Memory: return infer_access(in);
    case OpGroup::Unary:
    case OpGroup::Binary:
    case OpGroup::Compare:
    case OpGroup::Select: return infer_pointwise(in);
    case OpGroup::Cast:
      return std::vector<TileType>{{written(in).dtype, in.operand(0).axes}};
    case OpGroup::Shape: return infer_shape(in);
    case OpGroup::Reduce: return infer_reduce(in);
    case OpGroup::Dot: return infer_dot(in);
    case OpGroup::Control: return infer_control(in);
  }
  return std::vector<TileType>{};
}

}  // namespace parhelion::ir
