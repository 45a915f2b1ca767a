// SPDX-License-Identifier: Apache-2.0
#include "passes/tile/edit.h"
#include "passes/tile/passes.h"

#include <algorithm>

namespace parhelion::passes {

using ir::OpCode;
using ir::OpId;
using ir::RegionId;
using ir::ValueId;

namespace {

class Hoister {
 public:
  explicit Hoister(const ir::Function& function)
      : f_(function), inside_(function.values.size(), 0) {}

  Rewritten run() {
    for (const OpId root : f_.region(f_.body).ops) {
      for (const RegionId r : f_.op(root).regions) region(r);
    }
    if (changed_) f_ = compact(f_);
    return {std::move(f_), changed_};
  }

 private:
  /// Inner loops first: what leaves them may leave this one too.
  void region(RegionId id) {
    std::vector<OpId> result;
    const std::vector<OpId> old = f_.region(id).ops;
    for (const OpId o : old) {
      const std::vector<RegionId> regions = f_.op(o).regions;
      for (const RegionId r : regions) region(r);
      const OpCode code = f_.op(o).code;
      if (code == OpCode::For || code == OpCode::While) leave(o, result);
      result.push_back(o);
    }
    f_.region(id).ops = std::move(result);
  }

  void mark(RegionId id, int depth) {
    for (const ValueId v : f_.region(id).arguments) inside_[v.index()] = depth;
    for (const OpId o : f_.region(id).ops) {
      for (const ValueId v : f_.op(o).results) inside_[v.index()] = depth;
      for (const RegionId r : f_.op(o).regions) mark(r, depth);
    }
  }

  void leave(OpId loop, std::vector<OpId>& front) {
    const std::vector<RegionId> regions = f_.op(loop).regions;
    const int depth = ++marks_;
    for (const RegionId r : regions) mark(r, depth);
    for (const RegionId r : regions) {
      std::vector<OpId> stays;
      for (const OpId o : f_.region(r).ops) {
        if (!invariant(o, loop, regions, depth)) {
          stays.push_back(o);
          continue;
        }
        for (const ValueId v : f_.op(o).results) inside_[v.index()] = 0;
        front.push_back(o);
        changed_ = true;
      }
      f_.region(r).ops = std::move(stays);
    }
  }

  [[nodiscard]] bool of_loop(ir::AxisId id, OpId loop) const {
    const ir::Axis& axis = f_.axis(id);
    if (axis.kind == ir::AxisKind::Tile) return axis.loop == loop;
    return std::ranges::any_of(axis.factors, [&](ir::AxisId a) { return of_loop(a, loop); });
  }

  [[nodiscard]] bool uses_axis(const ir::Op& op, OpId loop) const {
    const auto mine = [&](ir::AxisId a) { return of_loop(a, loop); };
    for (const ValueId v : op.results) {
      if (std::ranges::any_of(f_.type(v).axes, mine)) return true;
    }
    if (const auto* axis = std::get_if<ir::AxisAttr>(&op.payload)) return mine(axis->axis);
    const ir::Access* access = access_of(op);
    return access != nullptr &&
           std::ranges::any_of(access->subscripts, [&](const ir::Subscript& s) {
             return s.axis.valid() && mine(s.axis);
           });
  }

  [[nodiscard]] bool invariant(OpId id, OpId loop, const std::vector<RegionId>& regions,
                               int depth) const {
    const ir::Op& op = f_.op(id);
    const bool load = op.code == OpCode::Load;
    if (!load && !ir::row(op.code).pure) return false;
    if (std::ranges::any_of(op.operands,
                            [&](ValueId v) { return inside_[v.index()] == depth; })) {
      return false;
    }
    if (uses_axis(op, loop)) return false;
    return !load || !stores_to(f_, regions, storage_class(f_, access_of(op)->tensor));
  }

  ir::Function f_;
  std::vector<int> inside_;  // the loop that was marked last with this value in it
  int marks_ = 0;
  bool changed_ = false;
};

}  // namespace

Rewritten hoist_invariants(const ir::Function& function) { return Hoister(function).run(); }

}  // namespace parhelion::passes
