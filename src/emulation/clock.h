// SPDX-License-Identifier: Apache-2.0
// Vector clocks: for every entity (thread, a thread's copies, mbarrier) how much of it happened
// before. Entries that a clock does not have yet are 0.
#pragma once

#include "emulation/device/abi.h"

#include <algorithm>
#include <vector>

namespace parhelion::emulation {

class Clock {
 public:
  [[nodiscard]] u32 of(u32 entity) const { return entity < entries_.size() ? entries_[entity] : 0; }
  void set(u32 entity, u32 epoch) {
    if (entity >= entries_.size()) entries_.resize(entity + 1, 0);
    entries_[entity] = epoch;
  }
  void tick(u32 entity) { set(entity, of(entity) + 1); }
  void join(const Clock& other) {
    if (other.entries_.size() > entries_.size()) entries_.resize(other.entries_.size(), 0);
    u32* into = entries_.data();
    const u32* from = other.entries_.data();
    for (std::size_t i = 0; i < other.entries_.size(); ++i) into[i] = std::max(into[i], from[i]);
  }
  void clear() { entries_.clear(); }
  [[nodiscard]] bool empty() const { return entries_.empty(); }

 private:
  std::vector<u32> entries_;
};

/// What a release publishes and an acquire takes: what happened before, and the part of it that
/// passed a proxy fence. Without bulk copies the second stays empty and costs nothing.
struct Knowledge {
  Clock happened, fenced;
  void join(const Knowledge& other) {
    happened.join(other.happened);
    if (!other.fenced.empty()) fenced.join(other.fenced);
  }
  void clear() {
    happened.clear();
    fenced.clear();
  }
};

}  // namespace parhelion::emulation
