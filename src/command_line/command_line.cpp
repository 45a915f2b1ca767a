// SPDX-License-Identifier: Apache-2.0
#include <parhelion/command_line.h>

#include "base/diag.h"
#include "command_line/output.h"
#include "command_line/verbs.h"

#include <fmt/format.h>

#include <exception>

namespace parhelion {

namespace {

using namespace command_line_detail;

constexpr int internal_error = 2;

int dispatch(const Options& o, Kernels kernels) {
  switch (o.verb) {
    case Verb::List: return verb_list(o, kernels);
    case Verb::Explain: return verb_explain(o, kernels);
    case Verb::Emit: return verb_emit(o, kernels);
    case Verb::Compile: return verb_compile(o, kernels);
    case Verb::Run: return verb_run(o, kernels);
    case Verb::Bench: return verb_bench(o, kernels);
    case Verb::Cache: return verb_cache(o);
    case Verb::Doctor: return verb_doctor(o);
  }
  return internal_error;
}

}  // namespace

int command_line(int argc, const char* const* argv, std::vector<ProgramKernel> kernels) {
  const Parsed parsed = parse(argc, argv);
  if (!parsed.options) return parsed.status;
  try {
    return dispatch(*parsed.options, kernels);
  } catch (const Error& e) {
    return report(e.diagnostics(), parsed.options->json);
  } catch (const std::exception& e) {
    print_error(fmt::format("parhelion: {}\n", e.what()));
    return internal_error;
  }
}

}  // namespace parhelion
