// SPDX-License-Identifier: Apache-2.0
#include "command_line/output.h"
#include "command_line/problem.h"
#include "command_line/verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <vector>

namespace parhelion::command_line_detail {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double batch_us =
    200;  // a sample lasts at least this long: the clock's own cost vanishes

double us_of(session::Entry& entry, std::span<void* const> data, int calls) {
  const auto begin = Clock::now();
  for (int i = 0; i < calls; ++i) entry.prepared.launch(data);
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count() / calls;
}

double quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (at - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

}  // namespace

int verb_bench(const Options& o, Kernels kernels) {
  const auto problem = make_problem(o, kernels);
  if (!problem) return report(problem.error(), o.json);
  auto options = session_options(o);
  if (!options) return report(options.error(), o.json);
  Session session(std::move(*options));
  auto entry = session.state().entry(problem->source, problem->arguments);
  if (!entry) return report(entry.error(), o.json);
  // Every launch writes the same memory, which is warm after the first ones.
  const auto bound = session.state().bind(**entry, problem->arguments, {});
  if (!bound) return report(bound.error(), o.json);
  const double once = us_of(**entry, bound->data, 3);
  const int calls = std::max(1, static_cast<int>(batch_us / std::max(once, 0.01)));
  std::vector<double> samples;
  for (int i = 0; i < o.samples; ++i) samples.push_back(us_of(**entry, bound->data, calls));
  std::ranges::sort(samples);
  const double median = quantile(samples, 0.5);
  const double low = quantile(samples, 0.25), high = quantile(samples, 0.75);
  double bytes = 0, flops = 0;
  if (problem->kernel != nullptr && problem->kernel->bytes && !problem->shape.empty()) {
    bytes = problem->kernel->bytes(problem->shape, problem->dtype);
    flops = problem->kernel->flops(problem->shape, problem->dtype);
  }
  const std::string config = (*entry)->compiled->emitted.config.text();
  if (o.json) {
    Json out = Json::object();
    out.set("kernel", problem->source.name);
    out.set("shape", shape_text(*problem));
    out.set("target", o.target);
    out.set("config", config);
    out.set("protocol", "warm");
    out.set("n", o.samples);
    out.set("calls_a_sample", calls);
    out.set("median_us", median);
    out.set("quartiles_us", Json::Array{low, high});
    out.set("min_us", samples.front());
    out.set("threads", session.state().device.thread_count());
    if (bytes > 0) out.set("gb_per_s", bytes / median * 1e-3);
    if (flops > 0) out.set("gflop_per_s", flops / median * 1e-3);
    print_json(out);
    return 0;
  }
  print_out(fmt::format("{} {} on {}, {} threads, warm\n", problem->source.name,
                        shape_text(*problem), o.target, session.state().device.thread_count()));
  print_out(fmt::format("configuration: {}\n", config));
  print_out(
      fmt::format("median {:.2f} us [quartiles {:.2f} {:.2f}], fastest {:.2f}, n = {} samples "
                  "of {} calls\n",
                  median, low, high, samples.front(), o.samples, calls));
  if (bytes > 0) {
    print_out(fmt::format("{:.2f} GB/s, {:.2f} GFLOP/s of what the maths needs\n",
                          bytes / median * 1e-3, flops / median * 1e-3));
  }
  return 0;
}

}  // namespace parhelion::command_line_detail
