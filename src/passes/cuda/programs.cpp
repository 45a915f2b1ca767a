// SPDX-License-Identifier: Apache-2.0
// Entries: program id to tiles, launch facts, and which values are worth registers.
#include "passes/cuda/engine.h"

#include "base/diag.h"
#include "ir/tile/walk.h"
#include "passes/cuda/lower.h"
#include "passes/cuda/place_shared.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::passes::cuda {
namespace {

CallSymbol call_symbol(const ir::SizeSymbol& s) {
  switch (s.kind) {
    case ir::SizeSymbol::Kind::Size:
      return {CallSymbol::Kind::Size, static_cast<int>(s.tensor.value), s.dimension};
    case ir::SizeSymbol::Kind::Stride:
      return {CallSymbol::Kind::Stride, static_cast<int>(s.tensor.value), s.dimension};
    case ir::SizeSymbol::Kind::Scalar:
      return {CallSymbol::Kind::Scalar, static_cast<int>(s.scalar.value), 0};
  }
  return {};
}

}  // namespace

Engine::Engine(const ir::Function& function, const plan::cuda::Plan& plan,
               const ir::Specialization& specialization)
    : f_(function),
      plan_(plan),
      spec_(specialization),
      facts_(function, specialization, plan.blocks),
      sizes_(function.sizes),
      b(m),
      parents_(plan::cuda::parents(function)),
      uses_(plan::cuda::use_counts(function)),
      kept_(function.values.size()),
      stored_(function.tensors.size()),
      loaded_(function.tensors.size()) {
  m.name = f_.name;
  m.target = "cuda " + plan.machine.arch;
  m.config = plan.config;
  m.files = f_.files;
  m.source_hash = ir::hash(f_).short_hex();
  for (const char* word : {"lane", "warp", "program"}) names_.insert(word);
  ir::walk(f_, [&](ir::OpId id) {
    const ir::Op& op = f_.op(id);
    if (ir::row(op.code).group != ir::OpGroup::Memory) return;
    const std::size_t memory = memory_of(plan::cuda::access_of(op).tensor).index();
    (op.code == ir::OpCode::Store ? stored_ : loaded_)[memory] = true;
  });
  find_kept();
}

/// Cheap ops are done again at each use; a leaf, a cast or a shape op costs less than a register.
bool Engine::worth_keeping(const ir::Op& op) const {
  switch (ir::row(op.code).group) {
    case ir::OpGroup::Unary: return op.code != ir::OpCode::Neg && op.code != ir::OpCode::Abs;
    case ir::OpGroup::Binary:
    case ir::OpGroup::Compare:
    case ir::OpGroup::Select: return true;
    case ir::OpGroup::Leaf:
    case ir::OpGroup::Memory:
    case ir::OpGroup::Cast:
    case ir::OpGroup::Shape:
    case ir::OpGroup::Reduce:
    case ir::OpGroup::Dot:
    case ir::OpGroup::Control: break;
  }
  return false;
}

void Engine::find_kept() {
  const auto note = [&](ir::OpId user, ir::ValueId v) {
    const ir::OpId by = f_.value(v).defined_by;
    if (!by.valid() || !worth_keeping(f_.op(by))) return;
    const bool deeper = parents_[by.index()] != parents_[user.index()];
    // Broadcast: the user has dimensions that the value lacks.
    const ir::Op& op = f_.op(user);
    const Classes* wide = op.results.empty() ? nullptr : &classes(op.results[0]);
    if (op.code == ir::OpCode::Store) wide = &plan_.places.at(user);
    const bool grows = wide != nullptr && present(*wide).size() > present(classes(v)).size();
    if (uses_[v.index()] > 1 || deeper || grows) kept_[v.index()] = true;
  };
  ir::walk(f_, [&](ir::OpId id) {
    for (const ir::ValueId v : f_.op(id).operands) note(id, v);
  });
}

void Engine::bind_axis(const ir::LoopDim& dim, k::ValueId begin, k::ValueId end, k::ValueId tile_id,
                       k::ValueId tiles) {
  AxisBinding bound{begin, {}, tile_id, tiles};
  const std::int64_t block = facts_.block(dim.block);
  if (facts_.full(dim.axis)) {
    bound.limit = c32(block);
  } else {
    const k::ValueId left = sub(end, begin);
    bound.limit = as(min(left, b.integer(block, index_dtype())), DType::I32);
    b.name(bound.limit, f_.axis(dim.axis).name + "_limit");
  }
  frames_.back().axes[dim.axis] = bound;
}

bool Engine::counts_tiles(ir::AxisId axis) const {
  return std::ranges::any_of(f_.ops, [&](const ir::Op& op) {
    return op.code == ir::OpCode::Count && std::get<ir::AxisAttr>(op.payload).axis == axis;
  });
}

