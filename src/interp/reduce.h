// SPDX-License-Identifier: Apache-2.0
// Reductions and dot: sums in double, one rounding, and the bound of the judged backend's order.
#pragma once

#include "interp/interp.h"
#include "interp/tile.h"

namespace parhelion::interp {

/// Over the first `valid` lanes of `dim`. `shape` and `result` are those of the result.
[[nodiscard]] Tile reduce(ir::OpCode code, const Tile& a, std::size_t dim, std::int64_t valid,
                          Shape shape, DType result, const Accumulation& accumulation);
/// [m, k] x [k, n] over the first `valid` lanes of k; `acc` may be null.
[[nodiscard]] Tile dot(const Tile& a, const Tile& b, const Tile* acc, std::int64_t valid,
                       DType result, ir::DotPrecision precision,
                       const Accumulation& accumulation);

}  // namespace parhelion::interp
