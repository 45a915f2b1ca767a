// SPDX-License-Identifier: Apache-2.0
// The arguments of a call as the launch wants them: values of the size symbols, and the image of
// 8-byte parameter slots.
#pragma once

#include "base/launch.h"

#include <parhelion/tensor.h>

#include <cstdint>
#include <span>
#include <vector>

namespace parhelion::runtime {

/// A run-time number argument; both forms hold the value.
struct ScalarValue {
  bool is_float = false;
  double number = 0;
  std::int64_t integer = 0;
  bool operator==(const ScalarValue&) const = default;
};

/// Values of facts.symbols. PH8503 when a symbol names a tensor, dimension or scalar that the call
/// does not have.
[[nodiscard]] Result<std::vector<std::int64_t>> symbol_values(const LaunchFacts& facts,
                                                              std::span<const TensorView> tensors,
                                                              std::span<const ScalarValue> scalars);

/// One slot a parameter, in order; a value narrower than 8 bytes lies in the low bytes, the rest 0.
struct ParameterImage {
  struct Pointer {
    int slot = 0, tensor = 0;
    std::int64_t offset_bytes = 0;
  };
  std::vector<std::uint64_t> slots;
  std::vector<Pointer> pointers;
  int workspace_slot = -1, scratch_slot = -1;  // -1: the kernel has none
  std::int64_t workspace_bytes = 0, scratch_bytes = 0;

  /// Writes the pointers of `data` (by tensor) into `target`, which holds a copy of the slots.
  void patch(std::uint64_t* target, std::span<void* const> data) const {
    for (const Pointer& p : pointers) {
      target[p.slot] = reinterpret_cast<std::uint64_t>(data[static_cast<std::size_t>(p.tensor)]) +
                       static_cast<std::uint64_t>(p.offset_bytes);
    }
  }
};

/// `programs[i]`: number of programs of phase i.
struct BoundCall {
  ParameterImage image;
  std::vector<std::int64_t> programs;
};

/// PH8503 also for a written tensor that is read-only, and a scalar of the wrong kind.
[[nodiscard]] Result<BoundCall> bind_call(const LaunchFacts& facts,
                                          std::span<const TensorView> tensors,
                                          std::span<const ScalarValue> scalars);

}  // namespace parhelion::runtime
