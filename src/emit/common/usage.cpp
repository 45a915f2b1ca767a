// SPDX-License-Identifier: Apache-2.0
#include "emit/common/usage.h"

#include <algorithm>
#include <ranges>

namespace parhelion::emit {

using ir::kernel::Effect;
using ir::kernel::Op;
using ir::kernel::OpCode;
using ir::kernel::OpId;
using ir::kernel::RegionId;
using ir::kernel::ValueId;

Usage::Usage(const ir::kernel::Module& module)
    : module_(module),
      counts_(module.values.size()),
      users_(module.values.size()),
      regions_(module.ops.size()),
      cells_(module.values.size()) {
  for (const ir::kernel::Function& function : module.functions) {
    for (const ValueId id : function.parameters) {
      cells_[id.index()] = module.type(id).count != 0;
    }
    walk(function.body);
  }
}

/// Backwards, so that an op is seen after its users: what only dead ops use is dead itself.
void Usage::walk(RegionId region) {
  for (const OpId id : module_.region(region).ops | std::views::reverse) {
    const Op& op = module_.op(id);
    regions_[id.index()] = region;
    if (op.code == OpCode::Var) cells_[op.results[0].index()] = true;
    for (const RegionId nested : op.regions) walk(nested);
    if (!lives(op)) continue;
    for (const ValueId operand : op.operands) {
      ++counts_[operand.index()];
      users_[operand.index()] = id;
    }
  }
}

bool Usage::lives(const Op& op) const {
  const Effect effect = ir::kernel::row(op.code).effect;
  if (op.results.empty() || !op.regions.empty()) return true;
  if (effect == Effect::Write || effect == Effect::Both) return true;
  return std::ranges::any_of(op.results, [&](ValueId result) { return count(result) != 0; });
}

OpId Usage::only_user(ValueId value) const {
  return count(value) == 1 ? users_[value.index()] : OpId{};
}

std::vector<bool> Usage::values_in(RegionId region) const {
  std::vector<bool> used(module_.values.size());
  add_uses(region, used);
  return used;
}

void Usage::add_uses(RegionId region, std::vector<bool>& used) const {
  for (const OpId id : module_.region(region).ops) {
    if (!lives(module_.op(id))) continue;
    for (const ValueId operand : module_.op(id).operands) used[operand.index()] = true;
    for (const RegionId nested : module_.op(id).regions) add_uses(nested, used);
  }
}

Writes Usage::writes(const Op& op) const {
  Writes result;
  add_writes(op, result);
  return result;
}

void Usage::add_writes(const Op& op, Writes& writes) const {
  const Effect effect = ir::kernel::row(op.code).effect;
  if (op.code == OpCode::Set) {
    writes.cells.insert(op.operands[0]);
  } else if (effect == Effect::Write || effect == Effect::Both) {
    writes.memory = true;
    for (const ValueId operand : op.operands) {
      if (is_cell(operand)) writes.cells.insert(operand);
    }
  }
  for (const RegionId region : op.regions) {
    for (const OpId id : module_.region(region).ops) add_writes(module_.op(id), writes);
  }
}

}  // namespace parhelion::emit
