// SPDX-License-Identifier: Apache-2.0
// Loads and stores: the place is what its subscripts say, stores fit it.
#include "ir/tile/infer_rules.h"

#include <algorithm>

namespace parhelion::ir {

namespace {

bool fits_place(const Inference& in, const TileType& type, const std::vector<AxisId>& axes) {
  const auto both = broadcast(in.f, type.axes, axes);
  return both && *both == axes;
}

Result<void> check_subscripts(const Inference& in, const Access& access) {
  const Tensor& tensor = in.f.tensor(access.tensor);
  const auto consumed = std::ranges::count_if(
      access.subscripts, [](const Subscript& s) { return s.kind != Subscript::Kind::New; });
  if (static_cast<std::size_t>(consumed) != tensor.sizes.size()) {
    return in.refuse(2001,
                     fmt::format("'{}' has rank {}, the subscript has {}", tensor.name,
                                 tensor.sizes.size(), consumed),
                     "write ph::all for a whole dimension");
  }
  for (const Subscript& s : access.subscripts) {
    if (s.kind != Subscript::Kind::Value) continue;
    PH_ASSERT(s.operand < in.op.operands.size(), "index operand of an access");
    const TileType& type = in.operand(s.operand);
    if (!is_integer(type.dtype)) {
      return in.refuse(2004, fmt::format("an index must be an integer, this is {}", in.show(type)),
                       "condition: ph::load(x[...], {.mask = c})");
    }
  }
  return {};
}

Result<void> check_mask(const Inference& in, const Access& access,
                        const std::vector<AxisId>& axes) {
  if (!access.masked) return {};
  const TileType& mask = in.f.type(in.op.operands.back());
  if (mask.dtype == DType::Bool && fits_place(in, mask, axes)) return {};
  return in.refuse(2102,
                   fmt::format("the mask of {} is {}",
                               in.show(TileType{in.f.tensor(access.tensor).dtype, axes}),
                               in.show(mask)),
                   "a mask is bool and broadcasts to the place");
}

Types store(const Inference& in, const TileType& place) {
  const TileType& value = in.operand(0);
  if (!fits_place(in, value, place.axes)) {
    return in.refuse(2102,
                     fmt::format("store of {} to a place of {}", in.show(value), in.show(place)),
                     "reduce, or subscript with the missing axis too");
  }
  if (value.dtype != place.dtype) {
    return in.refuse(2103,
                     fmt::format("store converts {} to {}", name(value.dtype), name(place.dtype)),
                     "say ph::cast, ph::floor or ph::ceil");
  }
  return std::vector<TileType>{};
}

}  // namespace

Types infer_access(const Inference& in) {
  const auto& access = in.payload<Access>();
  if (auto ok = check_subscripts(in, access); !ok) return std::unexpected(ok.error());
  const TileType place{in.f.tensor(access.tensor).dtype,
                       map_place(in.f, access, in.op.operands).axes};
  if (auto ok = check_mask(in, access, place.axes); !ok) return std::unexpected(ok.error());
  if (in.op.code == OpCode::Store) return store(in, place);
  return std::vector<TileType>{place};
}

}  // namespace parhelion::ir
