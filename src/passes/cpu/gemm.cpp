// SPDX-License-Identifier: Apache-2.0
// A product by panels, after Goto and van de Geijn (2008). Phase 1 packs `a` into panels of mr rows
// (one program a panel, all of K). Phase 2: a program owns a band of nc columns and a part of the
// rows; per block of kc it packs its panels of `b`, then runs the micro-kernel over blocks of mc
// rows. Partial sums continue in a scratch tile, so the order of additions does not depend on kc.
#include "passes/cpu/engine.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::passes::cpu {

namespace {

k::Type pointer_to(DType dtype) { return {dtype, 1, 0, k::Space::Global}; }

constexpr k::Type integer_type{DType::I64, 1, 0, k::Space::None};

}  // namespace

/// c[mr, nr] = (first ? 0 : c) + sum over k of a[k][mr] * b[k][nr]; accumulators stay in registers.
void Engine::micro_kernel(const plan::cpu::GemmPlan& g, const std::string& name) {
  k::Function& fn = b.open_function(name, false,
                                    {{integer_type, "depth"},
                                     {pointer_to(DType::F32), "a_panel"},
                                     {pointer_to(DType::F32), "b_panel"},
                                     {pointer_to(DType::F32), "c_tile"},
                                     {integer_type, "c_pitch"},
                                     {integer_type, "begin"}});
  fn.noinline_ = true;
  const std::vector<k::ValueId> p = fn.parameters;
  const int vectors = g.nr / plan.lanes;
  const auto c_at = [&](int i, int v) {
    return b.offset(p[3], add(mul(p[4], c64(i)), c64(static_cast<std::int64_t>(v) * plan.lanes)));
  };
  const k::Type vector{DType::F32, static_cast<std::uint16_t>(plan.lanes), 0, k::Space::None};
  const auto count = static_cast<std::size_t>(g.mr * vectors);
  b.open_if(b.compare(k::OpCode::Eq, p[5], c64(0)), std::vector<k::Type>(count, vector));
  const k::ValueId zero = as_lanes(b.number(0, DType::F32), plan.lanes);
  b.otherwise(std::vector<k::ValueId>(count, zero));
  std::vector<k::ValueId> loaded;
  for (int i = 0; i < g.mr; ++i) {
    for (int v = 0; v < vectors; ++v) loaded.push_back(b.load(c_at(i, v), plan.lanes));
  }
  std::vector<k::ValueId> acc = b.close(loaded);
  for (std::size_t i = 0; i < count; ++i) {
    b.name(acc[i], fmt::format("acc{}_{}", i / static_cast<std::size_t>(vectors),
                               i % static_cast<std::size_t>(vectors)));
  }
  b.open_for(c64(0), p[0], c64(1), acc, "kk");
  const k::ValueId kk = b.loop_index();
  std::vector<k::ValueId> rows;
  const k::ValueId b_row = b.offset(p[2], mul(kk, c64(g.nr)));
  const k::ValueId a_column = b.offset(p[1], mul(kk, c64(g.mr)));
  for (int v = 0; v < vectors; ++v) {
    rows.push_back(
        b.name(b.load(b.offset(b_row, c64(static_cast<std::int64_t>(v) * plan.lanes)), plan.lanes),
               fmt::format("b{}", v)));
  }
  std::vector<k::ValueId> next;
  for (int i = 0; i < g.mr; ++i) {
    const k::ValueId x =
        b.name(as_lanes(b.load(b.offset(a_column, c64(i))), plan.lanes), fmt::format("a{}", i));
    for (int v = 0; v < vectors; ++v) {
      next.push_back(b.fma(x, rows[static_cast<std::size_t>(v)], b.carried(next.size())));
    }
  }
  acc = b.close(next);
  for (int i = 0; i < g.mr; ++i) {
    for (int v = 0; v < vectors; ++v) {
      b.store(c_at(i, v), acc[static_cast<std::size_t>(i * vectors + v)]);
    }
  }
  b.close();
}

