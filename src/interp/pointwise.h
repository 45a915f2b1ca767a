// SPDX-License-Identifier: Apache-2.0
// Pointwise ops lane by lane; operands are broadcast to the shape of the result.
#pragma once

#include "interp/interp.h"
#include "interp/tile.h"

namespace parhelion::interp {

/// Linear index of an operand's lane for each lane of the result.
class Lanes {
 public:
  Lanes(const Shape& result, const Shape& operand);
  [[nodiscard]] std::size_t operator[](std::size_t k) const {
    return table_.empty() ? k * step_ : table_[k];
  }

 private:
  std::size_t step_ = 1;
  std::vector<std::uint32_t> table_;
};

[[nodiscard]] Tile unary(ir::OpCode code, const Tile& a, const FunctionErrors& errors);
/// Binary and Compare groups.
[[nodiscard]] Tile binary(ir::OpCode code, const Tile& a, const Tile& b, Shape shape,
                          DType result, const FunctionErrors& errors);
[[nodiscard]] Tile where(const Tile& condition, const Tile& a, const Tile& b, Shape shape);
[[nodiscard]] Tile fma(const Tile& a, const Tile& b, const Tile& c, Shape shape);
[[nodiscard]] Tile cast(const Tile& a, DType to);
/// The lanes of `a` repeated to `shape`.
[[nodiscard]] Tile expand(const Tile& a, Shape shape);

}  // namespace parhelion::interp
