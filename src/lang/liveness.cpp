// SPDX-License-Identifier: Apache-2.0
#include "lang/liveness.h"

#include <algorithm>

namespace parhelion::lang {

namespace {

class Analysis {
 public:
  explicit Analysis(const Trace& trace) : trace_(trace) {}

  VarSet block(BlockIndex b, VarSet live) {
    const auto& nodes = trace_.blocks[b].nodes;
    for (std::size_t i = nodes.size(); i-- > 0;) node(b, i, live);
    return live;
  }

  Liveness result;

 private:
  void node(BlockIndex b, std::size_t i, VarSet& live) {
    const Node& n = trace_.blocks[b].nodes[i];
    if (n.copy) {
      const bool needed = live.erase(n.writes[0]) > 0;
      result.needed[{b, i}] = needed;
      if (needed) live.insert(n.reads[0]);
      return;
    }
    switch (n.op.code) {
      case ir::OpCode::Grid:
      case ir::OpCode::For: loop(b, i, n, live); return;
      case ir::OpCode::While: while_loop(b, i, n, live); return;
      case ir::OpCode::If: branch(b, i, n, live); return;
      default: break;
    }
    bool needed = n.writes.empty();
    for (const VarId w : n.writes) needed = live.erase(w) > 0 || needed;
    result.needed[{b, i}] = needed;
    if (needed) live.insert(n.reads.begin(), n.reads.end());
  }

  /// Variables written in a block (nested ones included) that were declared outside of it.
  [[nodiscard]] VarSet written(BlockIndex b) const {
    VarSet set;
    collect(b, set);
    std::erase_if(set, [&](VarId v) { return inside(trace_.variables[v].block, b); });
    return set;
  }
  void collect(BlockIndex b, VarSet& set) const {
    for (const Node& n : trace_.blocks[b].nodes) {
      set.insert(n.writes.begin(), n.writes.end());
      for (const BlockIndex inner : n.blocks) collect(inner, set);
    }
  }
  [[nodiscard]] bool inside(BlockIndex block, BlockIndex outer) const {
    for (;; block = trace_.blocks[block].parent) {
      if (block == outer) return true;
      if (block == 0) return outer == 0;
    }
  }
  [[nodiscard]] bool has_effect(BlockIndex b) const {
    return std::ranges::any_of(trace_.blocks[b].nodes, [&](const Node& n) {
      if (n.op.code == ir::OpCode::Store && !n.copy) return true;
      return std::ranges::any_of(n.blocks, [&](BlockIndex inner) { return has_effect(inner); });
    });
  }

  static std::vector<VarId> intersection(const VarSet& a, const VarSet& b) {
    std::vector<VarId> both;
    std::ranges::set_intersection(a, b, std::back_inserter(both));
    return both;
  }

  void loop(BlockIndex b, std::size_t i, const Node& n, VarSet& live) {
    const BlockIndex body = n.blocks[0];
    const VarSet writes = written(body);
    const bool needed =
        has_effect(body) || n.op.code == ir::OpCode::Grid || !intersection(writes, live).empty();
    result.needed[{b, i}] = needed;
    if (!needed) return;
    // head = after + live(body, head), to a fixed point: what the next trip reads is live.
    VarSet head = live;
    for (;;) {
      VarSet next = block(body, head);
      next.insert(live.begin(), live.end());
      if (next == head) break;
      head = std::move(next);
    }
    result.merged[{b, i}] = intersection(writes, head);
    live = std::move(head);
    live.insert(n.reads.begin(), n.reads.end());
  }

  void while_loop(BlockIndex b, std::size_t i, const Node& n, VarSet& live) {
    VarSet writes = written(n.blocks[0]);
    const VarSet body_writes = written(n.blocks[1]);
    writes.insert(body_writes.begin(), body_writes.end());
    result.needed[{b, i}] = true;  // it may not end: never dropped
    VarSet head = live;
    for (;;) {
      VarSet at_condition = block(n.blocks[1], head);
      at_condition.insert(live.begin(), live.end());
      VarSet next = block(n.blocks[0], at_condition);
      next.insert(live.begin(), live.end());
      if (next == head) break;
      head = std::move(next);
    }
    result.merged[{b, i}] = intersection(writes, head);
    live = std::move(head);
  }

  void branch(BlockIndex b, std::size_t i, const Node& n, VarSet& live) {
    VarSet writes = written(n.blocks[0]);
    const VarSet other = written(n.blocks[1]);
    writes.insert(other.begin(), other.end());
    const std::vector<VarId> results = intersection(writes, live);
    const bool needed = !results.empty() || has_effect(n.blocks[0]) || has_effect(n.blocks[1]);
    result.needed[{b, i}] = needed;
    if (!needed) return;
    result.merged[{b, i}] = results;
    VarSet a = block(n.blocks[0], live);
    const VarSet c = block(n.blocks[1], live);
    a.insert(c.begin(), c.end());
    live = std::move(a);
    live.insert(n.reads.begin(), n.reads.end());
  }

  const Trace& trace_;
};

}  // namespace

Liveness analyse(const Trace& trace) {
  Analysis analysis(trace);
  (void)analysis.block(0, {});
  return std::move(analysis.result);
}

}  // namespace parhelion::lang
