// SPDX-License-Identifier: Apache-2.0
// Loops and branches of the device part. Scalars are carried as SSA values, tiles in buffers.
#include "passes/cpu/engine.h"

#include "base/diag.h"

#include <algorithm>

namespace parhelion::passes::cpu {

namespace {

const std::vector<ir::ValueId>& yielded(const ir::Function& f, ir::RegionId region) {
  const ir::Op& last = f.op(f.region(region).ops.back());
  PH_ASSERT(last.code == ir::OpCode::Yield, "a region ends in a yield");
  return last.operands;
}

}  // namespace

/// Splits carried values into scalars (SSA) and tiles (buffers); entries of tiles are filled.
Engine::Carry Engine::open_carry(const std::vector<ir::ValueId>& entries,
                                 const std::vector<ir::ValueId>& arguments) {
  Carry carry;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::vector<ir::AxisId> over = live_axes(f.type(entries[i]).axes);
    if (over.empty()) {
      carry.scalars.push_back(i);
      carry.initial.push_back(eval(entries[i], nullptr));
      continue;
    }
    const Buffer buffer = allocate(over, compute_dtype(f.type(entries[i]).dtype), "carried");
    fill(buffer, over, entries[i]);
    buffers[arguments[i]] = buffer;
    carry.tiles.push_back({i, buffer, over});
  }
  return carry;
}

/// Scalars of the next trip first, then the tiles: in place where one tile alone is carried.
std::vector<k::ValueId> Engine::next_carry(const Carry& carry,
                                           const std::vector<ir::ValueId>& values) {
  std::vector<k::ValueId> next;
  for (const std::size_t i : carry.scalars) next.push_back(eval(values[i], nullptr));
  if (carry.tiles.size() == 1) {
    const Carry::Tile& t = carry.tiles[0];
    fill(t.buffer, t.axes, values[t.index]);
    return next;
  }
  for (const Carry::Tile& t : carry.tiles) materialize(values[t.index]);
  for (const Carry::Tile& t : carry.tiles) fill(t.buffer, t.axes, values[t.index]);
  return next;
}

void Engine::define_carry(const Carry& carry, const std::vector<ir::ValueId>& results,
                          const std::vector<k::ValueId>& scalars) {
  for (std::size_t i = 0; i < carry.scalars.size(); ++i) {
    remember(results[carry.scalars[i]], scalars[i]);
  }
  for (const Carry::Tile& t : carry.tiles) buffers[results[t.index]] = t.buffer;
}

k::ValueId Engine::bound_value(const ir::Op& op, const ir::Bound& bound) {
  if (bound.operand < 0) return size_value(bound.size);
  const k::ValueId v = eval(op.operands[static_cast<std::size_t>(bound.operand)], nullptr);
  return m.type(v).element == DType::I64 ? v : b.convert(v, DType::I64);
}

void Engine::loop(ir::OpId id) {
  const ir::Op& op = f.op(id);
  const auto& attr = std::get<ir::LoopAttr>(op.payload);
  std::size_t bounds = 0;
  for (const ir::LoopDim& d : attr.dims) {
    bounds += (d.begin.operand >= 0 ? 1U : 0U) + (d.end.operand >= 0 ? 1U : 0U);
  }
  const std::vector<ir::ValueId> entries(op.operands.begin() + static_cast<std::ptrdiff_t>(bounds),
                                         op.operands.end());
  const ir::RegionId body = op.regions[0];
  Carry carry = open_carry(entries, f.region(body).arguments);
  at(op);
  std::vector<k::ValueId> current = carry.initial;
  for (const ir::LoopDim& d : attr.dims) {
    const k::ValueId begin = bound_value(op, d.begin), end = bound_value(op, d.end);
    const std::int64_t block = block_size(d.block);
    b.open_for(begin, end, c64(block), current, f.axis(d.axis).name + "_begin");
    const k::ValueId t = b.loop_index();
    for (std::size_t i = 0; i < current.size(); ++i) current[i] = b.carried(i);
    const k::ValueId length = max(sub(end, begin), c64(0));
    axes[d.axis] = {t, min(c64(block), sub(end, t)),
                    b.binary(k::OpCode::Div, sub(t, begin), c64(block)), ceil_div(length, block),
                    std::nullopt};
  }
  scopes.emplace_back();
  for (std::size_t i = 0; i < carry.scalars.size(); ++i) {
    remember(f.region(body).arguments[carry.scalars[i]], current[i]);
  }
  region(body);
  std::vector<k::ValueId> next = next_carry(carry, yielded(f, body));
  scopes.pop_back();
  for (std::size_t i = 0; i < attr.dims.size(); ++i) next = b.close(next);
  for (const ir::LoopDim& d : attr.dims) axes.erase(d.axis);
  define_carry(carry, op.results, next);
}

