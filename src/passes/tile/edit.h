// SPDX-License-Identifier: Apache-2.0
// What the passes share: replacing values while walking in order, throwing away what is unused.
#pragma once

#include "ir/tile/function.h"

#include <vector>

namespace parhelion::passes {

/// Old value -> value that stands for it. A walk in order of dominance sees every entry in time.
class Replacements {
 public:
  [[nodiscard]] ir::ValueId find(ir::ValueId v) const {
    while (v.index() < to_.size() && to_[v.index()].valid()) v = to_[v.index()];
    return v;
  }
  void set(ir::ValueId from, ir::ValueId to) {
    if (from.index() >= to_.size()) to_.resize(from.index() + 1);
    to_[from.index()] = to;
  }
  void apply(std::vector<ir::ValueId>& values) const {
    for (ir::ValueId& v : values) v = find(v);
  }

 private:
  std::vector<ir::ValueId> to_;
};

/// Dense ops, values, regions and sites again, in order of the text; sites keep their order.
[[nodiscard]] ir::Function compact(const ir::Function& function);

/// Tensors that may share memory have one class: every parameter of one dtype, and each
/// allocation by itself. Views belong to their base.
[[nodiscard]] std::uint32_t storage_class(const ir::Function& function, ir::TensorId tensor);

[[nodiscard]] const ir::Access* access_of(const ir::Op& op);
/// Whether the store classes that ops of these regions write include `storage`.
[[nodiscard]] bool stores_to(const ir::Function& function,
                             const std::vector<ir::RegionId>& regions, std::uint32_t storage);

}  // namespace parhelion::passes
