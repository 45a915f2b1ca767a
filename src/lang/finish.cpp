// SPDX-License-Identifier: Apache-2.0
// Variable form -> SSA by forward renaming. Loops carry exactly what is written in them, declared
// outside and live at their head.
#include "lang/liveness.h"
#include "lang/names.h"
#include "lang/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace parhelion::lang {

namespace {

/// Operands of `+` and arguments are evaluated right to left by g++ and left to right by others:
/// pure ops of one source line are put in the order of their columns, as far as data allows.
void sort_lines(std::vector<Node>& nodes) {
  const auto sortable = [](const Node& n) {
    return !n.copy && n.op.code != ir::OpCode::Store && n.blocks.empty() &&
           ir::row(n.op.code).group != ir::OpGroup::Control && n.op.where.known();
  };
  for (std::size_t i = 0; i < nodes.size();) {
    std::size_t end = i;
    while (end < nodes.size() && sortable(nodes[end]) &&
           nodes[end].op.where.line == nodes[i].op.where.line &&
           nodes[end].op.where.file == nodes[i].op.where.file) {
      ++end;
    }
    if (end <= i + 1) {
      i = std::max(end, i + 1);
      continue;
    }
    std::vector<Node> run(
        std::make_move_iterator(nodes.begin() + static_cast<std::ptrdiff_t>(i)),
        std::make_move_iterator(nodes.begin() + static_cast<std::ptrdiff_t>(end)));
    std::vector<bool> placed(run.size());
    VarSet pending;
    for (const Node& n : run) pending.insert(n.writes.begin(), n.writes.end());
    for (std::size_t k = i; k < end; ++k) {
      std::size_t best = run.size();
      for (std::size_t j = 0; j < run.size(); ++j) {
        if (placed[j]) continue;
        const bool ready =
            std::ranges::none_of(run[j].reads, [&](VarId r) { return pending.contains(r); });
        if (ready && (best == run.size() || run[j].op.where.column < run[best].op.where.column)) {
          best = j;
        }
      }
      placed[best] = true;
      for (const VarId w : run[best].writes) pending.erase(w);
      nodes[k] = std::move(run[best]);
    }
    i = end;
  }
}

class Renamer {
 public:
  Renamer(Trace& trace, const Liveness& live)
      : trace_(trace), live_(live), raw_(trace.function), out_(trace.function) {
    out_.values.clear();
    out_.ops.clear();
    out_.regions.clear();
    out_.body = out_.add_region();
    env_.resize(trace.variables.size());
  }

  ir::Function run() {
    block(0, out_.body);
    for (ir::Axis& axis : out_.axes) {
      if (axis.kind == ir::AxisKind::Tile && loops_.contains(axis.loop)) {
        axis.loop = loops_.at(axis.loop);
      }
    }
    return std::move(out_);
  }

 private:
  using Key = std::pair<BlockIndex, std::size_t>;

  [[nodiscard]] ir::TileType canonical(ir::TileType type) const {
    for (ir::AxisId& a : type.axes) a = trace_.find(a);
    return type;
  }

  [[nodiscard]] std::string variable_name(VarId v) const {
    if (!trace_.variables[v].name.empty()) return trace_.variables[v].name;
    return {};
  }

  [[nodiscard]] ir::ValueId use(VarId v, ir::Location where, std::string_view what) const {
    if (!env_[v].valid()) {
      Diagnostic d = diag(3002, fmt::format("a value is set only {}", what), raw_.place(where),
                          "set it before");
      throw Error(std::move(d));
    }
    return env_[v];
  }

  void block(BlockIndex b, ir::RegionId region) {
    for (std::size_t i = 0; i < trace_.blocks[b].nodes.size(); ++i) {
      const auto it = live_.needed.find({b, i});
      if (it == live_.needed.end() || !it->second) continue;
      node({b, i}, region);
    }
  }

