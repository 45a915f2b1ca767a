// SPDX-License-Identifier: Apache-2.0
// What the code key knows of a call beyond the trace: strides, alignment, example sizes, which of
// them are static. Compiled code may rely on `static_sizes`, layout facts and full tiles only.
#pragma once

#include "ir/tile/ids.h"

#include <cstdint>
#include <vector>

namespace parhelion::ir {

struct TensorFacts {
  int unit_stride_dim = -1;          // dimension with stride 1, or -1
  std::vector<bool> zero_stride;     // per dimension
  bool pitches_aligned_16 = false;   // every other stride is a multiple of 16 bytes
  int base_alignment = 1;            // 16, or the element's size
  bool operator==(const TensorFacts&) const = default;
};

struct Specialization {
  std::vector<TensorFacts> tensors;         // by TensorId, Views and made tensors included
  std::vector<std::int64_t> symbol_values;  // by symbol index: the example call
  std::vector<bool> symbol_static;          // code may rely on the value
  bool wide_index = false;                  // some offset reaches 2^31 elements
  bool operator==(const Specialization&) const = default;
};

}  // namespace parhelion::ir
