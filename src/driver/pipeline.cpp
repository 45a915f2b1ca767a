// SPDX-License-Identifier: Apache-2.0
#include "driver/pipeline.h"

#include "base/diag.h"
#include "config/constraint.h"
#include "emit/cpu/emitter.h"
#include "emit/cuda/emitter.h"
#include "emit/cuda/prelude_texts.h"
#include "heuristics/cpu.h"
#include "passes/cpu/lower.h"
#include "passes/cuda/lower.h"
#include "plan/cuda/make_plan.h"

#include <parhelion/version.h>

#include <fmt/format.h>

#include <chrono>

namespace parhelion::driver {

namespace {

using Clock = std::chrono::steady_clock;

double since_ms(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

Diagnostics refused(const plan::Refusal& r, const ir::Function& f) {
  const ir::OpId root = f.region(f.body).ops.front();
  return {config::refusal_diagnostic(r.constraint, r.message, r.help, f.place(f.op(root).where))};
}

/// The tile IR above the kernel, as a reader of the text wants it: no locations.
std::vector<std::string> source_comment(const ir::Function& f) {
  std::vector<std::string> lines;
  const std::string text = ir::print(f, false);
  std::size_t begin = text.find('\n') + 1;  // the banner above it says the version
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
  return lines;
}

/// What the pipeline gives of either target before it is printed.
struct Lowered {
  ir::kernel::Module module;
  plan::Estimate estimate;
};

Result<Lowered> lower_cpu(const Candidate& c, const CpuTarget& target, Emitted& out) {
  const plan::cpu::Subject subject{c.function, c.specialization, target, c.numerics};
  heuristics::Choice choice = heuristics::choose_cpu(subject, c.config);
  out.config = std::move(choice.config);
  out.notes = std::move(choice.notes);
  auto plan = plan::cpu::make_plan(subject, out.config);
  if (!plan) return std::unexpected(refused(plan.error(), c.function));
  return Lowered{passes::cpu::lower(c.function, *plan, c.specialization), plan->common.estimate};
}

Result<Lowered> lower_cuda(const Candidate& c, const CudaTarget& target, Emitted& out) {
  plan::cuda::Machine machine;
  machine.arch = target.architecture;
  machine.shared_bytes = target.shared_bytes_per_block;
  machine.threads = target.threads_per_block;
  machine.registers = target.registers_per_thread;
  out.config = c.config;
  auto plan = plan::cuda::make_plan(c.function, c.config, c.specialization, machine);
  if (!plan) return std::unexpected(refused(plan.error(), c.function));
  if (auto complete = Config::parse(plan->config)) out.config = std::move(*complete);
  out.notes = plan->common.notes;
  return Lowered{passes::cuda::lower(c.function, *plan, c.specialization), plan->common.estimate};
}

artifact::CacheKey key_of(Json origin) { return artifact::CacheKey::of(std::move(origin)); }

/// Through the cache: `make` runs on a miss. Kernel name and line table are no part of the key, so
/// an entry that another kernel made gets those of this one.
template <class Make>
Result<artifact::Artifact> cached(artifact::ArtifactCache* cache, Result<Json> origin,
                                  const Candidate& c, const Emitted& e, Make make, bool& hit) {
  if (!origin) return std::unexpected(origin.error());
  const artifact::CacheKey key = key_of(std::move(*origin));
  if (cache != nullptr) {
    if (auto found = cache->get(key)) {
      hit = true;
      found->kernel = c.function.name;
      found->lines = e.text.lines;
      return std::move(*found);
    }
  }
  hit = false;
  Result<artifact::Artifact> made = make();
  if (made && cache != nullptr) cache->put(key, *made);
  return made;
}

Result<artifact::Artifact> compile_cpu(const Candidate& c, const Emitted& e,
                                       const toolchain::Toolchain& tools,
                                       artifact::ArtifactCache* cache, bool& hit) {
  toolchain::CpuRequest request;
  request.kernel = c.function.name;
  request.text = e.text.text;
  request.lines = e.text.lines;
  request.launch = e.launch;
  request.controls = c.controls;
  request.numerics = c.numerics;
  request.arch = name(std::get<CpuTarget>(c.target).level);
  request.required_flags = emit::cpu::required_flags();
  return cached(
      cache, tools.cpu_origin(request), c, e, [&] { return tools.compile_cpu(request); }, hit);
}

Result<artifact::Artifact> compile_cuda(const Candidate& c, const Emitted& e,
                                        const toolchain::Toolchain& tools,
                                        artifact::ArtifactCache* cache, bool& hit) {
  toolchain::CudaRequest request;
  request.kernel = c.function.name;
  request.text = e.text.text;
  request.lines = e.text.lines;
  request.launch = e.launch;
  request.controls = c.controls;
  request.numerics = c.numerics;
  request.arch = std::get<CudaTarget>(c.target).architecture;
  request.headers = {{"prelude.cuh", std::string(emit::prelude_text())}};
  bool ptx_hit = false;
  const Result<artifact::Artifact> ptx = cached(
      cache, tools.ptx_origin(request), c, e, [&] { return tools.compile_ptx(request); }, ptx_hit);
  if (!ptx) return ptx;
  return cached(
      cache, tools.cubin_origin(*ptx, c.controls), c, e,
      [&] { return tools.assemble(*ptx, c.controls); }, hit);
}

}  // namespace

Result<Emitted> emit(const Candidate& c) {
  Emitted out;
  const auto begin = Clock::now();
  const bool cpu = is_cpu(c.target);
  Result<Lowered> lowered = cpu ? lower_cpu(c, std::get<CpuTarget>(c.target), out)
                                : lower_cuda(c, std::get<CudaTarget>(c.target), out);
  if (!lowered) return std::unexpected(lowered.error());
  ir::kernel::Module& module = lowered->module;
  module.config = out.config.text();
  module.comment = source_comment(c.function);
  const Diagnostics broken = ir::kernel::verify(module);
  PH_ASSERT(broken.empty(), "the lowered module does not verify: " + render_text(broken));
  out.plan_ms = since_ms(begin);
  const auto middle = Clock::now();
  out.estimate = lowered->estimate;
  out.text = cpu ? emit::cpu::print(module, {std::string(version)})
                 : emit::cuda::print(module, {std::string(version)});
  out.kernel_ir = ir::kernel::print(module);
  out.launch = std::move(module.launch);
  out.emit_ms = since_ms(middle);
  return out;
}

Result<Compiled> compile(const Candidate& c, const toolchain::Toolchain& tools,
                         artifact::ArtifactCache* cache) {
  Result<Emitted> emitted = emit(c);
  if (!emitted) return std::unexpected(emitted.error());
  const auto begin = Clock::now();
  bool hit = false;
  Result<artifact::Artifact> made = is_cpu(c.target) ? compile_cpu(c, *emitted, tools, cache, hit)
                                                     : compile_cuda(c, *emitted, tools, cache, hit);
  if (!made) return std::unexpected(made.error());
  Compiled result;
  result.emitted = std::move(*emitted);
  result.artifact = std::move(*made);
  result.cached = hit;
  result.compile_ms = since_ms(begin);
  return result;
}

}  // namespace parhelion::driver
