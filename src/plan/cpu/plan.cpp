// SPDX-License-Identifier: Apache-2.0
#include "plan/cpu/plan.h"

#include "plan/cpu/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace parhelion::plan::cpu {

namespace {

using config::ConstraintId;
using config::Fill;
using config::Key;
using config::Parameter;

constexpr std::int64_t default_block = 65536;  // elements of a program that only walks lanes
constexpr std::int64_t default_rows = 4;
constexpr int max_strip = 8;
constexpr int max_chunk = 64;
constexpr std::int64_t max_block = std::int64_t{1} << 30;

class Maker {
 public:
  Maker(const Subject& subject, const Config& config)
      : s_(subject),
        f_(subject.function),
        config_(config),
        numbering_(ir::number(f_)),
        roots_(analyse(f_, subject.specialization)) {}

  std::expected<Plan, Refusal> make() {
    plan_.level = name(s_.target.level);
    plan_.numerics = s_.numerics;
    plan_.config = config_.text();
    plan_.non_temporal.resize(f_.sites);
    const bool ok = subjects() && simd() && blocks() && roots() && sites();
    if (!ok) return std::unexpected(std::move(refusal_));
    common();
    return std::move(plan_);
  }

 private:
  bool refuse(ConstraintId id, std::initializer_list<Fill> fills, Config repaired) {
    refusal_ = {id, config::reason(id, fills), config::repair(id, fills), std::move(repaired)};
    return false;
  }
  [[nodiscard]] Config with(const Key& key, config::Value value) const {
    Config c = config_;
    c.set(key, std::move(value));
    return c;
  }
  [[nodiscard]] Config without(const Key& key) const {
    Config c = config_;
    c.erase(key);
    return c;
  }
  bool in_range(const Key& key, std::int64_t value, std::int64_t low, std::int64_t high) {
    if (value >= low && value <= high) return true;
    const std::int64_t fix = std::clamp(value, low, high);
    const ConstraintId id = value < low ? ConstraintId::NotPositive : ConstraintId::AtMost;
    return refuse(id, {{"key", config::text(key)}, {"value", value}, {"fix", fix}, {"limit", high}},
                  with(key, fix));
  }

  /// Every key must name something of this kernel that the CPU's Plan has.
  bool subjects() {
    for (const auto& [key, value] : config_) {
      const config::ParameterRow& row = config::row(key.parameter);
      if (row.targets == config::Targets::Cuda) {
        return refuse(ConstraintId::WrongTarget,
                      {{"key", config::text(key)}, {"target", std::string("cpu")}}, without(key));
      }
      std::size_t count = 0;
      switch (row.subject) {
        case config::Subject::Axis: count = numbering_.axes.size(); break;
        case config::Subject::Loop: count = numbering_.loops.size(); break;
        case config::Subject::Site: count = numbering_.sites.size(); break;
        case config::Subject::Dot: count = numbering_.dots.size(); break;
        default: continue;
      }
      if (key.index < 0 || static_cast<std::size_t>(key.index) >= count) {
        return refuse(
            ConstraintId::UnknownSubject,
            {{"key", config::text(key)}, {"known", fmt::format("{} exist, counted from 0", count)}},
            without(key));
      }
    }
    return true;
  }

  bool simd() {
    const Key key{Parameter::Simd, -1, {}};
    const std::int64_t bytes = config_.integer_or(key, s_.target.simd_bytes);
    if (bytes != 16 && bytes != 32 && bytes != 64) {
      return refuse(ConstraintId::SimdBytes, {{"value", bytes}, {"fix", s_.target.simd_bytes}},
                    with(key, std::int64_t{s_.target.simd_bytes}));
    }
    if (bytes > s_.target.simd_bytes) {
      return refuse(ConstraintId::SimdFeature,
                    {{"value", bytes},
                     {"feature", std::string(bytes == 64 ? "avx512f" : "avx2")},
                     {"target", name(Target(s_.target))},
                     {"fix", s_.target.simd_bytes}},
                    with(key, std::int64_t{s_.target.simd_bytes}));
    }
    plan_.simd_bytes = static_cast<int>(bytes);
    plan_.lanes = plan_.simd_bytes / 4;
    return true;
  }

  [[nodiscard]] Key axis_key(Parameter p, ir::AxisId axis) const {
    return {p, static_cast<int>(numbering_.axis(axis).value_or(0)), {}};
  }

