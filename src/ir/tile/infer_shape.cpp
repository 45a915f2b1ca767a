// SPDX-License-Identifier: Apache-2.0
// Shape ops, reductions, dot.
#include "ir/tile/infer_rules.h"

namespace parhelion::ir {

namespace {

Types one(TileType type) { return std::vector<TileType>{std::move(type)}; }

Types unsqueeze(const Inference& in) {
  TileType type = in.operand(0);
  const int dim = in.payload<DimAttr>().dim;
  if (dim < 0 || dim > type.rank()) {
    return in.refuse(2104, fmt::format("unsqueeze of {} at {}", in.show(type), dim),
                     fmt::format("a dimension from 0 to {}", type.rank()));
  }
  type.axes.insert(type.axes.begin() + dim, unit_axis);
  return one(std::move(type));
}

Types squeeze(const Inference& in) {
  TileType type = in.operand(0);
  const int dim = in.payload<DimAttr>().dim;
  if (dim < 0 || dim >= type.rank() || type.axes[static_cast<std::size_t>(dim)] != unit_axis) {
    return in.refuse(2104, fmt::format("squeeze of {} at {}", in.show(type), dim),
                     "only a dimension of one lane can go");
  }
  type.axes.erase(type.axes.begin() + dim);
  return one(std::move(type));
}

Types permute(const Inference& in) {
  const TileType& from = in.operand(0);
  const auto& order = in.payload<PermuteAttr>().order;
  std::vector<bool> used(from.axes.size());
  TileType type{from.dtype, {}};
  for (const int d : order) {
    const auto at = static_cast<std::size_t>(d);
    if (d < 0 || at >= used.size() || used[at]) break;
    used[at] = true;
    type.axes.push_back(from.axes[at]);
  }
  if (type.axes.size() != from.axes.size() || order.size() != from.axes.size()) {
    return in.refuse(2104, fmt::format("permute of {} by {} numbers", in.show(from), order.size()),
                     "name every dimension once");
  }
  return one(std::move(type));
}

Types expand(const Inference& in) {
  const TileType& from = in.operand(0);
  const TileType type{from.dtype, in.payload<ShapeAttr>().axes};
  const auto both = broadcast(in.f, from.axes, type.axes);
  if (!both || *both != type.axes) {
    return in.refuse(2104, fmt::format("expand of {} to {}", in.show(from), in.show(type)),
                     "only unit dimensions grow");
  }
  return one(type);
}

}  // namespace

Types infer_shape(const Inference& in) {
  switch (in.op.code) {
    case OpCode::Unsqueeze: return unsqueeze(in);
    case OpCode::Squeeze: return squeeze(in);
    case OpCode::Permute: return permute(in);
    default: return expand(in);
  }
}

Types infer_reduce(const Inference& in) {
  TileType type = in.operand(0);
  const auto& attr = in.payload<ReduceAttr>();
  if (type.rank() == 0) return in.refuse(2202, fmt::format("{} of a scalar", in.name()));
  if (attr.dim < 0 || attr.dim >= type.rank()) {
    return in.refuse(2201,
                     fmt::format("{}: dimension {} of a value with rank {}", in.name(), attr.dim,
                                 type.rank()),
                     "dimensions count from 0");
  }
  const bool adds = in.op.code == OpCode::Sum || in.op.code == OpCode::Prod;
  if (adds && !is_float(type.dtype)) type.dtype = DType::I64;
  if (in.op.code == OpCode::Mean && !is_float(type.dtype)) type.dtype = DType::F32;
  if (attr.keep) {
    type.axes[static_cast<std::size_t>(attr.dim)] = unit_axis;
  } else {
    type.axes.erase(type.axes.begin() + attr.dim);
  }
  return one(std::move(type));
}

namespace {

DType product_dtype(DType a) {
  if (a == DType::F64) return DType::F64;
  if (is_float(a)) return DType::F32;
  return size_bytes(a) == 1 ? DType::I32 : DType::I64;
}

}  // namespace

Types infer_dot(const Inference& in) {
  const std::size_t n = in.op.operands.size();
  if (n != 2 && n != 3) return in.refuse(2301, "dot takes two matrices and maybe an accumulator");
  const TileType &a = in.operand(0), &b = in.operand(1);
  if (a.rank() != 2 || b.rank() != 2) {
    return in.refuse(2301, fmt::format("dot needs two matrices, got {} and {}", in.show(a),
                                       in.show(b)),
                     "unsqueeze a vector");
  }
  if (a.axes[1] != b.axes[0]) {
    return in.refuse(2302,
                     fmt::format("dot contracts dimension 1 of {} with dimension 0 of {}",
                                 in.show(a), in.show(b)),
                     "ph::transpose(b)?");
  }
  const bool both_float = is_float(a.dtype) && is_float(b.dtype);
  const bool both_integer = is_integer(a.dtype) && is_integer(b.dtype);
  const bool f64_alone = (a.dtype == DType::F64) != (b.dtype == DType::F64);
  if ((!both_float && !both_integer) || f64_alone) {
    return in.refuse(2304, fmt::format("dot of {} and {}", name(a.dtype), name(b.dtype)),
                     "cast one side");
  }
  TileType type{product_dtype(promote(a.dtype, b.dtype)), {a.axes[0], b.axes[1]}};
  if (n == 2) return one(std::move(type));
  const TileType& acc = in.operand(2);
  if (acc.axes != type.axes || is_float(acc.dtype) != both_float) {
    return in.refuse(2303, fmt::format("accumulator is {}, the product is {}", in.show(acc),
                                       in.show(type)),
                     "ph::zeros({tm, tn}, ph::f32)");
  }
  return one(acc);
}

}  // namespace parhelion::ir
