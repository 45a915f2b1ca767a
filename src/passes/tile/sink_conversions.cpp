// SPDX-License-Identifier: Apache-2.0
#include "passes/tile/edit.h"
#include "passes/tile/fold_rules.h"
#include "passes/tile/passes.h"

#include "ir/tile/walk.h"

#include <algorithm>

namespace parhelion::passes {

using ir::OpCode;
using ir::OpId;
using ir::RegionId;
using ir::ValueId;

namespace {

class Sinker {
 public:
  explicit Sinker(const ir::Function& function) : f_(function) {}

  Rewritten run() {
    region(f_.body);
    if (changed_) f_ = compact(f_);
    return {std::move(f_), changed_};
  }

 private:
  void region(RegionId id) {
    std::vector<OpId> result;
    const std::vector<OpId> old = f_.region(id).ops;
    for (const OpId o : old) {
      const std::vector<RegionId> regions = f_.op(o).regions;
      for (const RegionId r : regions) region(r);
      result.push_back(o);
      const OpCode code = f_.op(o).code;
      if (code == OpCode::For || code == OpCode::While) loop(o, result);
    }
    f_.region(id).ops = std::move(result);
  }

  /// What a cast widens without loss; invalid where `v` is no such cast.
  [[nodiscard]] ValueId narrow_source(ValueId v) const {
    const OpId by = f_.value(v).defined_by;
    if (!by.valid() || f_.op(by).code != OpCode::Cast) return {};
    const ValueId source = f_.op(by).operands[0];
    const DType from = f_.type(source).dtype, to = f_.type(v).dtype;
    const bool wider = size_bytes(from) < size_bytes(to) && from != DType::Bool;
    return wider && widens_exactly(from, to) ? source : ValueId();
  }

  void loop(OpId id, std::vector<OpId>& behind) {
    const std::size_t n = f_.op(id).results.size();
    for (std::size_t i = 0; i < n; ++i) {
      while (narrow_carry(id, i, behind)) changed_ = true;
    }
  }

  bool narrow_carry(OpId id, std::size_t i, std::vector<OpId>& behind) {
    const std::vector<RegionId> regions = f_.op(id).regions;
    const std::size_t entry = f_.op(id).operands.size() - f_.op(id).results.size() + i;
    const RegionId body = regions.back();
    const OpId yield = f_.region(body).ops.back();
    const ValueId from = narrow_source(f_.op(id).operands[entry]);
    const ValueId to = narrow_source(f_.op(yield).operands[i]);
    if (!from.valid() || !to.valid() || f_.type(from) != f_.type(to)) return false;
    for (const RegionId r : regions) widen_argument(r, i, f_.type(from));
    f_.op(id).operands[entry] = from;
    f_.op(yield).operands[i] = to;
    const ValueId result = f_.op(id).results[i];
    const ValueId carried = f_.add_value(f_.type(from), {}, id);
    f_.op(id).results[i] = carried;
    // The cast that was put behind last reads this one's result.
    const auto loop_at = std::ranges::find(behind, id);
    behind.insert(loop_at + 1, widen(carried, result, f_.op(id).where));
    return true;
  }

  /// `wide` is from here on a cast of `narrow`.
  OpId widen(ValueId narrow, ValueId wide, ir::Location where) {
    ir::Op op;
    op.code = OpCode::Cast;
    op.operands = {narrow};
    op.results = {wide};
    op.where = where;
    const OpId id(f_.ops.size());
    f_.ops.push_back(std::move(op));
    f_.value(wide).defined_by = id;
    return id;
  }

  void widen_argument(RegionId region, std::size_t i, const ir::TileType& type) {
    const ValueId wide = f_.region(region).arguments[i];
    const ValueId narrow = f_.add_value(type, {}, {});
    f_.region(region).arguments[i] = narrow;
    const OpId first = f_.region(region).ops.front();
    const OpId cast = widen(narrow, wide, f_.op(first).where);
    std::vector<OpId>& ops = f_.region(region).ops;
    ops.insert(ops.begin(), cast);
  }

  ir::Function f_;
  bool changed_ = false;
};

}  // namespace

Rewritten sink_conversions(const ir::Function& function) { return Sinker(function).run(); }

}  // namespace parhelion::passes
