// SPDX-License-Identifier: Apache-2.0
// The verifier's parts: structure and scopes, types, variables and arrays, convergence.
#pragma once

#include "ir/kernel/module.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace parhelion::ir::kernel {

inline constexpr int structure_rule = 5902, type_rule = 5903, target_rule = 5904,
                     variable_rule = 5905, convergence_rule = 5906;

class Findings {
 public:
  explicit Findings(const Module& module) : module_(module) {}
  void report(int code, const std::string& message);
  void report(int code, const Op& op, const std::string& message);
  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] Diagnostics take() { return std::move(found_); }

 private:
  const Module& module_;
  Diagnostics found_;
};

/// Types of operands and results of one op whose counts are right.
void verify_types(const Module& module, const Op& op, Findings& findings);
/// Handles of variables, array indices, stores through parameters.
void verify_variables(const Module& module, Findings& findings);

/// Across which threads a value or the control flow is known to be the same.
class Uniformity {
 public:
  explicit Uniformity(const Module& module);
  [[nodiscard]] Convergence of(ValueId value) const { return values_[value.index()]; }
  /// Of the control flow around an op.
  [[nodiscard]] Convergence around(OpId op) const { return ops_[op.index()]; }

 private:
  bool sweep();
  void walk(const Region& region, Convergence control);
  void visit(OpId id, Convergence control);
  Convergence loop_control(const Op& op, Convergence control) const;
  void lower(ValueId value, Convergence level);
  void lower_carry(const Op& op, const Region& region, std::size_t first_argument,
                   std::size_t first_operand, Convergence control);

  void lower_while(const Op& op, Convergence inner);
  void lower_call(const Op& op, Convergence control);

  const Module& module_;
  std::vector<Convergence> values_, ops_;
  std::unordered_map<std::string, Convergence> functions_;  // at their call sites
  bool changed_ = false;
};

}  // namespace parhelion::ir::kernel
