// SPDX-License-Identifier: Apache-2.0
// A configuration's text read by the ids of one function, and the blocks that it leaves out.
#include "ir/tile/walk.h"
#include "plan/cuda/make_plan.h"

#include <algorithm>

namespace parhelion::plan::cuda {
namespace {

using config::Config;
using config::Key;
using config::Parameter;

// Guesses, for a configuration that says nothing; the heuristics say all blocks.
constexpr std::int64_t pointwise_block = 1024, loop_block = 256, dot_block = 64, dot_depth = 32;

class Reader {
 public:
  Reader(const ir::Function& function, const Config& config)
      : f_(function), config_(config), ids_(ir::number(function)) {}

  Choices read() {
    choices_.blocks.resize(f_.blocks.size(), 0);
    for (std::size_t i = 0; i < f_.blocks.size(); ++i)
      choices_.blocks[i] = f_.blocks[i].fixed.value_or(0);
    find_dot_axes();
    for (const ir::OpId loop : ids_.loops) read_loop(loop);
    choices_.warps = integer({Parameter::Warps, -1, {}}, 4);
    for (std::size_t i = 0; i < ids_.axes.size(); ++i) read_reduce(i);
    for (std::size_t i = 0; i < ids_.sites.size(); ++i) {
      if (const auto v = config_.integer(key(Parameter::Vector, i))) {
        choices_.vector_bytes[ir::SiteId(i)] = static_cast<int>(*v);
      }
    }
    for (std::size_t i = 0; i < ids_.dots.size(); ++i) {
      const auto word = config_.word(key(Parameter::WarpGrid, i));
      const auto pair = word ? config::parse_pair(*word) : std::nullopt;
      if (pair)
        choices_.warp_grid[ids_.dots[i]] = {static_cast<int>(pair->first),
                                            static_cast<int>(pair->second)};
    }
    return std::move(choices_);
  }

 private:
  static Key key(Parameter parameter, std::size_t index) {
    return {parameter, static_cast<int>(index), {}};
  }
  int integer(const Key& k, int fallback) const {
    return static_cast<int>(config_.integer_or(k, fallback));
  }

  void find_dot_axes() {
    for (const ir::OpId id : ids_.dots) {
      const ir::Op& op = f_.op(id);
      const auto& axes = f_.type(op.operands[0]).axes;
      dot_outer_.push_back(axes[0]);
      dot_outer_.push_back(f_.type(op.operands[1]).axes[1]);
      dot_inner_.push_back(axes[1]);
    }
  }

  void read_loop(ir::OpId loop) {
    const auto& dims = std::get<ir::LoopAttr>(f_.op(loop).payload).dims;
    for (const ir::LoopDim& dim : dims) {
      std::int64_t& block = choices_.blocks[dim.block.index()];
      if (f_.blocks[dim.block.index()].fixed) continue;
      const auto index = ids_.axis(dim.axis);
      const auto chosen = index ? config_.integer(key(Parameter::Block, *index)) : std::nullopt;
      if (chosen) block = *chosen;
      if (block == 0) block = default_block(loop, dim, dims.size());
    }
    const std::size_t id = *ids_.loop(loop);
    if (const auto s = config_.integer(key(Parameter::Stages, id)))
      choices_.stages[loop] = static_cast<int>(*s);
    if (const auto u = config_.integer(key(Parameter::Unroll, id)))
      choices_.unroll[loop] = static_cast<int>(*u);
    if (const auto g = config_.integer(key(Parameter::Group, id)))
      choices_.group[loop] = static_cast<int>(*g);
    if (const auto o = config_.list(key(Parameter::Order, id)))
      choices_.order[loop] = {o->begin(), o->end()};
  }

  std::int64_t default_block(ir::OpId loop, const ir::LoopDim& dim, std::size_t rank) const {
    const ir::Block& block = f_.blocks[dim.block.index()];
    std::int64_t size = f_.op(loop).code == ir::OpCode::Grid ? pointwise_block : loop_block;
    if (rank > 1) size = 32;
    if (has_full_axis())
      size = std::min<std::int64_t>(size, f_.op(loop).code == ir::OpCode::Grid ? 1 : 32);
    if (std::ranges::find(dot_outer_, dim.axis) != dot_outer_.end()) size = dot_block;
    if (std::ranges::find(dot_inner_, dim.axis) != dot_inner_.end()) size = dot_depth;
    if (block.maximum > 0) size = std::min(size, block.maximum);
    return std::max(size, block.minimum);
  }

  bool has_full_axis() const {
    return std::ranges::any_of(f_.values, [&](const ir::Value& v) {
      return std::ranges::any_of(
          v.type.axes, [&](ir::AxisId a) { return f_.axis(a).kind == ir::AxisKind::Extent; });
    });
  }

  void read_reduce(std::size_t index) {
    const Key k = key(Parameter::Reduce, index);
    if (config_.word(k) == "resident") choices_.reduce[ids_.axes[index]] = 0;
    if (const auto chunk = config_.integer(k)) choices_.reduce[ids_.axes[index]] = *chunk;
  }

  const ir::Function& f_;
  const Config& config_;
  ir::Numbering ids_;
  Choices choices_;
  std::vector<ir::AxisId> dot_outer_, dot_inner_;
};

}  // namespace

namespace {

/// The configuration with what was chosen for it: what the banner and `explain` show.
Config completed(const ir::Function& function, Config config, const Choices& choices) {
  const ir::Numbering ids = ir::number(function);
  const auto add = [&](Parameter parameter, std::size_t index, std::int64_t value) {
    const Key key{parameter, static_cast<int>(index), {}};
    if (!config.has(key)) config.set(key, config::Value(value));
  };
  for (const ir::OpId loop : ids.loops) {
    for (const ir::LoopDim& dim : std::get<ir::LoopAttr>(function.op(loop).payload).dims) {
      const auto axis = ids.axis(dim.axis);
      const bool fixed = function.blocks[dim.block.index()].fixed.has_value();
      if (axis && !fixed) add(Parameter::Block, *axis, choices.blocks[dim.block.index()]);
    }
  }
  const Key warps{Parameter::Warps, -1, {}};
  if (!config.has(warps)) config.set(warps, choices.warps);
  return config;
}

}  // namespace

Choices read_choices(const ir::Function& function, const Config& config) {
  return Reader(function, config).read();
}

std::expected<Plan, Refusal> make_plan(const ir::Function& function, const Config& config,
                                       const ir::Specialization& specialization,
                                       const Machine& machine) {
  const Choices choices = read_choices(function, config);
  auto plan = make_plan(function, choices, specialization, machine);
  if (plan) {
    plan->config = completed(function, config, choices).text();
    return plan;
  }
  Refusal refusal = std::move(plan.error());
  refusal.repaired = Config(config).merge(refusal.repaired);
  return std::unexpected(std::move(refusal));
}

}  // namespace parhelion::plan::cuda
