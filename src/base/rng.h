// SPDX-License-Identifier: Apache-2.0
// Counter-based random numbers: a value depends on (seed, stream, counter) alone, so that searches
// and tests repeat and resume exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace parhelion {

/// One 64-bit draw of (seed, stream, counter); SplitMix64 finalisers over the three words.
[[nodiscard]] std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream,
                                        std::uint64_t counter);

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) : seed_(seed), stream_(stream) {}
  std::uint64_t bits() { return random_bits(seed_, stream_, counter_++); }
  /// In [0, n), n > 0, without modulo bias.
  std::uint64_t below(std::uint64_t n);
  std::int64_t between(std::int64_t low, std::int64_t high);  // both ends included
  double uniform();                                           // [0, 1)
  double normal();
  bool chance(double probability) { return uniform() < probability; }
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(i)]);
  }

 private:
  std::uint64_t seed_, stream_, counter_ = 0;
};

}  // namespace parhelion
