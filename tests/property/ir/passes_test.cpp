// SPDX-License-Identifier: Apache-2.0
// Passes on random kernels keep the interpreter's bits, are idempotent and truthful; what the
// analysis of pads says holds in every invalid lane.
#include "passes/tile/neutral_values.h"
#include "passes/tile/passes.h"
#include "random_run.h"

#include <bit>
#include <cmath>
#include <functional>

using namespace parhelion;

namespace {

using Pass = std::function<passes::Rewritten(const ir::Function&)>;
const std::pair<const char*, Pass> rows[] = {
    {"fold", [](const ir::Function& f) { return passes::fold(f); }},
    {"cse", passes::cse},
    {"hoist_invariants", passes::hoist_invariants},
    {"sink_conversions", passes::sink_conversions},
    {"dce", passes::dce},
    {"source_order", passes::source_order},
    {"canonicalize", [](const ir::Function& f) { return passes::canonicalize(f); }},
};

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void check_equal(const interp::Outcome& a, const interp::Outcome& b) {
  REQUIRE(a.outputs.size() == b.outputs.size());
  for (std::size_t t = 0; t < a.outputs.size(); ++t) {
    std::size_t differ = 0;
    for (std::size_t k = 0; k < a.outputs[t].values.size(); ++k) {
      if (!same_bits(a.outputs[t].values[k], b.outputs[t].values[k])) ++differ;
    }
    CHECK(differ == 0);
  }
}

interp::Options once() {
  interp::Options options;
  options.default_block = 5;
  options.runs = 1;
  return options;
}

}  // namespace

TEST_CASE("passes keep the bits of random kernels") {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    CAPTURE(seed);
    test::RandomKernel kernel = test::random_kernel(seed);
    const ir::Function f = test::parsed(kernel.text);
    const interp::Outcome expected = test::interpreted(f, kernel, once());
    for (const auto& [name, pass] : rows) {
      CAPTURE(name);
      const passes::Rewritten after = pass(f);
      const Diagnostics broken = ir::verify(after.function);
      if (!broken.empty()) FAIL(render_text(broken[0]) << ir::print(after.function, false));
      CHECK(after.changed == (ir::print(f) != ir::print(after.function)));
      const passes::Rewritten again = pass(after.function);
      CHECK_FALSE(again.changed);
      if (after.changed) check_equal(expected, test::interpreted(after.function, kernel, once()));
    }
  }
}

TEST_CASE("relaxed folding stays within the bounds") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    test::RandomKernel kernel = test::random_kernel(seed);
    const ir::Function f = test::parsed(kernel.text);
    const passes::Rewritten after = passes::canonicalize(f, Numerics::Relaxed);
    const interp::Outcome a = test::interpreted(f, kernel, once());
    const interp::Outcome b = test::interpreted(after.function, kernel, once());
    for (std::size_t t = 0; t < a.outputs.size(); ++t) {
      const interp::OutputTensor &x = a.outputs[t], &y = b.outputs[t];
      for (std::size_t k = 0; k < x.values.size(); ++k) {
        if (((x.flags[k] | y.flags[k]) & interp::OutputTensor::ambiguous) != 0) continue;
        if (std::isnan(x.values[k]) && std::isnan(y.values[k])) continue;
        CHECK(std::abs(x.values[k] - y.values[k]) <= x.bounds[k] + y.bounds[k]);
      }
    }
  }
}

namespace {

/// Lanes beyond the end of each tile axis hold what the analysis says.
class PadCheck {
 public:
  explicit PadCheck(const ir::Function& f) : f_(f), neutral_(f) {}

  void operator()(const interp::LaneReport& report) {
    const auto& axes = f_.type(report.value).axes;
    for (std::size_t d = 0; d < axes.size(); ++d) {
      if (f_.axis(axes[d]).kind != ir::AxisKind::Tile) continue;
      const auto pad = neutral_.pad(report.value, axes[d]);
      if (pad) lanes(report, d, *pad);
    }
  }

  std::int64_t checked = 0, wrong = 0;

 private:
  void lanes(const interp::LaneReport& report, std::size_t d, const ir::ConstAttr& pad) {
    std::int64_t inner = 1, total = 1;
    for (std::size_t k = 0; k < report.lanes.size(); ++k) {
      total *= report.lanes[k];
      if (k > d) inner *= report.lanes[k];
    }
    for (std::int64_t k = 0; k < total; ++k) {
      if (k / inner % report.lanes[d] < report.valid[d]) continue;
      ++checked;
      const auto at = static_cast<std::size_t>(k);
      const bool same = report.numbers != nullptr
                            ? same_bits((*report.numbers)[at], pad.number)
                            : (*report.integers)[at] ==
                                  (f_.type(report.value).dtype == DType::Bool
                                       ? static_cast<std::int64_t>(pad.number)
                                       : pad.integer);
      if (!same) ++wrong;
    }
  }

  const ir::Function& f_;
  passes::NeutralValues neutral_;
};

}  // namespace

TEST_CASE("invalid lanes hold what neutral_values proves, and change no result") {
  std::int64_t checked = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    CAPTURE(seed);
    test::RandomKernel kernel = test::random_kernel(seed);
    const ir::Function f = test::parsed(kernel.text);
    PadCheck check(f);
    interp::Options options = once();
    const interp::Outcome plain = test::interpreted(f, kernel, options);
    options.pads = true;
    const auto padded =
        interp::run_observed(f, test::inputs_of(kernel), options,
                             [&](const interp::LaneReport& report) { check(report); });
    REQUIRE(padded.has_value());
    CHECK(check.wrong == 0);
    checked += check.checked;
    check_equal(plain, *padded);
  }
  CHECK(checked > 100000);
}
