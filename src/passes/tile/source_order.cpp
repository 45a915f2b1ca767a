// SPDX-License-Identifier: Apache-2.0
#include "passes/tile/edit.h"
#include "passes/tile/passes.h"

#include "ir/tile/walk.h"

#include <algorithm>
#include <set>

namespace parhelion::passes {

using ir::OpId;
using ir::RegionId;
using ir::ValueId;

namespace {

class Sorter {
 public:
  explicit Sorter(const ir::Function& function) : f_(function) {}

  Rewritten run() {
    region(f_.body);
    number_sites();
    if (changed_) f_ = compact(f_);
    return {std::move(f_), changed_};
  }

 private:
  [[nodiscard]] bool movable(OpId id) const {
    const ir::Op& op = f_.op(id);
    return op.where.known() && (ir::row(op.code).pure || op.code == ir::OpCode::Load);
  }

  [[nodiscard]] bool same_line(OpId a, OpId b) const {
    const ir::Location &x = f_.op(a).where, &y = f_.op(b).where;
    return x.file == y.file && x.line == y.line;
  }

  void region(RegionId id) {
    for (const OpId o : f_.region(id).ops) {
      const std::vector<RegionId> regions = f_.op(o).regions;
      for (const RegionId r : regions) region(r);
    }
    std::vector<OpId>& ops = f_.region(id).ops;
    for (std::size_t i = 0; i < ops.size();) {
      std::size_t end = i + 1;
      while (movable(ops[i]) && end < ops.size() && movable(ops[end]) &&
             same_line(ops[i], ops[end])) {
        ++end;
      }
      sort(ops, i, end);
      i = end;
    }
  }

  /// The leftmost op that has all its operands comes next; ties stay as they are.
  void sort(std::vector<OpId>& ops, std::size_t begin, std::size_t end) {
    std::vector<OpId> left(ops.begin() + static_cast<std::ptrdiff_t>(begin),
                           ops.begin() + static_cast<std::ptrdiff_t>(end));
    std::set<ValueId> pending;
    for (const OpId o : left) pending.insert(f_.op(o).results.begin(), f_.op(o).results.end());
    for (std::size_t at = begin; at < end; ++at) {
      std::size_t best = left.size();
      for (std::size_t i = 0; i < left.size(); ++i) {
        const ir::Op& op = f_.op(left[i]);
        const bool ready = std::ranges::none_of(
            op.operands, [&](ValueId v) { return pending.contains(v); });
        if (!ready) continue;
        if (best == left.size() || op.where.column < f_.op(left[best]).where.column) best = i;
      }
      changed_ = changed_ || ops[at] != left[best];
      ops[at] = left[best];
      for (const ValueId v : f_.op(left[best]).results) pending.erase(v);
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    }
  }

  void number_sites() {
    std::uint32_t next = 0;
    ir::walk(f_, [&](OpId id) {
      auto* access = std::get_if<ir::Access>(&f_.op(id).payload);
      if (access == nullptr) return;
      const ir::SiteId site(next++);
      changed_ = changed_ || access->site != site;
      access->site = site;
    });
  }

  ir::Function f_;
  bool changed_ = false;
};

}  // namespace

Rewritten source_order(const ir::Function& function) { return Sorter(function).run(); }

}  // namespace parhelion::passes
