// SPDX-License-Identifier: Apache-2.0
// One root loop as one phase: programs [first, last), each a tile of the root's axes.
#include "passes/cpu/engine.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::passes::cpu {

void Engine::root_phase(const plan::cpu::RootPlan& root) {
  const ir::Op& op = f.op(root.root);
  const auto& attr = std::get<ir::LoopAttr>(op.payload);
  const std::string name =
      plan.roots.size() == 1 ? f.name : fmt::format("{}_{}", f.name, m.launch.phases.size());
  // Tiles along each axis, and their product: the number of programs.
  ir::SizeId programs = sizes.constant(1);
  std::vector<ir::SizeId> tiles;
  for (const ir::LoopDim& d : attr.dims) {
    const ir::SizeId length = sizes.sub(d.end.size, d.begin.size);
    const ir::SizeId clipped = sizes.max(length, sizes.constant(0));
    tiles.push_back(sizes.ceil_div(clipped, sizes.constant(block_size(d.block))));
    programs = sizes.mul(programs, tiles.back());
  }
  LaunchPhase phase;
  phase.entry = name;
  phase.programs = sizes.program(programs);
  phase.chunk = root.chunk;
  m.launch.phases.push_back(phase);

  open_entry(name);
  at(op);
  b.open_for(m.entry_values[0], m.entry_values[1], c64(1), {}, "program");
  k::ValueId rest = b.loop_index();
  scopes.emplace_back();
  for (std::size_t i = attr.dims.size(); i-- > 0;) {
    const ir::LoopDim& d = attr.dims[i];
    const k::ValueId count = size_value(tiles[i]);
    const k::ValueId tile = i == 0 ? rest : b.binary(k::OpCode::Rem, rest, count);
    if (i > 0) rest = b.binary(k::OpCode::Div, rest, count);
    const std::int64_t block = block_size(d.block);
    const k::ValueId begin = add(size_value(d.begin.size), mul(tile, c64(block)));
    const k::ValueId lanes = min(c64(block), sub(size_value(d.end.size), begin));
    axes[d.axis] = {begin, lanes, tile, count, std::nullopt};
  }
  walk(root.scalar_axes, [&] { region(op.regions[0]); });
  scopes.pop_back();
  b.close();
  if (std::ranges::any_of(plan.non_temporal, [](bool nt) { return nt; })) {
    b.op(k::OpCode::StoreFence, {}, {});
  }
  b.close();
}

}  // namespace parhelion::passes::cpu