/// Phase 1: panel p of `a`, element (k, i) at ((p * K) + k) * mr + i; rows past the end are zero.
void Engine::pack_a(const plan::cpu::GemmPlan& g, const GemmSizes& s, const std::string& name) {
  LaunchPhase phase;
  phase.entry = name;
  phase.programs = sizes.program(s.panels);
  m.launch.phases.push_back(phase);
  open_entry(name);
  scopes.assign(1, {});
  const k::ValueId panels_of_a = b.bitcast(workspace_base_a(g, s), pointer_to(DType::F32));
  b.open_for(m.entry_values[0], m.entry_values[1], c64(1), {}, "panel");
  const k::ValueId p = b.loop_index();
  const k::ValueId depth = size_value(s.k);
  const k::ValueId row = add(size_value(s.m_begin), mul(p, c64(g.mr)));
  const k::ValueId rows = min(c64(g.mr), sub(size_value(s.m_end), row));
  const k::ValueId panel = b.offset(panels_of_a, mul(mul(p, depth), c64(g.mr)));
  axes[g.m] = {row, rows, c64(0), c64(1), std::nullopt};
  axes[g.k] = {size_value(s.k_begin), depth, c64(0), c64(1), std::nullopt};
  walk({g.m, g.k}, [&] {
    const k::ValueId at =
        add(mul(position(g.k, nullptr, false), c64(g.mr)), position(g.m, nullptr, false));
    b.store(b.offset(panel, at), widen(eval(g.a, nullptr), DType::F32));
  });
  b.open_for(rows, c64(g.mr), c64(1), {}, "pad");
  const k::ValueId i = b.loop_index();
  b.open_for(c64(0), depth, c64(1), {}, "kk");
  b.store(b.offset(panel, add(mul(b.loop_index(), c64(g.mr)), i)), b.number(0, DType::F32));
  b.close();
  b.close();
  b.close();
  b.close();
  axes.clear();
}

k::ValueId Engine::workspace_base_a(const plan::cpu::GemmPlan& g, const GemmSizes& s) {
  if (!packed_a_offset_) {
    const ir::SizeId bytes = sizes.mul(sizes.mul(s.panels, s.k), sizes.constant(4L * g.mr));
    packed_a_offset_ = workspace_bytes_;
    (void)workspace(bytes);
  }
  return b.offset(*workspace_pointer_, size_value(*packed_a_offset_));
}

/// Panel q of `b` for k in [k0, k0 + depth): element (k, j) at k * nr + j; columns past the end are
/// 0.
void Engine::pack_b(const plan::cpu::GemmPlan& g, k::ValueId target, k::ValueId depth,
                    bool vectors) {
  const k::ValueId columns = axes.at(g.n).count;
  const auto store_at = [&](k::ValueId kk, k::ValueId j, k::ValueId v) {
    b.store(b.offset(target, add(mul(kk, c64(g.nr)), j)), v);
  };
  if (!vectors) {
    b.open_for(c64(0), depth, c64(1), {}, "kk");
    axes.at(g.k).index = b.loop_index();
    b.open_for(columns, c64(g.nr), c64(1), {}, "pad");
    store_at(*axes.at(g.k).index, b.loop_index(), b.number(0, DType::F32));
    b.close();
    b.close();
    axes.at(g.k).index.reset();
    walk({g.n, g.k}, [&] {
      store_at(*axes.at(g.k).index, *axes.at(g.n).index, widen(eval(g.b, nullptr), DType::F32));
    });
    return;
  }
  const auto rows = [&](bool full) {
    b.open_for(c64(0), depth, c64(1), {}, "kk");
    axes.at(g.k).index = b.loop_index();
    for (int v = 0; v < g.nr / plan.lanes; ++v) {
      scopes.emplace_back();
      const k::ValueId start = c64(static_cast<std::int64_t>(v) * plan.lanes);
      Lanes lanes{g.n, start, plan.lanes, std::nullopt};
      if (!full) lanes.valid = min(c64(plan.lanes), max(c64(0), sub(columns, start)));
      store_at(*axes.at(g.k).index, start, widen(eval_vector(g.b, lanes), DType::F32));
      scopes.pop_back();
    }
    axes.at(g.k).index.reset();
    b.close();
  };
  b.open_if(b.compare(k::OpCode::Eq, columns, c64(g.nr)));
  rows(true);
  b.otherwise();
  rows(false);
  b.close();
}