  void node(Key key, ir::RegionId region) {
    const Node& n = trace_.blocks[key.first].nodes[key.second];
    if (n.copy) {
      env_[n.writes[0]] =
          use(n.reads[0], n.op.where, "in a loop that may run zero times, or in one branch");
      return;
    }
    switch (n.op.code) {
      case ir::OpCode::Grid:
      case ir::OpCode::For: return loop(key, n, region);
      case ir::OpCode::While: return while_loop(key, n, region);
      case ir::OpCode::If: return branch(key, n, region);
      default: return plain(n, region);
    }
  }

  void plain(const Node& n, ir::RegionId region) {
    ir::Op op = n.op;
    op.operands.clear();
    for (const VarId r : n.reads) {
      op.operands.push_back(
          use(r, n.op.where, "in a loop that may run zero times, or in one branch"));
    }
    if (auto* access = std::get_if<ir::Access>(&op.payload)) {
      for (ir::AxisId& a : access->axes) a = trace_.find(a);
      for (ir::Subscript& s : access->subscripts) {
        if (s.axis.valid()) s.axis = trace_.find(s.axis);
      }
      access->site = ir::SiteId(out_.sites++);
    }
    if (auto* shape = std::get_if<ir::ShapeAttr>(&op.payload)) {
      for (ir::AxisId& a : shape->axes) a = trace_.find(a);
    }
    std::vector<ir::TileType> types;
    for (const ir::ValueId raw : n.op.results) types.push_back(canonical(raw_.type(raw)));
    op.results.clear();
    const ir::OpId id = out_.append(region, std::move(op), types);
    for (std::size_t i = 0; i < n.writes.size(); ++i) {
      const ir::ValueId v = out_.op(id).results[i];
      out_.value(v).name = variable_name(n.writes[i]);
      env_[n.writes[i]] = v;
    }
  }

  std::vector<ir::ValueId> entries(const std::vector<VarId>& carry, const Node& n) {
    std::vector<ir::ValueId> values;
    for (const VarId v : carry) {
      values.push_back(use(v, n.op.where,
                           fmt::format("inside the loop at line {} (which may run "
                                       "zero times)",
                                       n.op.where.line)));
    }
    return values;
  }

  /// Opens a region whose arguments are the carried variables.
  ir::RegionId carried_region(const std::vector<VarId>& carry,
                              const std::vector<ir::ValueId>& entry) {
    const ir::RegionId r = out_.add_region();
    for (std::size_t i = 0; i < carry.size(); ++i) {
      const ir::ValueId v = out_.add_value(out_.type(entry[i]), variable_name(carry[i]));
      out_.region(r).arguments.push_back(v);
      env_[carry[i]] = v;
    }
    return r;
  }

  void check_carry(const std::vector<VarId>& carry, const std::vector<ir::ValueId>& entry) {
    for (std::size_t i = 0; i < carry.size(); ++i) {
      const ir::TileType &a = out_.type(entry[i]), &b = out_.type(env_[carry[i]]);
      if (a == b) continue;
      throw Error(diag(3003,
                       fmt::format("a value enters the loop as {} and leaves as {}",
                                   type_text(out_, a), type_text(out_, b)),
                       raw_.place(trace_.variables[carry[i]].written),
                       "start with the wider type or shape, or cast at the end"));
    }
  }

  void yield(ir::RegionId region, const std::vector<VarId>& vars, ir::Location where) {
    ir::Op op;
    op.code = ir::OpCode::Yield;
    op.where = where;
    for (const VarId v : vars) op.operands.push_back(use(v, where, "in one branch"));
    out_.append(region, std::move(op), {});
  }

  void define(ir::OpId id, const std::vector<VarId>& vars) {
    for (std::size_t i = 0; i < vars.size(); ++i) {
      const ir::ValueId v = out_.op(id).results[i];
      out_.value(v).name = variable_name(vars[i]);
      env_[vars[i]] = v;
    }
  }