void Engine::while_loop(ir::OpId id) {
  const ir::Op& op = f.op(id);
  const ir::Region& test = f.region(op.regions[0]);
  const ir::Region& body = f.region(op.regions[1]);
  Carry carry = open_carry(op.operands, test.arguments);
  for (const Carry::Tile& t : carry.tiles) buffers[body.arguments[t.index]] = t.buffer;
  at(op);
  b.open_while(carry.initial);
  scopes.emplace_back();
  for (std::size_t i = 0; i < carry.scalars.size(); ++i) {
    remember(test.arguments[carry.scalars[i]], b.carried(i));
  }
  region(op.regions[0]);
  const k::ValueId go_on = eval(f.op(test.ops.back()).operands[0], nullptr);
  scopes.pop_back();
  b.condition(go_on);
  scopes.emplace_back();
  for (std::size_t i = 0; i < carry.scalars.size(); ++i) {
    remember(body.arguments[carry.scalars[i]], b.carried(i));
  }
  region(op.regions[1]);
  const std::vector<k::ValueId> next = next_carry(carry, yielded(f, op.regions[1]));
  scopes.pop_back();
  define_carry(carry, op.results, b.close(next));
}

void Engine::branch(ir::OpId id) {
  const ir::Op& op = f.op(id);
  const k::ValueId condition = eval(op.operands[0], nullptr);
  std::vector<k::Type> types;
  std::vector<std::size_t> scalars;
  std::vector<std::pair<std::size_t, Buffer>> tiles;
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    const ir::TileType& type = f.type(op.results[i]);
    const std::vector<ir::AxisId> over = live_axes(type.axes);
    if (over.empty()) {
      scalars.push_back(i);
      types.push_back({compute_dtype(type.dtype), 1, 0, k::Space::None});
    } else {
      tiles.emplace_back(i, allocate(over, compute_dtype(type.dtype), "branch"));
    }
  }
  at(op);
  b.open_if(condition, types);
  for (std::size_t arm = 0; arm < 2; ++arm) {
    scopes.emplace_back();
    const std::map<ir::ValueId, Buffer> outside = buffers;
    region(op.regions[arm]);
    const std::vector<ir::ValueId>& values = yielded(f, op.regions[arm]);
    std::vector<k::ValueId> out;
    for (const std::size_t i : scalars) out.push_back(eval(values[i], nullptr));
    for (const auto& [i, buffer] : tiles) {
      fill(buffer, live_axes(f.type(op.results[i]).axes), values[i]);
    }
    buffers = outside;
    scopes.pop_back();
    if (arm == 0) {
      b.otherwise(out);
    } else {
      const std::vector<k::ValueId> results = b.close(out);
      for (std::size_t i = 0; i < scalars.size(); ++i) {
        remember(op.results[scalars[i]], results[i]);
      }
    }
  }
  for (const auto& [i, buffer] : tiles) buffers[op.results[i]] = buffer;
}

}  // namespace parhelion::passes::cpu
