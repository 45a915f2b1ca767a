// SPDX-License-Identifier: Apache-2.0
// Axes and tile types. An axis is an identity, never a number; extents of different tensors are
// united by the tracer with a host check, those of one tensor only by an explicit one.
#pragma once

#include "ir/tile/ids.h"

#include <parhelion/dtype.h>

#include <cstdint>
#include <string>
#include <vector>

namespace parhelion::ir {

/// A position of the user's source: an index into Function::files, line and column from 1.
struct Location {
  std::uint32_t file = 0xffffffffu;
  std::uint32_t line = 0, column = 0;
  [[nodiscard]] bool known() const { return line != 0; }
  bool operator==(const Location&) const = default;
};

enum class AxisKind : std::uint8_t {
  Unit,     // one lane, broadcasts
  Tile,     // dimension `dimension` of loop `loop`; ragged at its end
  Extent,   // `extent` lanes, all valid: full slices, arange, constants
  Product,  // reshape: `factors` fused, first is outermost
};

struct Axis {
  AxisKind kind = AxisKind::Unit;
  OpId loop;
  std::uint32_t dimension = 0;
  SizeId extent;  // Extent; for a Tile axis its block size as a size
  std::vector<AxisId> factors;
  std::string name;  // the user's, for display
};

/// The one Unit axis of a function.
inline constexpr AxisId unit_axis{0u};

/// A value: dtype and axes, outermost first. Rank 0 is a scalar of the device.
struct TileType {
  DType dtype = DType::F32;
  std::vector<AxisId> axes;
  [[nodiscard]] int rank() const { return static_cast<int>(axes.size()); }
  bool operator==(const TileType&) const = default;
};

}  // namespace parhelion::ir