/// Everything of the root but the loop, on one micro tile.
void Engine::epilogue(const plan::cpu::RootPlan& root, const Buffer& tile) {
  const std::map<ir::ValueId, Buffer> outside = buffers;
  scopes.emplace_back();
  buffers[root.gemm->result] = tile;
  for (const ir::OpId id : f.region(f.op(root.root).regions[0]).ops) {
    if (id != root.gemm->loop) statement(id);
  }
  scopes.pop_back();
  buffers = outside;
}

void Engine::gemm_phases(const plan::cpu::RootPlan& root) {
  const plan::cpu::GemmPlan& g = *root.gemm;
  const auto& grid = std::get<ir::LoopAttr>(f.op(root.root).payload).dims;
  const auto& inner = std::get<ir::LoopAttr>(f.op(g.loop).payload).dims[0];
  const ir::LoopDim& dm = grid[0].axis == g.m ? grid[0] : grid[1];
  const ir::LoopDim& dn = grid[0].axis == g.m ? grid[1] : grid[0];
  const auto length = [this](const ir::LoopDim& d) {
    return sizes.max(sizes.sub(d.end.size, d.begin.size), sizes.constant(0));
  };
  GemmSizes s;
  s.m = length(dm);
  s.n = length(dn);
  s.k = length(inner);
  s.m_begin = dm.begin.size;
  s.m_end = dm.end.size;
  s.n_begin = dn.begin.size;
  s.n_end = dn.end.size;
  s.k_begin = inner.begin.size;
  s.panels = sizes.ceil_div(s.m, sizes.constant(g.mr));
  const std::string suffix =
      plan.roots.size() == 1 ? std::string() : fmt::format("_{}", m.launch.phases.size());
  packed_a_offset_.reset();
  const std::string micro = unique(fmt::format("{}{}_micro", f.name, suffix));
  scopes.assign(1, {});
  micro_kernel(g, micro);
  pack_a(g, s, f.name + suffix + "_pack_a");
  multiply(root, s, micro, f.name + suffix);
}

