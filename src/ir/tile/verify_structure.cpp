// SPDX-License-Identifier: Apache-2.0
// Regions, definitions, scopes of values and axes, types.
#include "ir/tile/verify_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace parhelion::ir {

namespace {

class StructureCheck {
 public:
  StructureCheck(const Function& function, Violations& out)
      : f_(function), out_(out), visible_(function.values.size()), seen_(function.ops.size()) {}

  bool run() {
    roots();
    if (out_.empty()) region(f_.body, OpCode::Barrier, 0);
    return out_.empty();
  }

 private:
  void roots() {
    bool any = false;
    for (const OpId id : f_.region(f_.body).ops) {
      const OpCode code = f_.op(id).code;
      any = any || code == OpCode::Grid;
      if (code != OpCode::Grid && code != OpCode::Barrier) {
        out_.add(id, 5004, fmt::format("'{}' outside of every grid", row(code).text));
      }
    }
    if (!any) out_.add({}, 1204, fmt::format("kernel '{}' has no tile loop", f_.name), "add one");
  }

  [[nodiscard]] bool exists(ValueId v) const { return v.index() < f_.values.size(); }

  void define(OpId op, ValueId v) {
    if (!exists(v) || defined_.contains(v)) {
      out_.add(op, 5004, "a value is defined twice");
      return;
    }
    defined_.insert(v);
    visible_[v.index()] = true;
    scope_.push_back(v);
  }

  bool operands(OpId id, const Op& op) {
    for (const ValueId v : op.operands) {
      if (exists(v) && visible_[v.index()]) continue;
      out_.add(id, 5004, fmt::format("an operand of '{}' is not defined before it",
                                     row(op.code).text));
      return false;
    }
    return true;
  }

  void axes(OpId id, const std::vector<AxisId>& list) {
    for (const AxisId a : list) {
      if (a.index() >= f_.axes.size()) {
        out_.add(id, 5004, "a type has an axis that does not exist");
        continue;
      }
      const Axis& axis = f_.axis(a);
      axes(id, axis.factors);
      if (axis.kind != AxisKind::Tile || std::ranges::find(loops_, axis.loop) != loops_.end()) {
        continue;
      }
      out_.add(id, 1208, fmt::format("tile '{}' is used after its loop", axis.name),
               "take what you need out of the loop as a value");
    }
  }

  void loop_dims(OpId id, const Op& op) {
    const auto& dims = std::get<LoopAttr>(op.payload).dims;
    if (dims.empty()) out_.add(id, 5004, "a loop without an axis");
    for (std::size_t i = 0; i < dims.size(); ++i) {
      const Axis& axis = f_.axis(dims[i].axis);
      const bool linked = axis.kind == AxisKind::Tile && axis.loop == id && axis.dimension == i &&
                          dims[i].block.index() < f_.blocks.size() &&
                          f_.sizes.block_of(axis.extent) == dims[i].block;
      if (!linked) out_.add(id, 5004, "a loop and its axis do not name each other");
      const auto begin = dims[i].begin.size, end = dims[i].end.size;
      if (!begin.valid() || !end.valid()) continue;
      const auto b = f_.sizes.value(begin), e = f_.sizes.value(end);
      if (b && e && *b > *e) {
        out_.add(id, 1207, fmt::format("begin {} is after end {}", *b, *e),
                 "begin <= end");
      }
    }
  }

  std::size_t regions_of(const Op& op) const {
    switch (op.code) {
      case OpCode::Grid:
      case OpCode::For: return 1;
      case OpCode::While:
      case OpCode::If: return 2;
      default: return 0;
    }
  }

  void nested(OpId id, const Op& op) {
    const bool loop = op.code == OpCode::Grid || op.code == OpCode::For;
    if (loop) {
      loop_dims(id, op);
      loops_.push_back(id);
    }
    std::size_t carried = 0;
    if (op.code == OpCode::While) carried = op.operands.size();
    if (op.code == OpCode::For) carried = op.results.size();
    for (std::size_t i = 0; i < op.regions.size(); ++i) {
      const bool condition = op.code == OpCode::While && i == 0;
      region(op.regions[i], condition ? OpCode::Condition : OpCode::Yield, carried, id);
    }
    if (loop) loops_.pop_back();
    if (op.code == OpCode::Grid && f_.region(op.regions[0]).ops.size() == 1) {
      out_.add(id, 5004, "a grid with an empty body", "store something, or leave it out");
    }
  }

