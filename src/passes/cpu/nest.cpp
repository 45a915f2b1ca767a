// SPDX-License-Identifier: Apache-2.0
// Loop nests: scalar loops over the outer axes, strips and a masked tail over the vector axis.
#include "passes/cpu/engine.h"

#include "base/diag.h"

#include <algorithm>

namespace parhelion::passes::cpu {

std::vector<ir::AxisId> Engine::live_axes(const std::vector<ir::AxisId>& list) const {
  std::vector<ir::AxisId> live;
  for (const ir::AxisId a : list) {
    if (a == ir::unit_axis || std::ranges::find(live, a) != live.end()) continue;
    const auto it = axes.find(a);
    if (it == axes.end() || !it->second.index) live.push_back(a);
  }
  return live;
}

void Engine::walk(const std::vector<ir::AxisId>& list, const std::function<void()>& inner) {
  for (const ir::AxisId a : list) {
    bind_extent(a);
    AxisBinding& bound = axes.at(a);
    b.open_for(c64(0), bound.count, c64(1), {}, f.axis(a).name.empty() ? "i" : f.axis(a).name);
    axes.at(a).index = b.loop_index();
    scopes.emplace_back();
  }
  inner();
  for (std::size_t i = list.size(); i-- > 0;) {
    scopes.pop_back();
    axes.at(list[i]).index.reset();
    b.close();
  }
}

void Engine::bind_extent(ir::AxisId axis) {
  if (axes.contains(axis)) return;
  const ir::Axis& a = f.axis(axis);
  PH_ASSERT(a.kind == ir::AxisKind::Extent, "a tile axis is bound by its loop");
  axes[axis] = {c64(0), size_value(a.extent), c64(0), c64(1), std::nullopt};
}

namespace {

/// Loads and stores below a value that stand between it and what is computed already.
void collect_loads(const Engine& e, ir::ValueId v, std::set<ir::ValueId>& seen,
                   std::vector<const ir::Op*>& loads) {
  if (!seen.insert(v).second || e.buffers.contains(v)) return;
  const ir::OpId id = e.f.value(v).defined_by;
  if (!id.valid()) return;
  const ir::Op& op = e.f.op(id);
  const ir::OpGroup group = ir::row(op.code).group;
  if (group == ir::OpGroup::Control || group == ir::OpGroup::Reduce || group == ir::OpGroup::Dot) {
    return;
  }
  if (op.code == ir::OpCode::Load) loads.push_back(&op);
  for (const ir::ValueId operand : op.operands) collect_loads(e, operand, seen, loads);
}

bool uses_axis(const ir::Access& access, ir::AxisId axis) {
  return std::ranges::find(access.axes, axis) != access.axes.end();
}

}  // namespace

Engine::Shape Engine::choose(const std::vector<ir::AxisId>& over,
                             const std::vector<ir::ValueId>& values,
                             const std::vector<const ir::Op*>& places) const {
  Shape shape;
  const std::vector<ir::AxisId> live = live_axes(over);
  if (live.empty()) return shape;
  std::set<ir::ValueId> seen;
  std::vector<const ir::Op*> accesses = places;
  for (const ir::ValueId v : values) collect_loads(*this, v, seen, accesses);
  // The axis that most accesses run along; the last one where nothing decides.
  std::size_t best = live.size() - 1;
  int best_score = -1;
  for (std::size_t i = live.size(); i-- > 0;) {
    int score = 0;
    for (const ir::Op* op : accesses) {
      const ir::Access& access = std::get<ir::Access>(op->payload);
      if (uses_axis(access, live[i]) && contiguous_along(*op, live[i])) ++score;
    }
    if (score > best_score) {
      best_score = score;
      best = i;
    }
  }
  shape.inner = live[best];
  for (std::size_t i = 0; i < live.size(); ++i) {
    if (i != best) shape.outer.push_back(live[i]);
  }
  const bool vectors = std::ranges::all_of(
      accesses, [&](const ir::Op* op) { return contiguous_along(*op, shape.inner); });
  shape.lanes = vectors ? plan.lanes : 1;
  return shape;
}

std::vector<k::ValueId> Engine::strips(
    ir::AxisId axis, int lanes, int strip, const std::vector<k::ValueId>& initial,
    const std::function<k::ValueId(std::size_t, k::ValueId, k::ValueId)>& combine,
    const Body& body) {
  bind_extent(axis);
  const k::ValueId count = axes.at(axis).count;
  const std::size_t n = initial.size();
  const auto run = [&](k::ValueId start, std::optional<k::ValueId> valid,
                       const std::vector<k::ValueId>& carry) {
    scopes.emplace_back();
    const Lanes at{axis, start, lanes, valid};
    std::vector<k::ValueId> next = body(at, carry);
    scopes.pop_back();
    return next;
  };
  if (lanes == 1) {
    b.open_for(c64(0), count, c64(1), initial, "j");
    std::vector<k::ValueId> carry;
    for (std::size_t i = 0; i < n; ++i) carry.push_back(b.carried(i));
    return b.close(run(b.loop_index(), std::nullopt, carry));
  }
  std::vector<k::ValueId> acc = initial;
  k::ValueId begin = c64(0);
  if (strip > 1) {
    const k::ValueId step = c64(static_cast<std::int64_t>(strip) * lanes);
    const k::ValueId end = sub(count, b.binary(k::OpCode::Rem, count, step));
    std::vector<k::ValueId> copies;
    for (int u = 0; u < strip; ++u) copies.insert(copies.end(), initial.begin(), initial.end());
    b.open_for(begin, end, step, copies, "j");
    const k::ValueId j = b.loop_index();
    std::vector<k::ValueId> yielded;
    std::vector<k::ValueId> carried;
    for (std::size_t i = 0; i < copies.size(); ++i) carried.push_back(b.carried(i));
    for (int u = 0; u < strip; ++u) {
      const auto first = carried.begin() + static_cast<std::ptrdiff_t>(n) * u;
      const std::vector<k::ValueId> mine(first, first + static_cast<std::ptrdiff_t>(n));
      for (const k::ValueId v : run(add(j, c64(static_cast<std::int64_t>(u) * lanes)), {}, mine)) {
        yielded.push_back(v);
      }
    }
    const std::vector<k::ValueId> results = b.close(yielded);
    // ((0 + 1) + (2 + 3)): a fixed tree over the copies.
    std::vector<std::vector<k::ValueId>> parts;
    for (int u = 0; u < strip; ++u) {
      const auto first = results.begin() + static_cast<std::ptrdiff_t>(n) * u;
      parts.emplace_back(first, first + static_cast<std::ptrdiff_t>(n));
    }
    while (parts.size() > 1) {
      std::vector<std::vector<k::ValueId>> halves;
      for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
        halves.emplace_back();
        for (std::size_t c = 0; c < n; ++c) {
          halves.back().push_back(combine(c, parts[i][c], parts[i + 1][c]));
        }
      }
      if (parts.size() % 2 == 1) halves.push_back(parts.back());
      parts = std::move(halves);
    }
    acc = parts[0];
    begin = end;
  }
  const k::ValueId full_end = sub(count, b.binary(k::OpCode::Rem, count, c64(lanes)));
  b.open_for(begin, full_end, c64(lanes), acc, "j");
  {
    std::vector<k::ValueId> carry;
    for (std::size_t i = 0; i < n; ++i) carry.push_back(b.carried(i));
    acc = b.close(run(b.loop_index(), std::nullopt, carry));
  }
  std::vector<k::Type> types;
  for (const k::ValueId v : acc) types.push_back(m.type(v));
  const k::ValueId rest = sub(count, full_end);
  b.open_if(b.compare(k::OpCode::Gt, rest, c64(0)), types);
  const std::vector<k::ValueId> tail = run(full_end, rest, acc);
  if (n == 0) {
    b.close();
    return {};
  }
  b.otherwise(tail);
  return b.close(acc);
}

}  // namespace parhelion::passes::cpu
