// SPDX-License-Identifier: Apache-2.0
// Points as rows of small bins, which is all that the forest reads.
#pragma once

#include "config/search_space.h"

#include <cstdint>
#include <vector>

namespace parhelion::search {

inline constexpr int bin_count = 64;  // a set of bins is one 64-bit word

/// Bin 0 says "inactive": trees can give it a branch of its own.
using Row = std::vector<std::uint8_t>;

class Encoder {
 public:
  explicit Encoder(const config::SearchSpace& space);
  [[nodiscard]] Row encode(const config::Point& point) const;
  /// By column: bins are in an order, so that splits are thresholds.
  [[nodiscard]] const std::vector<bool>& ordered() const { return ordered_; }
  [[nodiscard]] std::size_t columns() const { return ordered_.size(); }

 private:
  const config::SearchSpace& space_;
  std::vector<bool> ordered_;
};

}  // namespace parhelion::search
