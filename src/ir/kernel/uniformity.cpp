// SPDX-License-Identifier: Apache-2.0
// Which threads agree on a value. Starts from "all agree" and lowers until nothing changes, so that
// values carried by loops come out right.
#include "ir/kernel/verify.h"

#include <algorithm>

namespace parhelion::ir::kernel {
namespace {

struct Source {
  std::string_view op;
  Convergence level;
};

/// Ops whose results differ between threads whatever their operands are, or are made equal.
constexpr Source sources[] = {
    {"thread", Convergence::Thread},       {"lane_id", Convergence::Thread},
    {"elect", Convergence::Thread},        {"warp_id", Convergence::Warp},
    {"warp", Convergence::Warp},           {"uniform", Convergence::Warp},
    {"vote", Convergence::Warp},           {"redux", Convergence::Warp},
    {"block_uniform", Convergence::Block}, {"warpgroup", Convergence::Warpgroup},
    {"program", Convergence::Block},       {"block_uniform", Convergence::Block},
};

const Source* source_of(const Op& op) {
  const auto found = std::ranges::find(sources, row(op.code).text, &Source::op);
  return found == std::end(sources) ? nullptr : found;
}

}  // namespace

Uniformity::Uniformity(const Module& module)
    : module_(module),
      values_(module.values.size(), Convergence::Cluster),
      ops_(module.ops.size(), Convergence::Cluster) {
  while (sweep()) {
  }
}

bool Uniformity::sweep() {
  changed_ = false;
  for (const Function& function : module_.functions) {
    const auto known = functions_.find(function.name);
    const Convergence control = known == functions_.end() ? Convergence::Cluster : known->second;
    walk(module_.region(function.body), control);
  }
  return changed_;
}

void Uniformity::walk(const Region& region, Convergence control) {
  for (const OpId id : region.ops) visit(id, control);
}

void Uniformity::lower(ValueId value, Convergence level) {
  Convergence& known = values_[value.index()];
  if (level >= known) return;
  known = level;
  changed_ = true;
}

Convergence Uniformity::loop_control(const Op& op, Convergence control) const {
  if (op.code == OpCode::If) return std::min(control, of(op.operands[0]));
  if (op.code == OpCode::For) {
    for (std::size_t i = 0; i < 3; ++i) control = std::min(control, of(op.operands[i]));
  }
  if (op.code == OpCode::While) {
    const Op& condition = module_.op(module_.region(op.regions[0]).ops.back());
    control = std::min(control, of(condition.operands[0]));
  }
  return control;
}

/// A carried value agrees where its entry, what the body yields and the trip count agree.
void Uniformity::lower_carry(const Op& op, const Region& region, std::size_t first_argument,
                             std::size_t first_operand, Convergence control) {
  const Op& end = module_.op(region.ops.back());
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    Convergence level = of(op.operands[first_operand + i]);
    if (end.code == OpCode::Yield) level = std::min(level, of(end.operands[i]));
    lower(op.results[i], std::min(level, control));
    if (!region.arguments.empty()) lower(region.arguments[first_argument + i], level);
  }
}

void Uniformity::lower_while(const Op& op, Convergence inner) {
  for (const RegionId region : op.regions) lower_carry(op, module_.region(region), 0, 0, inner);
  const Region& test = module_.region(op.regions[0]);
  const Region& body = module_.region(op.regions[1]);
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    lower(test.arguments[i], of(body.arguments[i]));
  }
}

/// A function is as uniform as its least uniform call; arrays come back as it leaves them.
void Uniformity::lower_call(const Op& op, Convergence control) {
  const Function* callee = module_.find_function(op.word("callee"));
  if (callee == nullptr) return;
  Convergence& known = functions_.try_emplace(callee->name, Convergence::Cluster).first->second;
  changed_ = changed_ || control < known;
  known = std::min(known, control);
  for (std::size_t i = 0; i < op.operands.size(); ++i) {
    lower(callee->parameters[i], of(op.operands[i]));
    const bool array = module_.type(op.operands[i]).count != 0;
    if (array) lower(op.operands[i], std::min(control, of(callee->parameters[i])));
  }
}

void Uniformity::visit(OpId id, Convergence control) {
  const Op& op = module_.op(id);
  if (control < ops_[id.index()]) {
    ops_[id.index()] = control;
    changed_ = true;
  }
  const Convergence inner = loop_control(op, control);
  for (const RegionId region : op.regions) walk(module_.region(region), inner);
  if (op.code == OpCode::For) {
    const Region& body = module_.region(op.regions[0]);
    for (std::size_t i = 0; i < 3; ++i) lower(body.arguments[0], of(op.operands[i]));
    return lower_carry(op, body, 1, 3, inner);
  }
  if (op.code == OpCode::While) return lower_while(op, inner);
  if (op.code == OpCode::Call) return lower_call(op, control);
  Convergence level = inner;
  for (const ValueId operand : op.operands) level = std::min(level, of(operand));
  if (op.code == OpCode::If) {
    for (const RegionId region : op.regions) {
      const Op& end = module_.op(module_.region(region).ops.back());
      for (std::size_t i = 0; i < op.results.size(); ++i) {
        lower(op.results[i], std::min(level, of(end.operands[i])));
      }
    }
    return;
  }
  // A variable is as uniform as what is written to it, and where.
  if (op.code == OpCode::Set) return lower(op.operands[0], level);
  const bool writes = row(op.code).effect == Effect::Write || row(op.code).effect == Effect::Both;
  for (const ValueId operand : op.operands) {
    const OpId by = module_.value(operand).defined_by;
    const bool variable = by.valid() && module_.op(by).code == OpCode::Var;
    // Instructions that fill registers give each thread its own.
    if (writes && variable) lower(operand, Convergence::Thread);
  }
  if (const Source* source = source_of(op)) level = source->level;
  for (const ValueId result : op.results) lower(result, level);
}

}  // namespace parhelion::ir::kernel
