// SPDX-License-Identifier: Apache-2.0
// Facts about one memory site: which dimension of the place each subscript reads, whether it can
// leave the tensor, how wide its accesses may be.
#pragma once

#include "ir/tile/function.h"
#include "ir/tile/specialization.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace parhelion::plan::cuda {

/// A subscript with the tensor dimension that it consumes and where its coordinate comes from.
struct DimensionUse {
  std::size_t dimension = 0;  // of the tensor
  const ir::Subscript* subscript = nullptr;
  std::optional<std::size_t> place_dim;  // Tile, All, Slice
  std::vector<int> value_dims;           // Value: place dimension of each axis of it; -1: Unit
};

[[nodiscard]] const ir::Access& access_of(const ir::Op& op);
[[nodiscard]] std::vector<DimensionUse> dimension_uses(const ir::Function& function,
                                                       const ir::Op& op);

/// Questions that need the block sizes and what is static of the call.
class Facts {
 public:
  Facts(const ir::Function& function, const ir::Specialization& specialization,
        const std::vector<std::int64_t>& blocks)
      : f_(function), spec_(specialization), blocks_(blocks), equal_(function) {}

  /// Value of a size that the code may rely on.
  [[nodiscard]] std::optional<std::int64_t> known(ir::SizeId size) const;
  /// A number that divides the size at every call.
  [[nodiscard]] std::int64_t divisor(ir::SizeId size) const;
  [[nodiscard]] std::int64_t block(ir::BlockId id) const { return blocks_[id.index()]; }
  [[nodiscard]] const ir::LoopDim* loop_dim(ir::AxisId axis) const;  // of a Tile axis
  /// Most elements along the axis: its block, clipped by a known trip; or its known size.
  [[nodiscard]] std::optional<std::int64_t> extent(ir::AxisId axis) const;
  /// The axis fills its block at every trip.
  [[nodiscard]] bool full(ir::AxisId axis) const;
  /// A number that divides the end of the axis' valid part, counted from its first element.
  [[nodiscard]] std::int64_t limit_divisor(ir::AxisId axis) const;

  /// The index is inside of the tensor for every valid lane.
  [[nodiscard]] bool inside(const ir::Access& access, const DimensionUse& use) const;
  [[nodiscard]] bool unit_stride(ir::TensorId tensor, std::size_t dimension) const;
  /// The place dimension along which addresses are consecutive, if any.
  [[nodiscard]] std::optional<std::size_t> contiguous(const ir::Op& op) const;
  /// Elements (a power of two) that may be moved at once along `contiguous`, by alignment alone.
  [[nodiscard]] std::int64_t vector(const ir::Op& op, std::int64_t most_bytes) const;

 private:
  [[nodiscard]] bool same_size(ir::SizeId a, ir::SizeId b) const;
  [[nodiscard]] std::int64_t start_divisor(const DimensionUse& use) const;
  const ir::Function& f_;
  const ir::Specialization& spec_;
  const std::vector<std::int64_t>& blocks_;
  ir::EqualSizes equal_;
};

}  // namespace parhelion::plan::cuda
