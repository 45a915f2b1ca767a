// SPDX-License-Identifier: Apache-2.0
#include "ir/kernel/verify.h"

#include "base/diag.h"

#include <algorithm>
#include <set>
#include <utility>

namespace parhelion::ir::kernel {

void Findings::report(int code, const std::string& message) {
  found_.push_back(diag(code, message));
}

void Findings::report(int code, const Op& op, const std::string& message) {
  Place where;
  if (op.where.file < module_.files.size()) {
    where = {module_.files[op.where.file], static_cast<int>(op.where.line),
             static_cast<int>(op.where.column)};
  }
  found_.push_back(diag(code, std::string(row(op.code).text) + ": " + message, where));
}

namespace {

bool is_identifier(const std::string& name) {
  const auto word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  return std::ranges::all_of(name, word) && (name.empty() || name[0] < '0' || name[0] > '9');
}

bool has_results_of_carry(OpCode code) { return code == OpCode::For || code == OpCode::While; }

/// Counts, scopes, terminators.
class Structure {
 public:
  Structure(const Module& module, Findings& findings)
      : module_(module), findings_(findings), seen_(module.values.size()) {}

  void check() {
    check_header();
    for (const ValueId id : module_.parameter_values) define(id);
    for (const ValueId id : module_.entry_values) define(id);
    for (const Function& function : module_.functions) {
      const std::vector<bool> outside = seen_;
      for (const ValueId id : function.parameters) define(id);
      check_region(module_.region(function.body), nullptr, 0);
      seen_ = outside;
    }
  }

 private:
  void check_header();
  void check_region(const Region& region, const Op* owner, std::size_t index);
  void check_op(const Op& op);
  void check_counts(const Op& op);
  void check_target(const Op& op);
  void check_terminator(const Region& region, const Op& owner, std::size_t index);
  void check_yield(const Op& end, const std::vector<ValueId>& wanted);
  void define(ValueId id);