  bool blocks() {
    plan_.blocks.assign(f_.blocks.size(), 1);
    for (const ir::Op& op : f_.ops) {
      const auto* loop = std::get_if<ir::LoopAttr>(&op.payload);
      if (loop == nullptr) continue;
      for (const ir::LoopDim& d : loop->dims) {
        if (!block(d)) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool is_vector_axis(ir::AxisId axis) const {
    return std::ranges::any_of(roots_,
                               [&](const RootAnalysis& r) { return r.vector_axis == axis; });
  }

  bool block(const ir::LoopDim& d) {
    const ir::Block& b = f_.blocks[d.block.index()];
    const Key key = axis_key(Parameter::Block, d.axis);
    const bool root = f_.op(f_.axis(d.axis).loop).code == ir::OpCode::Grid;
    const std::int64_t fallback = !root                    ? 256
                                  : is_vector_axis(d.axis) ? default_block
                                                           : default_rows;
    std::int64_t value = config_.integer_or(
        key, std::clamp(fallback, b.minimum, b.maximum > 0 ? b.maximum : max_block));
    if (b.fixed) {
      if (config_.has(key) && value != *b.fixed) {
        return refuse(ConstraintId::BlockPinned,
                      {{"key", config::text(key)}, {"value", value}, {"fix", *b.fixed}},
                      without(key));
      }
      value = *b.fixed;
    }
    if (!in_range(key, value, b.minimum, b.maximum > 0 ? b.maximum : max_block)) return false;
    plan_.blocks[d.block.index()] = value;
    return true;
  }

  bool roots() {
    const Key schedule{Parameter::Schedule, -1, {}};
    int chunk = 0;
    if (const auto word = config_.word(schedule); word && *word != "static") {
      const std::string_view inside = word->substr(8, word->size() - 9);  // dynamic(n)
      chunk = static_cast<int>(std::strtol(std::string(inside).c_str(), nullptr, 10));
      if (chunk < 1 || chunk > max_chunk) {
        return refuse(
            ConstraintId::ScheduleChunk,
            {{"value", std::string(*word)}, {"limit", max_chunk}, {"fix", std::string("static")}},
            with(schedule, std::string("static")));
      }
    }
    for (const RootAnalysis& analysis : roots_) {
      RootPlan root;
      root.root = analysis.root;
      root.chunk = chunk;
      root.scalar_axes = analysis.scalar_axes;
      const Key strip{
          Parameter::Strip, static_cast<int>(numbering_.loop(analysis.root).value_or(0)), {}};
      const std::int64_t vectors = config_.integer_or(strip, 4);
      if (vectors < 1 || vectors > max_strip) {
        const std::int64_t fix = std::clamp<std::int64_t>(vectors, 1, max_strip);
        return refuse(
            ConstraintId::StripCount,
            {{"key", config::text(strip)}, {"value", vectors}, {"limit", max_strip}, {"fix", fix}},
            with(strip, fix));
      }
      root.strip = static_cast<int>(vectors);
      if (analysis.gemm && !gemm(*analysis.gemm, root)) return false;
      if (!analysis.gemm && !hold(analysis)) return false;
      plan_.roots.push_back(std::move(root));
    }
    return true;
  }

  /// Register block, panels and the rows of one program.
  bool gemm(const GemmPattern& p, RootPlan& root) {
    GemmPlan g;
    g.root = root.root;
    g.loop = p.loop;
    g.dot = p.dot;
    g.m = p.m;
    g.n = p.n;
    g.k = p.k;
    g.a = p.a;
    g.b = p.b;
    g.result = p.result;
    const int d = static_cast<int>(numbering_.dot(p.dot).value_or(0));
    const Key block{Parameter::RegisterBlock, d, {}};
    const bool wide = s_.target.vector_registers >= 32;
    const std::string fallback = wide ? "12x2" : "6x2";
    const std::string word(config_.word_or(block, fallback));
    const auto pair = config::parse_pair(word);
    if (!pair || pair->first < 1 || pair->second < 1) {
      return refuse(ConstraintId::RegisterBlockForm,
                    {{"key", config::text(block)}, {"value", word}, {"fix", fallback}},
                    with(block, fallback));
    }
    const std::int64_t need = pair->first * pair->second + pair->second + 1;
    if (need > s_.target.vector_registers) {
      return refuse(ConstraintId::VectorRegisters,
                    {{"key", config::text(block)},
                     {"value", word},
                     {"need", need},
                     {"have", s_.target.vector_registers},
                     {"fix", fallback}},
                    with(block, fallback));
    }
    g.mr = static_cast<int>(pair->first);
    g.nr = static_cast<int>(pair->second) * plan_.lanes;
    const Key kc{Parameter::Kc, d, {}}, mc{Parameter::Mc, d, {}}, nc{Parameter::Nc, d, {}};
    g.kc = config_.integer_or(kc, 256);
    if (!in_range(kc, g.kc, 1, 8192)) return false;
    g.mc = config_.integer_or(mc, 96 / g.mr * g.mr + (96 % g.mr != 0 ? g.mr : 0));
    if (!multiple(mc, g.mc, g.mr, word, ConstraintId::PanelRows)) return false;
    g.nc = config_.integer_or(nc, (512 + g.nr - 1) / g.nr * g.nr);
    if (!multiple(nc, g.nc, g.nr, word, ConstraintId::PanelColumns)) return false;
    // Blocks of the axes: rows of one program; the others have no meaning beside kc and nc.
    for (const ir::AxisId axis : {g.n, g.k}) {
      const Key key = axis_key(Parameter::Block, axis);
      if (config_.has(key)) {
        return refuse(ConstraintId::NotOffered,
                      {{"key", config::text(key)},
                       {"value", config::text(*config_.find(key))},
                       {"why", std::string("panels of kc and nc cut this axis")},
                       {"fix", std::string("kc and nc of the dot")}},
                      without(key));
      }
    }
    const Key rows = axis_key(Parameter::Block, g.m);
    const std::int64_t part = config_.integer_or(rows, 1536);
    g.m_part = (part + g.mr - 1) / g.mr * g.mr;
    constexpr std::int64_t most_bytes = std::int64_t{256} << 20;
    const std::int64_t bytes = 4 * (g.m_part * g.nc + g.kc * g.nc);
    if (bytes > most_bytes) {
      const std::int64_t fix = std::max<std::int64_t>(g.mr, most_bytes / (8 * g.nc));
      return refuse(ConstraintId::ScratchBytes,
                    {{"key", config::text(rows)},
                     {"value", part},
                     {"need", bytes},
                     {"limit", most_bytes},
                     {"fix", fix}},
                    with(rows, fix));
    }
    root.gemm = g;
    return true;
  }

  bool multiple(const Key& key, std::int64_t value, std::int64_t of, const std::string& block,
                ConstraintId id) {
    if (!in_range(key, value, of, std::int64_t{1} << 20)) return false;
    if (value % of == 0) return true;
    const std::int64_t fix = (value + of - 1) / of * of;
    return refuse(id,
                  {{"key", config::text(key)},
                   {"value", value},
                   {"multiple", of},
                   {"register_block", block},
                   {"fix", fix}},
                  with(key, fix));
  }

  bool hold(const RootAnalysis& analysis) {
    for (const SharedValue& v : analysis.shared) {
      const Key key = axis_key(Parameter::Reduce, v.axis);
      const std::string word(config_.word_or(key, v.output ? "row(out)" : "row(scratch)"));
      HeldValue held{v.value, Hold::Recompute, {}};
      if (word == "row(out)") {
        if (!v.output) {
          return refuse(ConstraintId::HoldInOutput,
                        {{"key", config::text(key)},
                         {"value", word},
                         {"bytes", 4},
                         {"fix", std::string("row(scratch)")}},
                        with(key, std::string("row(scratch)")));
        }
        held.hold = Hold::Output;
        held.store = *v.output;
      } else if (word == "row(scratch)") {
        held.hold = Hold::Scratch;
      } else if (word != "recompute") {
        return refuse(ConstraintId::NotOffered,
                      {{"key", config::text(key)},
                       {"value", word},
                       {"why", std::string("the CPU keeps a row in its output, in scratch, or "
                                           "computes it again")},
                       {"fix", std::string("row(scratch)")}},
                      with(key, std::string("row(scratch)")));
      }
      plan_.held.push_back(held);
    }
    return true;
  }

  /// Every vector of the store is aligned: stores around the caches fault otherwise.
  [[nodiscard]] bool aligned(const ir::Op& op) const {
    const ir::TensorId tensor = std::get<ir::Access>(op.payload).tensor;
    return s_.specialization.tensors[tensor.index()].base_alignment >= plan_.simd_bytes;
  }

  bool sites() {
    for (std::size_t i = 0; i < numbering_.sites.size(); ++i) {
      const Key key{Parameter::Cache, static_cast<int>(i), {}};
      const auto word = config_.word(key);
      if (!word || *word == "plain") continue;
      const ir::Op& op = f_.op(numbering_.sites[i]);
      const bool whole = *word == "nt" && op.code == ir::OpCode::Store &&
                         !std::get<ir::Access>(op.payload).masked && aligned(op) &&
                         std::ranges::none_of(plan_.held, [&](const HeldValue& h) {
                           return h.hold == Hold::Output && h.store == numbering_.sites[i];
                         });
      if (!whole) {
        return refuse(ConstraintId::NonTemporal, {{"key", config::text(key)}},
                      with(key, std::string("plain")));
      }
      plan_.non_temporal[i] = true;
    }
    return true;
  }

  [[nodiscard]] double lanes_of(const std::vector<ir::AxisId>& axes) const {
    double n = 1;
    for (const ir::AxisId a : axes) {
      const ir::Axis& axis = f_.axis(a);
      if (axis.kind == ir::AxisKind::Extent) n *= example(axis.extent);
      if (axis.kind == ir::AxisKind::Tile) {
        const auto& d = std::get<ir::LoopAttr>(f_.op(axis.loop).payload).dims[axis.dimension];
        if (d.end.size.valid() && d.begin.size.valid()) {
          n *= example(d.end.size) - example(d.begin.size);
        }
      }
    }
    return n;
  }
  [[nodiscard]] double example(ir::SizeId size) const {
    return static_cast<double>(
        f_.sizes.evaluate(size, s_.specialization.symbol_values,
                          [this](ir::BlockId b) { return plan_.blocks[b.index()]; }));
  }

  /// The common part: programs, sites, work of the whole call for the example sizes.
  void common() {
    CommonPlan& c = plan_.common;
    for (const RootPlan& root : plan_.roots) {
      ProgramPlan p;
      p.root = root.root;
      double count = 1;
      for (const ir::LoopDim& d : std::get<ir::LoopAttr>(f_.op(root.root).payload).dims) {
        std::int64_t block = plan_.blocks[d.block.index()];
        if (root.gemm) block = d.axis == root.gemm->m ? root.gemm->m_part : root.gemm->nc;
        p.axes.push_back(d.axis);
        p.block.push_back(block);
        count *= std::ceil(std::max(0.0, lanes_of({d.axis})) / static_cast<double>(block));
      }
      c.programs.push_back(std::move(p));
      c.estimate.programs += static_cast<std::int64_t>(count);
    }
    c.sites.resize(f_.sites);
    for (std::size_t i = 0; i < f_.ops.size(); ++i) {
      const ir::Op& op = f_.ops[i];
      if (const auto* access = std::get_if<ir::Access>(&op.payload)) {
        if (!access->site.valid() || access->site.index() >= f_.sites) continue;
        const double bytes = lanes_of(access->axes) * size_bytes(f_.tensor(access->tensor).dtype);
        c.sites[access->site.index()] = {ir::OpId(i), static_cast<std::int64_t>(bytes),
                                         MaskKind::Predicate, plan_.simd_bytes, 1};
        (op.code == ir::OpCode::Store ? c.estimate.bytes_written : c.estimate.bytes_read) += bytes;
        continue;
      }
      if (op.results.empty()) continue;
      const double lanes = lanes_of(f_.type(op.results[0]).axes);
      if (op.code == ir::OpCode::Dot) {
        c.estimate.flops += 2 * lanes * lanes_of({f_.type(op.operands[0]).axes[1]});
      } else if (ir::row(op.code).group == ir::OpGroup::Unary) {
        c.estimate.special_functions += lanes;
      } else if (ir::row(op.code).group == ir::OpGroup::Binary) {
        c.estimate.flops += lanes;
      }
    }
  }

  Subject s_;
  const ir::Function& f_;
  const Config& config_;
  ir::Numbering numbering_;
  std::vector<RootAnalysis> roots_;
  Plan plan_;
  Refusal refusal_;
};

}  // namespace

std::expected<Plan, Refusal> make_plan(const Subject& subject, const Config& config) {
  return Maker(subject, config).make();
}

}  // namespace parhelion::plan::cpu
