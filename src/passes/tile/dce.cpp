// SPDX-License-Identifier: Apache-2.0
#include "passes/tile/edit.h"
#include "passes/tile/passes.h"

#include <algorithm>
#include <vector>

namespace parhelion::passes {

using ir::OpCode;
using ir::OpId;
using ir::RegionId;
using ir::ValueId;

namespace {

/// What a region argument belongs to: carried value `index` of `op`.
struct Carrier {
  OpId op;
  std::size_t index = 0;
};

class Remover {
 public:
  explicit Remover(const ir::Function& function)
      : f_(function),
        live_value_(function.values.size()),
        live_op_(function.ops.size()),
        parent_(function.ops.size()),
        carrier_(function.values.size()) {}

  Rewritten run() {
    link(f_.body, {});
    for (const OpId o : effects_) mark_op(o);
    propagate();
    region(f_.body);
    if (changed_) f_ = compact(f_);
    return {std::move(f_), changed_};
  }

 private:
  void link(RegionId id, OpId parent) {
    for (const OpId o : f_.region(id).ops) {
      parent_[o.index()] = parent;
      const ir::Op& op = f_.op(o);
      if (op.code == OpCode::Store || op.code == OpCode::Barrier) effects_.push_back(o);
      for (const RegionId r : op.regions) {
        const auto& arguments = f_.region(r).arguments;
        for (std::size_t i = 0; i < arguments.size(); ++i) carrier_[arguments[i].index()] = {o, i};
        link(r, o);
      }
    }
  }

  [[nodiscard]] static bool carries(const ir::Op& op) {
    return op.code == OpCode::For || op.code == OpCode::While;
  }

  /// Operands that the op needs whatever of it is used: all of a plain op, bounds, conditions.
  void mark_op(OpId id) {
    if (!id.valid() || live_op_[id.index()]) return;
    live_op_[id.index()] = true;
    mark_op(parent_[id.index()]);
    const ir::Op& op = f_.op(id);
    const std::size_t always = carries(op) ? op.operands.size() - op.results.size()
                                           : op.operands.size();
    for (std::size_t i = 0; i < always; ++i) mark(op.operands[i]);
    if (op.code != OpCode::While) return;
    const OpId condition = f_.region(op.regions[0]).ops.back();
    live_op_[condition.index()] = true;
    mark(f_.op(condition).operands[0]);
  }

  void mark(ValueId v) {
    if (live_value_[v.index()]) return;
    live_value_[v.index()] = true;
    work_.push_back(v);
  }

  void mark_carried(OpId id, std::size_t i) {
    const ir::Op& op = f_.op(id);
    mark_op(id);
    mark(op.operands[op.operands.size() - op.results.size() + i]);
    mark(f_.op(f_.region(op.regions.back()).ops.back()).operands[i]);
    mark(op.results[i]);
  }

  void propagate() {
    while (!work_.empty()) {
      const ValueId v = work_.back();
      work_.pop_back();
      const OpId by = f_.value(v).defined_by;
      if (!by.valid()) {
        mark_carried(carrier_[v.index()].op, carrier_[v.index()].index);
        continue;
      }
      const ir::Op& op = f_.op(by);
      mark_op(by);
      if (op.regions.empty()) continue;
      const auto i = static_cast<std::size_t>(
          std::find(op.results.begin(), op.results.end(), v) - op.results.begin());
      if (carries(op)) {
        mark_carried(by, i);
        continue;
      }
      for (const RegionId r : op.regions) mark(f_.op(f_.region(r).ops.back()).operands[i]);
    }
  }

  void region(RegionId id) {
    std::vector<OpId> kept;
    const std::vector<OpId> old = f_.region(id).ops;
    for (const OpId o : old) {
      const OpCode code = f_.op(o).code;
      const bool end = code == OpCode::Yield || code == OpCode::Condition;
      if (!live_op_[o.index()] && !end) {
        changed_ = true;
        continue;
      }
      if (!f_.op(o).regions.empty()) narrow(o);
      kept.push_back(o);
    }
    f_.region(id).ops = std::move(kept);
  }

  void keep_live(std::vector<ValueId>& values, const std::vector<bool>& live, std::size_t first) {
    std::vector<ValueId> kept(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(first));
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (live[i]) kept.push_back(values[first + i]);
    }
    changed_ = changed_ || kept.size() != values.size();
    values = std::move(kept);
  }

  /// Drops carried values and results that nobody reads.
  void narrow(OpId id) {
    ir::Op& op = f_.op(id);
    std::vector<bool> live;
    for (const ValueId v : op.results) live.push_back(live_value_[v.index()]);
    const std::size_t first = op.operands.size() - (carries(op) ? live.size() : 0);
    const std::vector<RegionId> regions = op.regions;
    for (const RegionId r : regions) {
      ir::Op& last = f_.op(f_.region(r).ops.back());
      if (last.code == OpCode::Yield) keep_live(last.operands, live, 0);
      if (carries(op)) keep_live(f_.region(r).arguments, live, 0);
      region(r);
    }
    if (carries(op)) keep_live(op.operands, live, first);
    keep_live(op.results, live, 0);
  }

  ir::Function f_;
  std::vector<bool> live_value_, live_op_;
  std::vector<OpId> parent_;
  std::vector<Carrier> carrier_;
  std::vector<OpId> effects_;
  std::vector<ValueId> work_;
  bool changed_ = false;
};

}  // namespace

Rewritten dce(const ir::Function& function) { return Remover(function).run(); }

}  // namespace parhelion::passes
