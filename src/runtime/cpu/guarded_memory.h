// SPDX-License-Identifier: Apache-2.0
// Memory for a tensor under test: one edge lies on a page that faults, the rest of its pages holds
// a pattern that is checked afterwards.
#pragma once

#include "runtime/cpu/page_region.h"
#include "runtime/edge.h"

#include <cstddef>
#include <optional>
#include <string>

namespace parhelion::runtime::cpu {

class GuardedMemory {
 public:
  GuardedMemory() = default;
  /// data() is a multiple of `alignment` plus `misalign`. At Edge::End the distance to the faulting
  /// page is below `alignment`, and zero where the size allows. Empty when memory is exhausted.
  [[nodiscard]] static GuardedMemory make(std::size_t bytes, Edge edge, std::size_t alignment,
                                          std::size_t misalign = 0);
  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool valid() const { return region_.valid(); }
  /// "byte 3 behind the end was written", or nothing.
  [[nodiscard]] std::optional<std::string> damage() const;

 private:
  PageRegion region_;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace parhelion::runtime::cpu