  const Module& module_;
  Findings& findings_;
  std::vector<bool> seen_;
  std::vector<bool> defined_ = std::vector<bool>(module_.values.size());
};

void Structure::define(ValueId id) {
  if (id.index() >= module_.values.size()) {
    findings_.report(structure_rule, "a value that does not exist");
    return;
  }
  const std::string& name = module_.value(id).name;
  if (!is_identifier(name)) {
    findings_.report(structure_rule, "the name '" + name + "' is no identifier");
  }
  if (defined_[id.index()]) findings_.report(structure_rule, "%" + name + " is defined twice");
  defined_[id.index()] = true;
  seen_[id.index()] = true;
}

void Structure::check_header() {
  if (module_.parameter_values.size() != module_.launch.parameters.size()) {
    findings_.report(structure_rule, "a launch parameter without a value, or the reverse");
  }
  std::set<std::string> names;
  for (const Function& f : module_.functions) {
    if (!names.insert(f.name).second || f.name.empty() || !is_identifier(f.name)) {
      findings_.report(structure_rule, "the function name '" + f.name + "' is not usable");
    }
    if (f.entry && !f.parameters.empty()) {
      findings_.report(structure_rule, "the entry " + f.name + " has parameters of its own");
    }
  }
  for (const LaunchPhase& phase : module_.launch.phases) {
    const Function* f = module_.find_function(phase.entry);
    if (f == nullptr || !f->entry) {
      findings_.report(structure_rule, "the phase '" + phase.entry + "' names no entry");
    }
  }
}

void Structure::check_region(const Region& region, const Op* owner, std::size_t index) {
  const std::vector<bool> outside = seen_;
  for (const ValueId id : region.arguments) define(id);
  for (const OpId id : region.ops) {
    const Op& op = module_.op(id);
    const bool last = id == region.ops.back();
    const bool ends = op.code == OpCode::Yield || op.code == OpCode::Condition;
    if (ends && (!last || owner == nullptr)) {
      findings_.report(structure_rule, op, "is not at the end of a region");
    }
    check_op(op);
  }
  if (owner != nullptr) check_terminator(region, *owner, index);
  seen_ = outside;
}

void Structure::check_op(const Op& op) {
  bool usable = true;
  for (const ValueId id : op.operands) {
    const bool visible = id.index() < seen_.size() && seen_[id.index()];
    if (!visible) findings_.report(structure_rule, op, "an operand is not defined here");
    usable = usable && visible;
  }
  check_counts(op);
  check_target(op);
  for (std::size_t i = 0; i < op.regions.size(); ++i) {
    check_region(module_.region(op.regions[i]), &op, i);
  }
  for (const ValueId id : op.results) define(id);
  if (usable && findings_.empty()) verify_types(module_, op, findings_);
}

void Structure::check_counts(const Op& op) {
  const OpRow& facts = row(op.code);
  if (facts.operands >= 0 && op.operands.size() != static_cast<std::size_t>(facts.operands)) {
    findings_.report(structure_rule, op, "takes " + std::to_string(facts.operands) + " operands");
  }
  if (facts.regions >= 0 && op.regions.size() != static_cast<std::size_t>(facts.regions)) {
    findings_.report(structure_rule, op, "takes " + std::to_string(facts.regions) + " regions");
  }
  if (op.code == OpCode::For && op.operands.size() < 3) {
    findings_.report(structure_rule, op, "takes begin, end and step");
  }
  const bool branches = op.code == OpCode::Get || op.code == OpCode::Set;
  const std::size_t least = op.code == OpCode::Set ? 2 : 1;
  if (branches && (op.operands.size() < least || op.operands.size() > least + 1)) {
    findings_.report(structure_rule, op, "takes a variable and at most one index");
  }
  if (op.code == OpCode::Var && op.operands.size() > 1) {
    findings_.report(structure_rule, op, "takes one initial value at most");
  }
}

void Structure::check_target(const Op& op) {
  const Targets targets = row(op.code).targets;
  const bool cpu = module_.target.starts_with("cpu");
  if (targets == Targets::Both || (targets == Targets::Cpu) == cpu) return;
  findings_.report(target_rule, op, "is not an op of the target " + module_.target);
}

void Structure::check_terminator(const Region& region, const Op& owner, std::size_t index) {
  const bool condition = owner.code == OpCode::While && index == 0;
  const OpCode wanted = condition ? OpCode::Condition : OpCode::Yield;
  if (region.ops.empty() || module_.op(region.ops.back()).code != wanted) {
    findings_.report(structure_rule, owner,
                     "its region must end in '" + std::string(row(wanted).text) + "'");
    return;
  }
  if (!condition) check_yield(module_.op(region.ops.back()), owner.results);
  const std::size_t index_arguments = owner.code == OpCode::For || owner.code == OpCode::Each;
  const std::size_t carry = has_results_of_carry(owner.code) ? owner.results.size() : 0;
  const bool core =
      has_results_of_carry(owner.code) || owner.code == OpCode::Each || owner.code == OpCode::If;
  if (core && region.arguments.size() != index_arguments + carry) {
    findings_.report(structure_rule, owner, "its region has too many or too few arguments");
  }
  const std::size_t bounds = owner.code == OpCode::For ? 3 : 0;
  if (has_results_of_carry(owner.code) && owner.operands.size() != bounds + carry) {
    findings_.report(structure_rule, owner,
                     "needs one entry and one result for each carried value");
  }
}

void Structure::check_yield(const Op& end, const std::vector<ValueId>& wanted) {
  bool same = end.operands.size() == wanted.size();
  for (std::size_t i = 0; same && i < wanted.size(); ++i) {
    same = module_.type(end.operands[i]) == module_.type(wanted[i]);
  }
  if (!same) findings_.report(structure_rule, end, "does not give what the op's results need");
}

void verify_convergence(const Module& module, Findings& findings) {
  const Uniformity uniformity(module);
  for (std::size_t i = 0; i < module.ops.size(); ++i) {
    const Op& op = module.ops[i];
    if (row(op.code).convergence <= uniformity.around(OpId(i))) continue;
    findings.report(convergence_rule, op,
                    "stands under control flow that its threads do not share");
  }
}

}  // namespace

Diagnostics verify(const Module& module) {
  Findings findings(module);
  Structure(module, findings).check();
  // The later rules walk uses and regions: they need a sound structure.
  if (!findings.empty()) return findings.take();
  verify_variables(module, findings);
  verify_convergence(module, findings);
  return findings.take();
}

}  // namespace parhelion::ir::kernel