void Engine::multiply(const plan::cpu::RootPlan& root, const GemmSizes& s, const std::string& micro,
                      const std::string& name) {
  const plan::cpu::GemmPlan& g = *root.gemm;
  const std::int64_t part = g.m_part;
  const ir::SizeId bands = sizes.ceil_div(s.n, sizes.constant(g.nc));
  const ir::SizeId parts = sizes.ceil_div(s.m, sizes.constant(part));
  LaunchPhase phase;
  phase.entry = name;
  phase.programs = sizes.program(sizes.mul(bands, parts));
  phase.chunk = root.chunk;
  m.launch.phases.push_back(phase);

  open_entry(name);
  scopes.assign(1, {});
  at(f.op(g.dot));
  const k::ValueId a_base = b.bitcast(workspace_base_a(g, s), pointer_to(DType::F32));
  const k::ValueId b_panels = scratch_area(sizes.constant(4 * g.kc * g.nc), "b_panels");
  const k::ValueId c_area = scratch_area(sizes.constant(4 * part * g.nc), "c_tiles");
  const k::ValueId depth_all = size_value(s.k);
  const k::ValueId single = b.compare(k::OpCode::Le, depth_all, c64(g.kc));

  b.open_for(m.entry_values[0], m.entry_values[1], c64(1), {}, "program");
  scopes.emplace_back();
  const k::ValueId program = b.loop_index();
  const k::ValueId part_count = size_value(parts);
  const k::ValueId band = b.binary(k::OpCode::Div, program, part_count);
  const k::ValueId which = b.binary(k::OpCode::Rem, program, part_count);
  const k::ValueId column0 = mul(band, c64(g.nc));
  const k::ValueId columns = min(c64(g.nc), sub(size_value(s.n), column0));
  const k::ValueId panel0 = mul(which, c64(part / g.mr));
  const k::ValueId panel_end = min(add(panel0, c64(part / g.mr)), size_value(s.panels));
  const k::ValueId b_count = ceil_div(columns, g.nr);
  // K = 0: one empty block, so that the epilogue still sees zeros.
  b.open_for(c64(0), max(depth_all, c64(1)), c64(g.kc), {}, "k0");
  const k::ValueId k0 = b.loop_index();
  const k::ValueId depth = min(c64(g.kc), sub(depth_all, k0));

  b.label("pack the panels of b for this block of k");
  b.open_for(c64(0), b_count, c64(1), {}, "q");
  {
    scopes.emplace_back();
    const k::ValueId q = b.loop_index();
    const k::ValueId j0 = mul(q, c64(g.nr));
    axes[g.n] = {add(size_value(s.n_begin), add(column0, j0)), min(c64(g.nr), sub(columns, j0)),
                 c64(0), c64(1), std::nullopt};
    axes[g.k] = {add(size_value(s.k_begin), k0), depth, c64(0), c64(1), std::nullopt};
    const Shape shape = choose({g.k, g.n}, {g.b}, {});
    pack_b(g, b.offset(b_panels, mul(mul(q, c64(g.kc)), c64(g.nr))), depth,
           shape.inner == g.n && shape.lanes > 1);
    axes.erase(g.k);
    scopes.pop_back();
  }
  b.close();

  b.label("blocks of mc rows stay in L2 while the panels of b pass");
  const std::int64_t block_panels = std::max<std::int64_t>(1, g.mc / g.mr);
  b.open_for(panel0, panel_end, c64(block_panels), {}, "i0");
  const k::ValueId i0 = b.loop_index();
  const k::ValueId i_end = min(add(i0, c64(block_panels)), panel_end);
  b.open_for(c64(0), b_count, c64(1), {}, "q");
  const k::ValueId q = b.loop_index();
  b.open_for(i0, i_end, c64(1), {}, "p");
  {
    scopes.emplace_back();
    const k::ValueId p = b.loop_index();
    const k::ValueId local = mul(sub(p, panel0), c64(g.mr));
    const k::ValueId whole = add(mul(local, c64(g.nc)), mul(q, c64(g.nr)));
    const k::ValueId c_tile = b.offset(c_area, b.select(single, c64(0), whole));
    const k::ValueId pitch = b.select(single, c64(g.nr), c64(g.nc));
    const k::ValueId a_panel = b.offset(a_base, mul(add(mul(p, depth_all), k0), c64(g.mr)));
    const k::ValueId b_panel = b.offset(b_panels, mul(mul(q, c64(g.kc)), c64(g.nr)));
    b.call(micro, {depth, a_panel, b_panel, c_tile, pitch, k0});
    const k::ValueId last = b.compare(k::OpCode::Ge, add(k0, c64(g.kc)), depth_all);
    b.open_if(last);
    const k::ValueId row = mul(p, c64(g.mr)), column = add(column0, mul(q, c64(g.nr)));
    axes[g.m] = {add(size_value(s.m_begin), row), min(c64(g.mr), sub(size_value(s.m), row)), c64(0),
                 c64(1), std::nullopt};
    axes[g.n] = {add(size_value(s.n_begin), column), min(c64(g.nr), sub(size_value(s.n), column)),
                 c64(0), c64(1), std::nullopt};
    Buffer tile;
    tile.pointer = c_tile;
    tile.element = DType::F32;
    tile.strides = {{g.m, pitch}, {g.n, c64(1)}};
    epilogue(root, tile);
    b.close();
    scopes.pop_back();
  }
  for (int i = 0; i < 4; ++i) b.close();  // p, q, i0, k0
  scopes.pop_back();
  b.close();  // program
  b.close();
}

}  // namespace parhelion::passes::cpu
