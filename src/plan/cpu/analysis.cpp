// SPDX-License-Identifier: Apache-2.0
#include "plan/cpu/analysis.h"

#include <algorithm>
#include <map>
#include <set>

namespace parhelion::plan::cpu {

namespace {

using ir::OpCode;
using ir::OpGroup;

void collect(const ir::Function& f, ir::RegionId region, std::vector<ir::OpId>& out) {
  for (const ir::OpId id : f.region(region).ops) {
    out.push_back(id);
    for (const ir::RegionId r : f.op(id).regions) collect(f, r, out);
  }
}

/// Pure ops and loads only, nothing from a loop or a reduction.
bool is_plain(const ir::Function& f, ir::ValueId v) {
  const ir::OpId id = f.value(v).defined_by;
  if (!id.valid()) return false;
  const ir::Op& op = f.op(id);
  const OpGroup group = ir::row(op.code).group;
  if (group == OpGroup::Control || group == OpGroup::Reduce || group == OpGroup::Dot) return false;
  return std::ranges::all_of(op.operands, [&](ir::ValueId o) { return is_plain(f, o); });
}

bool is_zero(const ir::Function& f, ir::ValueId v) {
  const ir::OpId id = f.value(v).defined_by;
  if (!id.valid()) return false;
  const ir::Op& op = f.op(id);
  if (op.code == OpCode::Full) return is_zero(f, op.operands[0]);
  const auto* c = std::get_if<ir::ConstAttr>(&op.payload);
  return op.code == OpCode::Const && c->number == 0 && c->integer == 0;
}

bool names_tile(const ir::Op& op) {
  return op.code == OpCode::Begin || op.code == OpCode::End || op.code == OpCode::TileId ||
         op.code == OpCode::Count;
}

bool is_16_or_32_bit(DType t) { return t == DType::F32 || t == DType::F16 || t == DType::BF16; }

std::optional<GemmPattern> match_loop(const ir::Function& f, ir::OpId id,
                                      const ir::LoopAttr& grid) {
  const ir::Op& loop = f.op(id);
  const auto& dims = std::get<ir::LoopAttr>(loop.payload).dims;
  if (dims.size() != 1 || loop.operands.size() != 1 || loop.results.size() != 1) return {};
  if (dims[0].begin.operand >= 0 || dims[0].end.operand >= 0) return {};
  const ir::Region& body = f.region(loop.regions[0]);
  const ir::Op& yield = f.op(body.ops.back());
  if (yield.operands.size() != 1) return {};
  const ir::OpId dot_id = f.value(yield.operands[0]).defined_by;
  if (!dot_id.valid() || f.op(dot_id).code != OpCode::Dot) return {};
  const ir::Op& dot = f.op(dot_id);
  if (dot.operands.size() != 3 || dot.operands[2] != body.arguments[0]) return {};
  if (!is_zero(f, loop.operands[0]) || f.type(dot.results[0]).dtype != DType::F32) return {};
  GemmPattern g;
  g.loop = id;
  g.dot = dot_id;
  g.a = dot.operands[0];
  g.b = dot.operands[1];
  g.result = loop.results[0];
  if (f.type(g.a).axes.size() != 2 || f.type(g.b).axes.size() != 2) return {};
  g.m = f.type(g.a).axes[0];
  g.k = f.type(g.a).axes[1];
  g.n = f.type(g.b).axes[1];
  const bool grid_axes = (grid.dims[0].axis == g.m && grid.dims[1].axis == g.n) ||
                         (grid.dims[0].axis == g.n && grid.dims[1].axis == g.m);
  if (!grid_axes || g.k != dims[0].axis || f.type(g.b).axes[0] != g.k) return {};
  if (!is_plain(f, g.a) || !is_plain(f, g.b)) return {};
  if (!is_16_or_32_bit(f.type(g.a).dtype) || !is_16_or_32_bit(f.type(g.b).dtype)) return {};
  const bool stores =
      std::ranges::any_of(body.ops, [&](ir::OpId o) { return f.op(o).code == OpCode::Store; });
  if (stores) return {};
  return g;
}

std::optional<GemmPattern> match_gemm(const ir::Function& f, const ir::Op& root) {
  const auto& grid = std::get<ir::LoopAttr>(root.payload);
  if (grid.dims.size() != 2) return {};
  std::optional<GemmPattern> found;
  for (const ir::OpId id : f.region(root.regions[0]).ops) {
    const ir::Op& op = f.op(id);
    const OpGroup group = ir::row(op.code).group;
    if (op.code == OpCode::For) {
      if (found) return {};
      found = match_loop(f, id, grid);
      if (!found) return {};
    } else if (group == OpGroup::Dot || group == OpGroup::Reduce ||
               (group == OpGroup::Control && op.code != OpCode::Yield)) {
      return {};
    }
  }
  if (!found) return {};
  for (const ir::OpId id : all_ops(f, root.regions[0])) {
    if (names_tile(f.op(id))) return {};
  }
  return found;
}

/// Axes that some op mixes: reduced over, or part of a dot.
std::set<ir::AxisId> mixed_axes(const ir::Function& f, const std::vector<ir::OpId>& ops) {
  std::set<ir::AxisId> mixed;
  for (const ir::OpId id : ops) {
    const ir::Op& op = f.op(id);
    if (ir::row(op.code).group == OpGroup::Reduce) {
      const auto dim = static_cast<std::size_t>(std::get<ir::ReduceAttr>(op.payload).dim);
      mixed.insert(f.type(op.operands[0]).axes[dim]);
    }
    if (op.code == OpCode::Dot) {
      for (const std::size_t i : {0U, 1U}) {
        const auto& axes = f.type(op.operands[i]).axes;
        mixed.insert(axes.begin(), axes.end());
      }
    }
  }
  return mixed;
}

/// How many accesses run along each axis with stride 1.
std::map<ir::AxisId, int> unit_stride_axes(const ir::Function& f, const ir::Specialization& s,
                                           const std::vector<ir::OpId>& ops) {
  std::map<ir::AxisId, int> score;
  for (const ir::OpId id : ops) {
    const auto* access = std::get_if<ir::Access>(&f.op(id).payload);
    if (access == nullptr) continue;
    int d = 0;
    for (const ir::Subscript& sub : access->subscripts) {
      if (sub.kind == ir::Subscript::Kind::New) continue;
      const bool walks = sub.kind != ir::Subscript::Kind::Value &&
                         sub.kind != ir::Subscript::Kind::Point && sub.step == 1;
      if (walks && s.tensors[access->tensor.index()].unit_stride_dim == d) ++score[sub.axis];
      ++d;
    }
  }
  return score;
}

/// The pure tree below a value, down to reductions, dots, loops and leaves.
void reach(const ir::Function& f, ir::ValueId v, std::set<ir::ValueId>& seen) {
  if (!seen.insert(v).second) return;
  const ir::OpId id = f.value(v).defined_by;
  if (!id.valid()) return;
  const ir::Op& op = f.op(id);
  const OpGroup group = ir::row(op.code).group;
  if (group == OpGroup::Control || group == OpGroup::Reduce || group == OpGroup::Dot) return;
  for (const ir::ValueId o : op.operands) reach(f, o, seen);
}

bool is_costly(OpCode code) {
  switch (code) {
    case OpCode::Exp:
    case OpCode::Exp2:
    case OpCode::Log:
    case OpCode::Log2:
    case OpCode::Tanh:
    case OpCode::Erf:
    case OpCode::Sigmoid: return true;
    default: return false;
  }
}

/// A store whose place has the axes of `v` with plain subscripts and holds f32.
bool can_hold(const ir::Function& f, const ir::Op& store, ir::ValueId v) {
  const auto& access = std::get<ir::Access>(store.payload);
  const ir::TensorId memory = f.tensor(access.tensor).kind == ir::Tensor::Kind::View
                                  ? f.tensor(access.tensor).base
                                  : access.tensor;
  if (access.masked || f.tensor(access.tensor).dtype != DType::F32) return false;
  if (f.type(v).dtype != DType::F32 || access.axes != f.type(v).axes) return false;
  // Nothing else of this kernel may read or write that memory.
  for (const ir::Op& op : f.ops) {
    const auto* other = std::get_if<ir::Access>(&op.payload);
    if (other == nullptr || &op == &store) continue;
    const ir::Tensor& t = f.tensor(other->tensor);
    if ((t.kind == ir::Tensor::Kind::View ? t.base : other->tensor) == memory) return false;
  }
  // A parameter may be passed twice, as an input too.
  if (f.tensor(memory).kind == ir::Tensor::Kind::Parameter) return false;
  const ir::EqualSizes equal(f);
  std::size_t d = 0;
  for (const ir::Subscript& s : access.subscripts) {
    if (s.kind == ir::Subscript::Kind::Tile) {
      const auto& dim =
          std::get<ir::LoopAttr>(f.op(f.axis(s.axis).loop).payload).dims[f.axis(s.axis).dimension];
      const bool inside =
          dim.end.size.valid() && equal.same(dim.end.size, f.tensor(access.tensor).sizes[d]);
      if (s.begin.valid() || !inside) return false;
    } else if (s.kind != ir::Subscript::Kind::All) {
      return false;
    }
    ++d;
  }
  return true;
}

std::vector<SharedValue> shared_values(const ir::Function& f, const std::vector<ir::OpId>& ops) {
  std::map<ir::ValueId, int> nests;
  std::vector<ir::OpId> stores;
  for (const ir::OpId id : ops) {
    const ir::Op& op = f.op(id);
    const OpGroup group = ir::row(op.code).group;
    if (op.code != OpCode::Store && group != OpGroup::Reduce && group != OpGroup::Dot) continue;
    if (op.code == OpCode::Store) stores.push_back(id);
    std::set<ir::ValueId> seen;
    for (const ir::ValueId v : op.operands) reach(f, v, seen);
    for (const ir::ValueId v : seen) ++nests[v];
  }
  std::vector<SharedValue> shared;
  for (const auto& [v, count] : nests) {
    const ir::OpId id = f.value(v).defined_by;
    if (count < 2 || !id.valid() || !is_costly(f.op(id).code)) continue;
    const auto& axes = f.type(v).axes;
    if (axes.empty() || axes.back() == ir::unit_axis) continue;
    SharedValue s{v, axes.back(), std::nullopt};
    for (const ir::OpId store : stores) {
      if (can_hold(f, f.op(store), v)) s.output = store;
    }
    shared.push_back(s);
  }
  return shared;
}

void choose_scalar_axes(const ir::Function& f, const ir::Specialization& s,
                        const std::vector<ir::OpId>& ops, RootAnalysis& root) {
  const auto& grid = std::get<ir::LoopAttr>(f.op(root.root).payload);
  const std::set<ir::AxisId> mixed = mixed_axes(f, ops);
  const std::map<ir::AxisId, int> score = unit_stride_axes(f, s, ops);
  std::set<ir::AxisId> own;
  for (const ir::LoopDim& d : grid.dims) own.insert(d.axis);
  const bool inner_vectors =
      std::ranges::any_of(score, [&](const auto& entry) { return !own.contains(entry.first); });
  int best = -1;
  for (const ir::LoopDim& d : grid.dims) {
    const auto it = score.find(d.axis);
    const int points = it == score.end() ? 0 : it->second;
    if (!inner_vectors && !mixed.contains(d.axis) && points >= best) {
      best = points;
      root.vector_axis = d.axis;
    }
  }
  for (const ir::LoopDim& d : grid.dims) {
    if (mixed.contains(d.axis) || root.vector_axis == d.axis) continue;
    root.scalar_axes.push_back(d.axis);
  }
}

}  // namespace

std::vector<ir::OpId> all_ops(const ir::Function& f, ir::RegionId region) {
  std::vector<ir::OpId> ops;
  collect(f, region, ops);
  return ops;
}

std::vector<RootAnalysis> analyse(const ir::Function& f, const ir::Specialization& s) {
  std::vector<RootAnalysis> roots;
  for (const ir::OpId id : f.region(f.body).ops) {
    const ir::Op& op = f.op(id);
    if (op.code != OpCode::Grid) continue;
    RootAnalysis root;
    root.root = id;
    root.gemm = match_gemm(f, op);
    if (!root.gemm) {
      const std::vector<ir::OpId> ops = all_ops(f, op.regions[0]);
      choose_scalar_axes(f, s, ops, root);
      root.shared = shared_values(f, ops);
    }
    roots.push_back(std::move(root));
  }
  return roots;
}

}  // namespace parhelion::plan::cpu
