// SPDX-License-Identifier: Apache-2.0
// What the clock of the core really is, and emptying its caches.
#pragma once

#include <cstddef>
#include <vector>

namespace parhelion::runtime::cpu {

/// Clock of the calling core in MHz while it is busy: a chain of additions, one a cycle, against
/// the wall clock, fastest of several pieces of about 2 ms in all. Readings more than 3 % apart
/// mean that the samples between them are not comparable.
[[nodiscard]] double core_clock_mhz();

/// Pushes everything else out of the caches by streaming over memory of its own.
class CacheEvictor {
 public:
  /// Twice the last level is not enough where it is not inclusive (cpu_backend.md 6 uses 2 to 4).
  explicit CacheEvictor(std::size_t last_level_bytes) : words_(last_level_bytes * 2 / 8 + 1) {}
  void evict();

 private:
  std::vector<unsigned long> words_;
};

}  // namespace parhelion::runtime::cpu
