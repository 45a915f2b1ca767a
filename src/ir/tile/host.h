// SPDX-License-Identifier: Apache-2.0
// The host program of a call: symbols from the arguments, checks, layouts of all tensors.
#pragma once

#include "ir/tile/function.h"

#include <parhelion/tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace parhelion::ir {

/// A tensor argument as the host program sees it; spans look at the caller's arrays.
struct CallTensor {
  DType dtype = DType::F32;
  std::span<const std::int64_t> sizes, strides;
};
[[nodiscard]] CallTensor call_tensor(const TensorView& view);

/// Sizes, strides and offset in elements; the offset is from the base's first element.
struct TensorLayout {
  std::vector<std::int64_t> sizes, strides;
  std::int64_t offset = 0;
  [[nodiscard]] std::int64_t elements() const;
  /// Elements of memory from the first to the last one that the layout reaches; 0 if it is empty.
  [[nodiscard]] std::int64_t span() const;
};

struct HostState {
  std::vector<std::int64_t> symbols;   // by symbol index
  std::vector<TensorLayout> tensors;   // by TensorId
};

/// `tensors`: the tensor parameters in order; `integers`: the scalars by ScalarId (0 for floats).
/// PH6003, PH6012 where the arguments are not those of this trace.
[[nodiscard]] Result<std::vector<std::int64_t>> bind_symbols(
    const Function& function, std::span<const CallTensor> tensors,
    std::span<const std::int64_t> integers);
/// Whether this trace is the one for these sizes.
[[nodiscard]] bool guards_hold(const Function& function, const std::vector<std::int64_t>& symbols);
/// PH4001 at the first check that fails, PH6005 for a negative size.
[[nodiscard]] Result<HostState> evaluate_host(const Function& function,
                                              std::span<const CallTensor> tensors,
                                              std::span<const std::int64_t> integers);

}  // namespace parhelion::ir