  void loop(Key key, const Node& n, ir::RegionId region) {
    const std::vector<VarId>& carry = live_.merged.at(key);
    ir::Op op;
    op.code = n.op.code;
    op.payload = n.op.payload;
    op.where = n.op.where;
    for (const VarId r : n.reads) op.operands.push_back(use(r, n.op.where, "in one branch"));
    const std::vector<ir::ValueId> entry = entries(carry, n);
    op.operands.insert(op.operands.end(), entry.begin(), entry.end());
    std::vector<ir::TileType> types;
    for (const ir::ValueId v : entry) types.push_back(out_.type(v));
    const ir::OpId id = out_.append(region, std::move(op), types);
    const auto& attr = std::get<ir::LoopAttr>(n.op.payload);
    loops_[raw_.axis(attr.dims[0].axis).loop] = id;
    const std::vector<ir::ValueId> saved = env_;
    const ir::RegionId body = carried_region(carry, entry);
    out_.op(id).regions = {body};
    block(n.blocks[0], body);
    check_carry(carry, entry);
    yield(body, carry, n.op.where);
    env_ = saved;
    define(id, carry);
  }

  void while_loop(Key key, const Node& n, ir::RegionId region) {
    const std::vector<VarId>& carry = live_.merged.at(key);
    ir::Op op;
    op.code = n.op.code;
    op.where = n.op.where;
    const std::vector<ir::ValueId> entry = entries(carry, n);
    op.operands = entry;
    std::vector<ir::TileType> types;
    for (const ir::ValueId v : entry) types.push_back(out_.type(v));
    const ir::OpId id = out_.append(region, std::move(op), types);
    const std::vector<ir::ValueId> saved = env_;
    const ir::RegionId condition = carried_region(carry, entry);
    block(n.blocks[0], condition);
    env_ = saved;
    const ir::RegionId body = carried_region(carry, entry);
    block(n.blocks[1], body);
    check_carry(carry, entry);
    yield(body, carry, n.op.where);
    out_.op(id).regions = {condition, body};
    env_ = saved;
    define(id, carry);
  }

  void branch(Key key, const Node& n, ir::RegionId region) {
    const std::vector<VarId>& results = live_.merged.at(key);
    ir::Op op;
    op.code = n.op.code;
    op.where = n.op.where;
    op.operands = {use(n.reads[0], n.op.where, "in one branch")};
    const std::vector<ir::ValueId> saved = env_;
    std::vector<ir::RegionId> regions;
    std::vector<ir::TileType> types;
    const ir::OpId id = out_.append(region, std::move(op), {});
    for (const BlockIndex b : n.blocks) {
      env_ = saved;
      const ir::RegionId r = out_.add_region();
      block(b, r);
      yield(r, results, n.op.where);
      regions.push_back(r);
      if (types.empty()) {
        for (const VarId v : results) types.push_back(out_.type(env_[v]));
      }
    }
    out_.op(id).regions = regions;
    for (const ir::TileType& t : types) {
      out_.op(id).results.push_back(out_.add_value(t, {}, id));
    }
    env_ = saved;
    define(id, results);
  }

  Trace& trace_;
  const Liveness& live_;
  const ir::Function& raw_;
  ir::Function out_;
  std::vector<ir::ValueId> env_;
  std::map<ir::OpId, ir::OpId> loops_;  // raw loop -> loop of the result
};

/// The last op of a line that assigns a variable gets its name.
void name_values(Trace& trace) {
  for (Block& b : trace.blocks) {
    for (std::size_t i = 0; i < b.nodes.size(); ++i) {
      const Node& n = b.nodes[i];
      if (n.writes.empty() || !n.op.where.known() || n.copy) continue;
      const bool last = i + 1 == b.nodes.size() || b.nodes[i + 1].copy ||
                        b.nodes[i + 1].op.where.line != n.op.where.line;
      if (!last || !trace.variables[n.writes[0]].name.empty()) continue;
      const std::string& file = trace.function.files[n.op.where.file];
      if (auto found = assigned_name(file, static_cast<int>(n.op.where.line))) {
        trace.variables[n.writes[0]].name = std::move(*found);
      }
    }
  }
}

}  // namespace

ir::Function finish(Trace& trace) {
  for (Block& b : trace.blocks) sort_lines(b.nodes);
  name_values(trace);
  const Liveness live = analyse(trace);
  return Renamer(trace, live).run();
}

}  // namespace parhelion::lang
