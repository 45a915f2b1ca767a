// SPDX-License-Identifier: Apache-2.0
// Where values are used and what regions write: what decides if an expression may move to its use.
#pragma once

#include "ir/kernel/module.h"

#include <set>
#include <vector>

namespace parhelion::emit {

/// What an op or a region writes.
struct Writes {
  bool memory = false;
  std::set<ir::kernel::ValueId> cells;  // variables
};

class Usage {
 public:
  explicit Usage(const ir::kernel::Module& module);
  /// By ops that live.
  [[nodiscard]] int count(ir::kernel::ValueId value) const { return counts_[value.index()]; }
  /// Whether the op has an effect or a result that a living op uses.
  [[nodiscard]] bool lives(const ir::kernel::Op& op) const;
  /// The one op that uses the value; invalid unless count is 1.
  [[nodiscard]] ir::kernel::OpId only_user(ir::kernel::ValueId value) const;
  [[nodiscard]] ir::kernel::RegionId region_of(ir::kernel::OpId op) const {
    return regions_[op.index()];
  }
  /// A variable or an array parameter: something that get and set name.
  [[nodiscard]] bool is_cell(ir::kernel::ValueId value) const { return cells_[value.index()]; }
  /// By value: whether a region or one nested in it uses it.
  [[nodiscard]] std::vector<bool> values_in(ir::kernel::RegionId region) const;
  /// Including nested regions.
  [[nodiscard]] Writes writes(const ir::kernel::Op& op) const;

 private:
  void walk(ir::kernel::RegionId region);
  void add_uses(ir::kernel::RegionId region, std::vector<bool>& used) const;
  void add_writes(const ir::kernel::Op& op, Writes& writes) const;

  const ir::kernel::Module& module_;
  std::vector<int> counts_;
  std::vector<ir::kernel::OpId> users_;
  std::vector<ir::kernel::RegionId> regions_;
  std::vector<bool> cells_;
};

}  // namespace parhelion::emit
