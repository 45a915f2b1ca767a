// SPDX-License-Identifier: Apache-2.0
// What invalid lanes hold. A consumer that finds its neutral element there needs no mask; one that
// does not puts one select in front of itself, never at the producer.
#pragma once

#include "ir/tile/function.h"

#include <map>
#include <optional>

namespace parhelion::passes {

/// For each value and each tile axis of it: the number in every lane that is out of range along
/// that axis, or nothing where that is not proven.
class NeutralValues {
 public:
  explicit NeutralValues(const ir::Function& function);

  [[nodiscard]] std::optional<ir::ConstAttr> pad(ir::ValueId value, ir::AxisId axis) const;
  /// Whether operand `index` of a reduction or dot may be used without a mask along the axis that
  /// it contracts. True where that axis has no invalid lanes.
  [[nodiscard]] bool needs_no_mask(ir::OpId op, std::size_t index = 0) const;

 private:
  const ir::Function& function_;
  std::map<std::pair<ir::ValueId, ir::AxisId>, ir::ConstAttr> pads_;
};

/// The neutral element of a reduction or of dot, as its operand's dtype holds it.
[[nodiscard]] ir::ConstAttr neutral_element(ir::OpCode code, DType dtype);

}  // namespace parhelion::passes
