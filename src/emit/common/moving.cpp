// SPDX-License-Identifier: Apache-2.0
// Names, waiting expressions, pointers that may be const, and broken argument lists.
#include "emit/common/c_family.h"

#include "base/diag.h"

#include <algorithm>

namespace parhelion::emit {

using ir::kernel::Effect;
using ir::kernel::OpId;
using ir::kernel::Space;

Expression CFamily::use(ValueId value) {
  std::erase_if(waiting_, [&](const Waiting& w) { return w.value == value; });
  return bound_.at(value);
}

std::vector<Expression> CFamily::use_all(const Op& op) {
  std::vector<Expression> operands;
  for (const ValueId id : op.operands) operands.push_back(use(id));
  return operands;
}

void CFamily::bind(ValueId value, Expression expression) {
  bound_.insert_or_assign(value, std::move(expression));
}

std::string CFamily::fresh_name(ValueId value, std::string_view hint) {
  const std::string& own = module_.value(value).name;
  return names_.take(own.empty() ? hint : own);
}

namespace {

/// A letter that says what a value without a name is.
std::string_view hint_of(const ir::kernel::Type& type) {
  if (type.pointer != Space::None) return "p";
  if (type.element == DType::Bool) return "c";
  return is_float(type.element) ? "v" : "i";
}

}  // namespace

Expression CFamily::name_it(const Op& op, ValueId value, const Expression& expression) {
  const std::string name = fresh_name(value, hint_of(module_.type(value)));
  line(op, declaration(value, name, true) + " = " + expression.text + ";");
  bind(value, name_of(name));
  return name_of(name);
}

void CFamily::settle(const Writes& writes) {
  const auto changed = [&](const Waiting& waiting) {
    const Expression& expression = bound_.at(waiting.value);
    if (expression.memory && writes.memory) return true;
    return std::ranges::any_of(expression.cells,
                               [&](ValueId cell) { return writes.cells.contains(cell); });
  };
  std::vector<Waiting> conflicts;
  std::ranges::copy_if(waiting_, std::back_inserter(conflicts), changed);
  for (const Waiting& waiting : conflicts) name_it(*waiting.op, waiting.value, use(waiting.value));
}

namespace {

/// The pointer that this one was computed from.
ir::kernel::ValueId root_of(const ir::kernel::Module& module, ir::kernel::ValueId value) {
  using ir::kernel::OpCode;
  for (;;) {
    const OpId by = module.value(value).defined_by;
    if (!by.valid()) return value;
    const ir::kernel::Op& op = module.op(by);
    if (op.code == OpCode::Offset || op.code == OpCode::Bitcast) {
      value = op.operands[0];
      continue;
    }
    if (op.code == OpCode::Select) {
      value = op.operands[1];
      continue;
    }
    if (op.code == OpCode::If) {
      value = module.op(module.region(op.regions[0]).ops.back()).operands[0];
      continue;
    }
    if (op.code != OpCode::For && op.code != OpCode::While) return value;
    // A carried pointer, inside of the loop or after it.
    const std::size_t bounds = op.code == OpCode::For ? 3 : 0;
    const std::size_t index = op.code == OpCode::For ? 1 : 0;
    std::size_t carry = 0;
    const auto result = std::ranges::find(op.results, value);
    if (result != op.results.end()) {
      carry = static_cast<std::size_t>(result - op.results.begin());
    } else {
      for (const ir::kernel::RegionId region : op.regions) {
        const auto& arguments = module.region(region).arguments;
        const auto found = std::ranges::find(arguments, value);
        if (found == arguments.end()) continue;
        carry = static_cast<std::size_t>(found - arguments.begin()) - index;
      }
    }
    value = op.operands[bounds + carry];
  }
}

bool is_pointer(const ir::kernel::Module& module, ir::kernel::ValueId value) {
  return module.type(value).pointer != Space::None;
}

}  // namespace

bool CFamily::read_only(ValueId pointer) const {
  return !stored_through_[root_of(module_, pointer).index()];
}

void CFamily::find_stores() {
  stored_through_.assign(module_.values.size(), false);
  for (std::size_t i = 0; i < module_.launch.parameters.size(); ++i) {
    const LaunchParameter& p = module_.launch.parameters[i];
    const bool writable = p.written || p.kind != LaunchParameter::Kind::Pointer;
    stored_through_[module_.parameter_values[i].index()] = writable;
  }
  bool changed = true;
  const auto mark = [&](ValueId pointer) {
    const ValueId root = root_of(module_, pointer);
    changed = changed || !stored_through_[root.index()];
    stored_through_[root.index()] = true;
  };
  while (changed) {
    changed = false;
    for (const Op& op : module_.ops) {
      const Effect effect = ir::kernel::row(op.code).effect;
      if (op.code == OpCode::Call) {
        const Function* callee = module_.find_function(op.word("callee"));
        for (std::size_t i = 0; i < op.operands.size(); ++i) {
          const bool pointer = is_pointer(module_, op.operands[i]);
          if (pointer && stored_through_[callee->parameters[i].index()]) mark(op.operands[i]);
        }
        continue;
      }
      // Ops that write have their destination first.
      const bool writes = effect == Effect::Write || effect == Effect::Both;
      if (writes && !op.operands.empty() && is_pointer(module_, op.operands[0])) {
        mark(op.operands[0]);
      }
    }
  }
}

std::vector<std::string> CFamily::wrapped(const std::string& head,
                                          const std::vector<std::string>& parts,
                                          const std::string& tail, std::size_t after) const {
  // Continuation lines start below the character after the opening parenthesis.
  const std::string margin(head.size(), ' ');
  std::vector<std::string> lines{head};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool last = i + 1 == parts.size();
    const std::string part = parts[i] + (last ? tail : ",");
    const std::size_t space = lines.back().size() == margin.size() ? 0 : 1;
    const std::size_t reserve = last ? after : 0;
    if (lines.back().size() + space + part.size() + reserve > columns() && i != 0) {
      lines.push_back(margin + part);
    } else {
      lines.back() += (space == 1 ? " " : "") + part;
    }
  }
  if (parts.empty()) lines.back() += tail;
  return lines;
}

}  // namespace parhelion::emit