  void types(OpId id, const Op& op) {
    const auto inferred = infer(f_, op);
    if (!inferred) {
      for (const Diagnostic& d : inferred.error()) out_.add({id, d});
      return;
    }
    if (inferred->size() != op.results.size()) {
      out_.add(id, 5004, fmt::format("'{}' has {} results, not {}", row(op.code).text,
                                     op.results.size(), inferred->size()));
      return;
    }
    for (std::size_t i = 0; i < op.results.size(); ++i) {
      if (f_.type(op.results[i]) == (*inferred)[i]) continue;
      out_.add(id, 5003, fmt::format("written type {}, inferred {}",
                                     text(f_, f_.type(op.results[i])), text(f_, (*inferred)[i])));
    }
  }

  void one(OpId id, OpCode last, bool is_last) {
    if (id.index() >= f_.ops.size() || seen_[id.index()]) {
      out_.add({}, 5004, "an op is in two regions, or does not exist");
      return;
    }
    seen_[id.index()] = true;
    const Op& op = f_.op(id);
    const bool terminator = op.code == OpCode::Yield || op.code == OpCode::Condition;
    if (terminator && (!is_last || op.code != last)) {
      out_.add(id, 5004, fmt::format("'{}' in the middle of a region", row(op.code).text));
    }
    if (last != OpCode::Barrier && (op.code == OpCode::Grid || op.code == OpCode::Barrier)) {
      out_.add(id, op.code == OpCode::Grid ? 5004 : 1210,
               fmt::format("'{}' inside a loop", row(op.code).text), "only between root loops");
    }
    if (op.regions.size() != regions_of(op)) {
      out_.add(id, 5004, fmt::format("'{}' has {} regions", row(op.code).text, op.regions.size()));
      return;
    }
    if (!operands(id, op)) return;
    nested(id, op);
    if (out_.empty()) types(id, op);
    for (const ValueId v : op.results) define(id, v);
    if (!out_.empty()) return;
    for (const ValueId v : op.results) axes(id, f_.type(v).axes);
    if (const auto* access = std::get_if<Access>(&op.payload)) axes(id, access->axes);
    if (const auto* axis = std::get_if<AxisAttr>(&op.payload)) axes(id, {axis->axis});
  }

  void region(RegionId id, OpCode last, std::size_t arguments, OpId owner = {}) {
    const std::size_t outer = scope_.size();
    const Region& r = f_.region(id);
    if (r.arguments.size() != arguments) {
      out_.add(owner, 5004, fmt::format("a region has {} arguments, {} values are carried",
                                        r.arguments.size(), arguments));
    }
    for (const ValueId v : r.arguments) define(owner, v);
    const bool open = last == OpCode::Barrier;
    if (!open && (r.ops.empty() || f_.op(r.ops.back()).code != last)) {
      out_.add(owner, 5004, fmt::format("a region does not end in '{}'", row(last).text));
    }
    argument_types(owner, r);
    for (std::size_t i = 0; i < r.ops.size() && out_.empty(); ++i) {
      one(r.ops[i], last, i + 1 == r.ops.size());
    }
    for (std::size_t i = outer; i < scope_.size(); ++i) visible_[scope_[i].index()] = false;
    scope_.resize(outer);
  }

  void argument_types(OpId owner, const Region& r) {
    if (r.arguments.empty() || !out_.empty()) return;
    const Op& op = f_.op(owner);
    const std::size_t first = op.operands.size() - r.arguments.size();
    for (std::size_t i = 0; i < r.arguments.size(); ++i) {
      if (f_.type(r.arguments[i]) == f_.type(op.operands[first + i])) continue;
      out_.add(owner, 5004, "an argument of a region has another type than its entry value");
    }
  }

  const Function& f_;
  Violations& out_;
  std::vector<bool> visible_, seen_;
  std::set<ValueId> defined_;
  std::vector<ValueId> scope_;
  std::vector<OpId> loops_;
};

}  // namespace

bool verify_structure(const Function& function, Violations& out) {
  return StructureCheck(function, out).run();
}

}  // namespace parhelion::ir
