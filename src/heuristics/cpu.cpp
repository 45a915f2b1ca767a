// SPDX-License-Identifier: Apache-2.0
#include "heuristics/cpu.h"

#include "plan/cpu/analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <concepts>

namespace parhelion::heuristics {

namespace {

using config::Key;
using config::Parameter;

class Chooser {
 public:
  Chooser(const plan::cpu::Subject& subject, const Config& given)
      : s_(subject), f_(subject.function), numbering_(ir::number(f_)) {
    choice_.config = given;
  }

  Choice choose() {
    set({Parameter::Simd, -1, {}}, s_.target.simd_bytes, "the widest vector of this CPU");
    for (const plan::cpu::RootAnalysis& root : plan::cpu::analyse(f_, s_.specialization)) {
      if (root.gemm) {
        gemm(*root.gemm);
      } else {
        walk(root);
      }
    }
    return std::move(choice_);
  }

 private:
  void set(const Key& key, config::Value value, std::string reason) {
    if (choice_.config.has(key)) return;
    choice_.notes.push_back({config::text(key) + "=" + config::text(value), std::move(reason)});
    choice_.config.set(key, std::move(value));
  }
  template <std::integral T>
  void set(const Key& key, T value, std::string reason) {
    set(key, config::Value(static_cast<std::int64_t>(value)), std::move(reason));
  }

  [[nodiscard]] Key axis(Parameter p, ir::AxisId a) const {
    return {p, static_cast<int>(numbering_.axis(a).value_or(0)), {}};
  }
  [[nodiscard]] std::int64_t length(ir::AxisId a) const {
    const ir::Axis& x = f_.axis(a);
    if (x.kind != ir::AxisKind::Tile) return value(x.extent);
    const auto& d = std::get<ir::LoopAttr>(f_.op(x.loop).payload).dims[x.dimension];
    if (!d.end.size.valid() || !d.begin.size.valid()) return 1024;
    return std::max<std::int64_t>(0, value(d.end.size) - value(d.begin.size));
  }
  [[nodiscard]] std::int64_t value(ir::SizeId size) const {
    return f_.sizes.evaluate(size, s_.specialization.symbol_values,
                             [](ir::BlockId) { return std::int64_t{1}; });
  }
  [[nodiscard]] bool pinned(ir::AxisId a) const {
    const ir::Axis& x = f_.axis(a);
    const auto& d = std::get<ir::LoopAttr>(f_.op(x.loop).payload).dims[x.dimension];
    return f_.blocks[d.block.index()].fixed.has_value() || f_.blocks[d.block.index()].maximum > 0;
  }

  void walk(const plan::cpu::RootAnalysis& root) {
    const int cores = std::max(1, s_.target.physical_cores);
    if (root.vector_axis && !pinned(*root.vector_axis)) {
      // Enough programs to level the cores, each long enough to hide its start (guess).
      const std::int64_t share = (length(*root.vector_axis) + cores - 1) / cores;
      const std::int64_t block =
          std::clamp<std::int64_t>((share + 1023) / 1024 * 1024, 1024, 65536);
      set(axis(Parameter::Block, *root.vector_axis), block,
          fmt::format("ranges of at most 64 Ki elements over {} cores", cores));
    }
    for (const ir::AxisId a : root.scalar_axes) {
      if (pinned(a)) continue;
      set(axis(Parameter::Block, a), 4, "rows are independent: four a program");
    }
    set({Parameter::Strip, static_cast<int>(numbering_.loop(root.root).value_or(0)), {}}, 4,
        "four accumulators hide the latency of the adder");
    for (const plan::cpu::SharedValue& v : root.shared) {
      set(axis(Parameter::Reduce, v.axis),
          config::Value(std::string(v.output ? "row(out)" : "row(scratch)")),
          v.output ? "the row of the output holds what two passes need"
                   : "a row of scratch holds what two passes need: the output is narrower");
    }
  }

  void gemm(const plan::cpu::GemmPattern& g) {
    const int d = static_cast<int>(numbering_.dot(g.dot).value_or(0));
    const int lanes = static_cast<int>(
        choice_.config.integer_or({Parameter::Simd, -1, {}}, s_.target.simd_bytes) / 4);
    const bool wide = s_.target.vector_registers >= 32;
    const Key block{Parameter::RegisterBlock, d, {}};
    set(block, config::Value(std::string(wide ? "12x2" : "6x2")),
        fmt::format("accumulators, two rows of b and a broadcast fill the {} vector registers",
                    s_.target.vector_registers));
    const auto pair = config::parse_pair(choice_.config.word_or(block, "6x2"))
                          .value_or(std::pair<std::int64_t, std::int64_t>{6, 2});
    const std::int64_t mr = std::max<std::int64_t>(1, pair.first);
    const std::int64_t nr = std::max<std::int64_t>(1, pair.second) * lanes;
    const std::int64_t m = length(g.m), n = length(g.n), depth = length(g.k);
    const auto round_up = [](std::int64_t x, std::int64_t to) { return (x + to - 1) / to * to; };
    const std::int64_t kc = std::clamp<std::int64_t>(depth, 1, 512);
    set({Parameter::Kc, d, {}}, kc, "a panel of b of this depth stays in L1 beside the panel of a");
    const std::int64_t by_l2 = s_.target.l2_bytes / 2 / (4 * std::max<std::int64_t>(1, kc));
    set({Parameter::Mc, d, {}}, std::max(mr, std::min(by_l2 / mr * mr, round_up(m, mr))),
        "a block of a fills half of L2");
    const int cores = std::max(1, s_.target.physical_cores);
    // Bands of equal width: as many as keep each at 1024 columns or less, a multiple of the cores.
    const std::int64_t waves = std::max<std::int64_t>(1, (n + cores * 1024 - 1) / (cores * 1024));
    const std::int64_t band = (n + cores * waves - 1) / (cores * waves);
    set({Parameter::Nc, d, {}}, std::max(nr, round_up(band, nr)),
        fmt::format("{} bands of columns level {} cores", waves * cores, cores));
    set(axis(Parameter::Block, g.m), std::clamp<std::int64_t>(round_up(m, mr), mr, 1536),
        "rows of one program share its packed panels of b");
  }

  plan::cpu::Subject s_;
  const ir::Function& f_;
  ir::Numbering numbering_;
  Choice choice_;
};

}  // namespace

Choice choose_cpu(const plan::cpu::Subject& subject, const Config& given) {
  return Chooser(subject, given).choose();
}

}  // namespace parhelion::heuristics
