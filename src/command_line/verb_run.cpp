// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"
#include "base/npy.h"
#include "base/text.h"
#include "command_line/output.h"
#include "command_line/problem.h"
#include "command_line/verbs.h"
#include "runtime/elements.h"
#include "session/reference.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

namespace parhelion::command_line_detail {

namespace {

constexpr int wrong_numbers = 4;

/// ||got - want|| / ||want|| in the Euclidean norm.
double relative_error(const TensorView& got, const TensorView& want) {
  double difference = 0, norm = 0;
  const char* g = static_cast<const char*>(got.data);
  const char* w = static_cast<const char*>(want.data);
  for (std::int64_t i = 0; i < want.elements(); ++i) {
    const double a = runtime::load_element(g + i * size_bytes(got.dtype), got.dtype);
    const double b = runtime::load_element(w + i * size_bytes(want.dtype), want.dtype);
    if (std::isnan(a) && std::isnan(b)) continue;
    difference += (a - b) * (a - b);
    norm += b * b;
  }
  return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

Result<void> write_outputs(const Options& o, const ir::Function& f,
                           const std::vector<Buffer>& outputs) {
  for (const std::string& text : o.outputs) {
    const std::size_t equals = text.find('=');
    const std::string wanted = text.substr(0, equals);
    bool found = false;
    for (std::size_t i = 0; i < outputs.size() && equals != std::string::npos; ++i) {
      if (f.tensor(f.returns[i]).name != wanted) continue;
      auto written = write_npy(text.substr(equals + 1), outputs[i].view());
      if (!written) return std::unexpected(written.error());
      if (!written->empty()) print_error("note: " + *written + "\n");
      found = true;
    }
    if (!found) {
      std::vector<std::string> names;
      for (const ir::TensorId id : f.returns) names.push_back(f.tensor(id).name);
      return fail(9504, fmt::format("there is no output '{}'", wanted), {},
                  fmt::format("outputs are {}: write --out {}=file.npy", join(names, ", "),
                              names.empty() ? "out" : names[0]));
    }
  }
  return {};
}

}  // namespace

int verb_run(const Options& o, Kernels kernels) {
  const auto problem = make_problem(o, kernels);
  if (!problem) return report(problem.error(), o.json);
  auto options = session_options(o);
  if (!options) return report(options.error(), o.json);
  Session session(std::move(*options));
  const auto begin = std::chrono::steady_clock::now();
  auto entry = session.state().entry(problem->source, problem->arguments);
  if (!entry) return report(entry.error(), o.json);
  auto outputs = session.state().run(**entry, problem->arguments, {});
  if (!outputs) return report(outputs.error(), o.json);
  const double first_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (auto ok = write_outputs(o, *(*entry)->function, *outputs); !ok) {
    return report(ok.error(), o.json);
  }
  const auto judgement = session::judge(**entry, problem->arguments, *outputs, o.seed);
  if (!judgement) return report(judgement.error(), o.json);
  std::vector<double> errors;
  if (problem->kernel != nullptr && problem->kernel->reference) {
    std::vector<TensorView> views;
    for (const Buffer& b : problem->tensors) views.push_back(b.view());
    const std::vector<Buffer> expected = problem->kernel->reference(views);
    for (std::size_t i = 0; i < expected.size() && i < outputs->size(); ++i) {
      errors.push_back(relative_error((*outputs)[i].view(), expected[i].view()));
    }
  }
  const driver::Compiled& c = *(*entry)->compiled;
  if (o.json) {
    Json out = Json::object();
    out.set("kernel", problem->source.name);
    out.set("shape", shape_text(*problem));
    out.set("target", o.target);
    out.set("config", c.emitted.config.text());
    out.set("config_from", o.config.empty() ? "heuristic" : "given, completed by the heuristic");
    out.set("ok", judgement->ok());
    out.set("check", judgement->text());
    Json list = Json::array();
    for (const double e : errors) list.push(e);
    out.set("relative_error", std::move(list));
    out.set("first_call_ms", first_ms);
    out.set("trace_ms", (*entry)->trace_ms);
    out.set("compile_ms", c.compile_ms);
    out.set("cached", c.cached);
    print_json(out);
  } else {
    print_out(fmt::format("{} {} on {}\n", problem->source.name, shape_text(*problem), o.target));
    print_out(
        fmt::format("configuration: {} ({})\n", c.emitted.config.text(),
                    o.config.empty() ? "from the heuristic" : "given, completed by the heuristic"));
    print_out(
        fmt::format("first call {:.1f} ms: trace {:.2f}, plan and text {:.2f}, compiler "
                    "{:.1f}{}\n",
                    first_ms, (*entry)->trace_ms, c.emitted.plan_ms + c.emitted.emit_ms,
                    c.compile_ms, c.cached ? " (cached)" : ""));
    print_out(fmt::format("{}: {}\n", judgement->ok() ? "right" : "WRONG", judgement->text()));
    for (const double e : errors) {
      print_out(
          fmt::format("relative error of the whole output against the f64 reference: {:.3g}\n", e));
    }
  }
  return judgement->ok() ? 0 : wrong_numbers;
}

}  // namespace parhelion::command_line_detail
