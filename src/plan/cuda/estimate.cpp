// SPDX-License-Identifier: Apache-2.0
// Work of the whole call for the example sizes, and the common part of the sites.
#include "plan/cuda/planner.h"

#include "ir/tile/walk.h"

#include <algorithm>
#include <cmath>

namespace parhelion::plan::cuda {

double Planner::example(ir::SizeId size) const {
  const auto blocks = [this](ir::BlockId id) { return facts_.block(id); };
  return static_cast<double>(f_.sizes.evaluate(size, spec_.symbol_values, blocks));
}

double Planner::trips(const ir::LoopDim& dim) const {
  if (!dim.end.size.valid()) return 1;  // bounded by a device value
  const double begin = dim.begin.size.valid() ? example(dim.begin.size) : 0;
  const auto block = static_cast<double>(facts_.block(dim.block));
  return std::max(0., std::ceil((example(dim.end.size) - begin) / block));
}

double Planner::elements(const std::vector<ir::AxisId>& axes) const {
  double product = 1;
  for (const ir::AxisId axis : axes) {
    if (axis == ir::unit_axis) continue;
    const ir::LoopDim* dim = facts_.loop_dim(axis);
    product *= dim == nullptr ? example(f_.axis(axis).extent)
                              : static_cast<double>(facts_.block(dim->block));
  }
  return product;
}

void Planner::estimate() {
  Estimate& e = plan_.common.estimate;
  plan_.common.sites.resize(f_.sites);
  const Parents parent = parents(f_);
  ir::walk(f_, [&](ir::OpId id) {
    const ir::Op& op = f_.op(id);
    double runs = 1, inner = 1;
    for (ir::OpId at = parent[id.index()]; at.valid(); at = parent[at.index()]) {
      const auto* loop = std::get_if<ir::LoopAttr>(&f_.op(at).payload);
      if (loop == nullptr) continue;
      double here = 1;
      for (const ir::LoopDim& dim : loop->dims) here *= trips(dim);
      runs *= here;
      if (f_.op(at).code != ir::OpCode::Grid) inner *= here;
      if (f_.op(at).code == ir::OpCode::Grid) e.programs = std::max(e.programs, std::int64_t(here));
    }
    if (const auto* access = std::get_if<ir::Access>(&op.payload)) {
      const double bytes = elements(access->axes) * size_bytes(f_.tensor(access->tensor).dtype);
      (op.code == ir::OpCode::Store ? e.bytes_written : e.bytes_read) += bytes * runs;
      SitePlan& site = plan_.common.sites[access->site.index()];
      const SitePath& path = plan_.paths[access->site.index()];
      site.op = id;
      site.bytes = static_cast<std::int64_t>(bytes * inner);
      site.vector_bytes = path.vector * size_bytes(f_.tensor(access->tensor).dtype);
      site.alignment = site.vector_bytes;
      site.mask =
          path.along.valid() && !plan_.of(path.along).masked ? MaskKind::None : MaskKind::Predicate;
      return;
    }
    if (op.results.empty() || !ir::row(op.code).pure) return;
    const double count = elements(f_.type(op.results[0]).axes) * runs;
    switch (ir::row(op.code).group) {
      case ir::OpGroup::Unary: e.special_functions += count; break;
      case ir::OpGroup::Binary:
      case ir::OpGroup::Select: e.flops += count; break;
      case ir::OpGroup::Reduce: e.flops += elements(f_.type(op.operands[0]).axes) * runs; break;
      case ir::OpGroup::Dot:
        e.flops += 2 * elements(f_.type(op.operands[0]).axes) *
                   elements({f_.type(op.operands[1]).axes[1]}) * runs;
        break;
      default: break;
    }
  });
}

}  // namespace parhelion::plan::cuda
