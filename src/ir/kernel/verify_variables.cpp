// SPDX-License-Identifier: Apache-2.0
// Variables: used as variables only, arrays indexed by what is constant once loops are unrolled (a
// register has no address), and no store through a parameter that the launch calls read-only.
#include "ir/kernel/verify.h"

#include <algorithm>

namespace parhelion::ir::kernel {
namespace {

class VariableRules {
 public:
  VariableRules(const Module& module, Findings& findings) : module_(module), findings_(findings) {
    handles_.assign(module.values.size(), false);
    for (const Op& op : module.ops) {
      if (op.code == OpCode::Var) handles_[op.results[0].index()] = true;
    }
    for (const Function& function : module.functions) {
      for (const ValueId id : function.parameters) {
        if (module.type(id).count != 0) handles_[id.index()] = true;
      }
    }
  }

  void check() {
    for (const Op& op : module_.ops) {
      check_handles(op);
      if (op.code == OpCode::Get || op.code == OpCode::Set) check_access(op);
      const bool stores =
          op.code == OpCode::Store || op.code == OpCode::StoreNt || op.code == OpCode::StoreFirst;
      if (stores) check_store(op);
    }
  }

 private:
  void check_handles(const Op& op) {
    // Ops of CUDA (matrix, exchange) take arrays; a call takes them by reference.
    const bool takes_arrays = op.code == OpCode::Call || row(op.code).targets == Targets::Cuda;
    if (takes_arrays) return;
    const bool access = op.code == OpCode::Get || op.code == OpCode::Set;
    for (std::size_t i = 0; i < op.operands.size(); ++i) {
      if (!handles_[op.operands[i].index()] || (access && i == 0)) continue;
      findings_.report(variable_rule, op, "uses a variable as a value");
    }
  }

  void check_access(const Op& op) {
    const ValueId variable = op.operands[0];
    if (!handles_[variable.index()]) {
      return findings_.report(variable_rule, op, "its first operand is no variable");
    }
    const Type type = module_.type(variable);
    const std::size_t without_index = op.code == OpCode::Get ? 1 : 2;
    const bool indexed = op.operands.size() > without_index;
    if (indexed != (type.count != 0)) {
      return findings_.report(variable_rule, op, "an array needs an index, a scalar has none");
    }
    const ValueId value = op.code == OpCode::Get ? op.results[0] : op.operands[1];
    if (module_.type(value) != element_of(type)) {
      findings_.report(type_rule, op, "the variable holds another type");
    }
    if (indexed) check_index(op, op.operands[without_index], type.count);
  }

  void check_index(const Op& op, ValueId index, std::uint32_t count) {
    if (!constant_when_unrolled(index)) {
      return findings_.report(variable_rule, op, "the index is not constant after unrolling");
    }
    const OpId by = module_.value(index).defined_by;
    if (module_.op(by).code != OpCode::Const) return;
    const std::int64_t value = module_.op(by).integer("value");
    if (value < 0 || value >= static_cast<std::int64_t>(count)) {
      findings_.report(variable_rule, op, "the index is outside of the array");
    }
  }

  bool constant_when_unrolled(ValueId value) const {
    const OpId by = module_.value(value).defined_by;
    if (!by.valid() || !is_integer(module_.type(value).element)) return false;
    const Op& op = module_.op(by);
    switch (op.code) {
      case OpCode::Const:
      case OpCode::Each: return true;
      case OpCode::Add:
      case OpCode::Sub:
      case OpCode::Mul:
      case OpCode::Div:
      case OpCode::Rem:
      case OpCode::And:
      case OpCode::Or:
      case OpCode::Xor:
      case OpCode::Shl:
      case OpCode::Shr:
      case OpCode::Convert:
        return std::ranges::all_of(op.operands,
                                   [&](ValueId id) { return constant_when_unrolled(id); });
      default: return false;
    }
  }

  void check_store(const Op& op) {
    ValueId pointer = op.operands[0];
    while (module_.value(pointer).defined_by.valid()) {
      const Op& by = module_.op(module_.value(pointer).defined_by);
      if (by.code != OpCode::Offset && by.code != OpCode::Bitcast) return;
      pointer = by.operands[0];
    }
    const auto found = std::ranges::find(module_.parameter_values, pointer);
    if (found == module_.parameter_values.end()) return;
    const auto index = static_cast<std::size_t>(found - module_.parameter_values.begin());
    const LaunchParameter& parameter = module_.launch.parameters[index];
    if (parameter.kind == LaunchParameter::Kind::Pointer && !parameter.written) {
      findings_.report(variable_rule, op,
                       "writes through " + parameter.name + ", which is read-only");
    }
  }

  const Module& module_;
  Findings& findings_;
  std::vector<bool> handles_;
};

}  // namespace

void verify_variables(const Module& module, Findings& findings) {
  VariableRules(module, findings).check();
}

}  // namespace parhelion::ir::kernel
