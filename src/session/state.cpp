// SPDX-License-Identifier: Apache-2.0
#include "session/state.h"

#include "base/diag.h"
#include "driver/specialize.h"
#include "session/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace parhelion {

using session::Entry;
using session::Source;

namespace session {

Source source_of(const AnyKernel& kernel) {
  return {std::string(kernel.name()), &kernel.state(), kernel.state().options.numerics,
          [kernel](std::span<const Argument> arguments) -> Result<ir::Function> {
            auto traced = lang::trace(kernel, arguments);
            if (!traced) return std::unexpected(traced.error());
            return std::move(traced->function);
          }};
}

Source source_of(std::shared_ptr<const ir::Function> function) {
  const std::string name = function->name;
  const void* identity = function.get();
  return {name, identity, Numerics::Bounded,
          [function](std::span<const Argument>) -> Result<ir::Function> { return *function; }};
}

}  // namespace session

namespace {

Target checked_target(const std::string& text) {
  Result<Target> target = parse_target(text);
  if (!target) throw Error(target.error());
  if (const auto runs = check_runs_on(*target, host_cpu()); !runs) throw Error(runs.error());
  return std::move(*target);
}

std::vector<ir::CallTensor> call_tensors(const lang::FlatArguments& flat) {
  std::vector<ir::CallTensor> list;
  for (const TensorView& v : flat.tensors) list.push_back(ir::call_tensor(v));
  return list;
}

std::vector<std::int64_t> integers(const lang::FlatArguments& flat) {
  std::vector<std::int64_t> list;
  for (const Argument* a : flat.scalars) list.push_back(a->is_float ? 0 : a->integer);
  return list;
}

std::vector<runtime::ScalarValue> scalar_values(const lang::FlatArguments& flat) {
  std::vector<runtime::ScalarValue> list;
  for (const Argument* a : flat.scalars) list.push_back({a->is_float, a->number, a->integer});
  return list;
}

Result<void> check_arguments(const ir::Function& f, const lang::FlatArguments& flat) {
  std::size_t next = 0;
  for (const ir::Tensor& t : f.tensors) {
    if (t.kind != ir::Tensor::Kind::Parameter || next >= flat.tensors.size()) continue;
    const TensorView& v = flat.tensors[next++];
    if (v.dtype != t.dtype) {
      return fail(6002,
                  fmt::format("argument {} '{}' is {}, the kernel uses it as {}", next, t.name,
                              name(v.dtype), name(t.dtype)),
                  {}, "convert it, or call a kernel traced for its dtype");
    }
    if (auto ok = check_tensor(v, fmt::format("argument {} '{}'", next, t.name)); !ok) return ok;
  }
  return {};
}

}  // namespace

Session::State::State(SessionOptions given)
    : options(std::move(given)),
      target(checked_target(options.target)),
      device({.threads = options.threads}) {
  if (options.cache != "none") {
    const fs::path folder =
        options.cache.empty() ? cache_directory() / "artifacts" : fs::path(options.cache);
    cache = std::make_unique<artifact::ArtifactCache>(folder);
  }
}

Result<std::shared_ptr<const ir::Function>> Session::State::trace(
    const Source& source, std::span<const Argument> arguments) {
  const lang::FlatArguments flat = lang::flatten(arguments);
  const auto key = std::pair(source.identity, lang::trace_key(arguments));
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& known : traces_[key]) {
      const auto symbols = ir::bind_symbols(*known, call_tensors(flat), integers(flat));
      if (symbols && ir::guards_hold(*known, *symbols)) return known;
    }
  }
  Result<ir::Function> traced = source.trace(arguments);
  if (!traced) return std::unexpected(traced.error());
  auto function = std::make_shared<const ir::Function>(std::move(*traced));
  const std::scoped_lock lock(mutex_);
  traces_[key].push_back(function);
  return function;
}

Result<std::shared_ptr<const driver::Compiled>> Session::State::compiled(
    const Source& source, const std::shared_ptr<const ir::Function>& function,
    const ir::Specialization& specialization) {
  const driver::Candidate candidate{*function,      specialization,   target,
                                    options.config, options.controls, source.numerics};
  // The heuristic reads the sizes, so the text may differ from shape to shape; equal texts share
  // their artifact through the cache, and equal keys their loaded code here.
  std::string key = fmt::format("{}|{}|", static_cast<const void*>(function.get()),
                                driver::code_key(specialization));
  for (const std::int64_t v : specialization.symbol_values) key += fmt::format("{},", v);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto it = codes_.find(key); it != codes_.end()) return it->second;
  }
  Result<driver::Compiled> made = driver::compile(candidate, toolchain, cache.get());
  if (!made) return std::unexpected(made.error());
  auto shared = std::make_shared<const driver::Compiled>(std::move(*made));
  const std::scoped_lock lock(mutex_);
  codes_[key] = shared;
  return shared;
}

Result<std::shared_ptr<Entry>> Session::State::make_entry(const Source& source,
                                                          std::span<const Argument> arguments) {
  const auto begin = std::chrono::steady_clock::now();
  auto function = trace(source, arguments);
  if (!function) return std::unexpected(function.error());
  const lang::FlatArguments flat = lang::flatten(arguments);
  if (auto ok = check_arguments(**function, flat); !ok) return std::unexpected(ok.error());
  auto host = ir::evaluate_host(**function, call_tensors(flat), integers(flat));
  if (!host) return std::unexpected(host.error());
  auto entry = std::make_shared<Entry>();
  entry->function = *function;
  entry->trace_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  entry->specialization = driver::specialize(**function, *host, flat.tensors);
  entry->host = std::move(*host);
  auto code = compiled(source, *function, entry->specialization);
  if (!code) return std::unexpected(code.error());
  entry->compiled = *code;
  const artifact::Artifact& a = (*code)->artifact;
  auto kernel = runtime::cpu::CpuKernel::load(a.bytes, a.launch, a.kernel);
  if (!kernel) return std::unexpected(kernel.error());
  std::vector<TensorView> views;
  std::size_t next = 0;
  for (std::size_t i = 0; i < entry->function->tensors.size(); ++i) {
    const ir::Tensor& t = entry->function->tensors[i];
    if (t.kind == ir::Tensor::Kind::Parameter) {
      views.push_back(flat.tensors[next++]);
    } else {
      views.emplace_back(nullptr, t.dtype, entry->host.tensors[i].sizes,
                         entry->host.tensors[i].strides);
    }
  }
  auto prepared = runtime::cpu::Prepared::make(device, *kernel, views, scalar_values(flat));
  if (!prepared) return std::unexpected(prepared.error());
  entry->prepared = std::move(*prepared);
  return entry;
}

Result<std::shared_ptr<Entry>> Session::State::entry(const Source& source,
                                                     std::span<const Argument> arguments) {
  const std::string key = session::exact_key(source.identity, arguments);
  {
    const std::scoped_lock lock(mutex_);
    if (const auto it = entries_.find(key); it != entries_.end()) return it->second;
  }
  auto made = make_entry(source, arguments);
  if (!made) return made;
  const std::scoped_lock lock(mutex_);
  entries_[key] = *made;
  return made;
}

}  // namespace parhelion
