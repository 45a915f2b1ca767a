// SPDX-License-Identifier: Apache-2.0
// Pointwise ops: operands of one dtype (conversions are ops of their own), axes broadcast.
#include "ir/tile/infer_rules.h"

namespace parhelion::ir {

namespace {

/// Two dimensions of one tensor stay two axes even when their sizes happen to agree.
std::optional<std::string> one_tensor_twice(const Function& f, AxisId a, AxisId b) {
  const Axis &x = f.axis(a), &y = f.axis(b);
  if (x.kind != AxisKind::Extent || y.kind != AxisKind::Extent) return std::nullopt;
  const auto i = f.sizes.symbol_index(x.extent), j = f.sizes.symbol_index(y.extent);
  if (!i || !j) return std::nullopt;
  const SizeSymbol &s = f.sizes.symbols()[*i], &t = f.sizes.symbols()[*j];
  if (s.kind != SizeSymbol::Kind::Size || t.kind != SizeSymbol::Kind::Size) return std::nullopt;
  if (s.tensor != t.tensor) return std::nullopt;
  return fmt::format("dimensions {} and {} of '{}' are different axes even if equal now",
                     s.dimension, t.dimension, f.tensor(s.tensor).name);
}

std::string axis_name(const Inference& in, AxisId axis) {
  const std::string bracketed = in.show(TileType{DType::Bool, {axis}});  // bool[name]
  return bracketed.substr(5, bracketed.size() - 6);
}

std::unexpected<Diagnostics> clash(const Inference& in, const TileType& a, const TileType& b) {
  std::size_t i = 1;
  const auto at = [&](const TileType& t) { return t.axes[t.axes.size() - i]; };
  while (at(a) == at(b) || at(a) == unit_axis || at(b) == unit_axis) ++i;
  if (auto same = one_tensor_twice(in.f, at(a), at(b))) {
    return in.refuse(2105, std::move(*same), "ph::check that the two sizes are equal");
  }
  return in.refuse(2101,
                   fmt::format("{}: axis '{}' of {} meets axis '{}' of {}", in.name(),
                               axis_name(in, at(a)), in.show(a), axis_name(in, at(b)), in.show(b)),
                   "keep_dim, ph::unsqueeze, or ph::check(a == b)");
}

bool float_only(OpCode code) {
  switch (code) {
    case OpCode::Exp:
    case OpCode::Exp2:
    case OpCode::Log:
    case OpCode::Log2:
    case OpCode::Sqrt:
    case OpCode::Rsqrt:
    case OpCode::Reciprocal:
    case OpCode::Tanh:
    case OpCode::Erf:
    case OpCode::Sigmoid:
    case OpCode::Div: return true;
    default: return false;
  }
}

bool bitwise(OpCode code) {
  return code == OpCode::And || code == OpCode::Or || code == OpCode::Xor || code == OpCode::Not;
}

bool accepts(OpCode code, DType dtype) {
  if (float_only(code)) return is_float(dtype);
  if (bitwise(code)) return !is_float(dtype);
  if (row(code).group == OpGroup::Unary) return dtype != DType::Bool;
  return true;
}

}  // namespace

Types infer_pointwise(const Inference& in) {
  const std::size_t first = in.op.code == OpCode::Where ? 1 : 0;
  if (first == 1 && in.operand(0).dtype != DType::Bool) {
    return in.refuse(2110, fmt::format("the condition of where is {}", in.show(std::size_t{0})),
                     "compare, or cast to bool");
  }
  TileType result = in.operand(first);
  if (!accepts(in.op.code, result.dtype)) {
    return in.refuse(2110, fmt::format("{} of {}", in.name(), in.show(result)),
                     "cast first: conversions are ops of their own");
  }
  for (std::size_t i = first + 1; i < in.op.operands.size(); ++i) {
    if (in.operand(i).dtype != result.dtype) {
      return in.refuse(2110, fmt::format("{} of {} and {}", in.name(), in.show(first), in.show(i)),
                       "cast one side: conversions are ops of their own");
    }
  }
  for (std::size_t i = 0; i < in.op.operands.size(); ++i) {
    auto both = broadcast(in.f, result.axes, in.operand(i).axes);
    if (!both) return clash(in, result, in.operand(i));
    result.axes = std::move(*both);
  }
  if (row(in.op.code).group == OpGroup::Compare) result.dtype = DType::Bool;
  return std::vector<TileType>{result};
}

}  // namespace parhelion::ir