/// Program id to tile: axes slowest first, in bands of `group` tiles of the slowest.
void Engine::bind_program(const plan::ProgramPlan& program) {
  const auto& dims = std::get<ir::LoopAttr>(f_.op(program.root).payload).dims;
  const std::size_t rank = program.axes.size();
  std::vector<const ir::LoopDim*> order;
  std::vector<k::ValueId> tiles, id(rank);
  for (const ir::AxisId axis : program.axes) {
    order.push_back(&dims[f_.axis(axis).dimension]);
    const ir::LoopDim& dim = *order.back();
    const ir::SizeId begin = dim.begin.size.valid() ? dim.begin.size : sizes_.constant(0);
    const ir::SizeId block = sizes_.constant(facts_.block(dim.block));
    const ir::SizeId count = sizes_.ceil_div(sizes_.sub(dim.end.size, begin), block);
    // The slowest axis' count is asked for by bands and by the user only.
    const bool asked = !tiles.empty() || program.group > 1 || counts_tiles(axis);
    tiles.push_back(asked ? as(size_value(count), DType::I32) : c32(0));
    if (!known(tiles.back())) b.name(tiles.back(), f_.axis(axis).name + "_tiles");
  }
  k::ValueId rest = b.name(one(k::OpCode::Program, {}, i32()), "program");
  std::size_t last = rank;
  if (program.group > 1) {
    // Within a band the slowest axis walks first: its tiles share what the fastest one reads.
    for (; last > 2; --last) {
      id[last - 1] = rem(rest, tiles[last - 1]);
      rest = div(rest, tiles[last - 1]);
    }
    const k::ValueId group = b.constant("group", program.group, "tiles of a band", DType::I32);
    const k::ValueId band = mul(group, tiles[1]);
    const k::ValueId first = mul(div(rest, band), group);
    const k::ValueId width = b.name(min(sub(tiles[0], first), group), "band_tiles");
    const k::ValueId inside = rem(rest, band);
    id[0] = add(first, rem(inside, width));
    id[1] = div(inside, width);
    last = 0;
  }
  for (; last > 1; --last) {
    id[last - 1] = rem(rest, tiles[last - 1]);
    rest = div(rest, tiles[last - 1]);
  }
  if (last == 1) id[0] = rest;
  for (std::size_t i = 0; i < rank; ++i) {
    const ir::LoopDim& dim = *order[i];
    const std::string& name = f_.axis(dim.axis).name;
    const std::int64_t extent = facts_.block(dim.block);
    const k::ValueId block = extent == 1 ? b.integer(1, index_dtype())
                                         : b.constant("block_" + name, extent, {}, index_dtype());
    const k::ValueId origin = bound_value(f_.op(program.root), dim.begin);
    const k::ValueId begin =
        b.name(add(origin, mul(as(id[i], index_dtype()), block)), name + "_begin");
    bind_axis(dim, begin, bound_value(f_.op(program.root), dim.end), id[i], tiles[i]);
  }
}

void Engine::entry(const plan::cuda::RootPlan& root, const plan::ProgramPlan& program,
                   std::size_t number) {
  const bool several = plan_.roots.size() > 1;
  const std::string name = several ? fmt::format("{}_{}", f_.name, number) : f_.name;
  root_ = &root;
  frames_.assign(1, {});
  rings_.clear();
  touched_.clear();
  loops_ = 0;
  b.open_function(name, true);
  at(f_.op(root.root));
  make_thread_parts(root);
  bind_program(program);
  region(f_.op(root.root).regions[0]);
  b.close();

  LaunchPhase phase;
  phase.entry = name;
  phase.threads = 32 * root.warps;
  phase.programs = SizeProgram::constant(1);
  for (const ir::LoopDim& dim : std::get<ir::LoopAttr>(f_.op(root.root).payload).dims) {
    const ir::SizeId begin = dim.begin.size.valid() ? dim.begin.size : sizes_.constant(0);
    const ir::SizeId count =
        sizes_.ceil_div(sizes_.sub(dim.end.size, begin), sizes_.constant(facts_.block(dim.block)));
    phase.programs =
        SizeProgram::binary(SizeProgram::Code::Mul, phase.programs, sizes_.program(count));
  }
  m.launch.phases.push_back(std::move(phase));
}

k::Module Engine::run() {
  for (std::size_t i = 0; i < plan_.roots.size(); ++i) {
    entry(plan_.roots[i], plan_.common.programs[i], i);
  }
  for (const ir::SizeSymbol& s : sizes_.symbols()) m.launch.symbols.push_back(call_symbol(s));
  return std::move(m);
}

k::Module lower(const ir::Function& function, const plan::cuda::Plan& plan,
                const ir::Specialization& specialization) {
  k::Module module = Engine(function, plan, specialization).run();
  place_shared(module);
  return module;
}

}  // namespace parhelion::passes::cuda
