// SPDX-License-Identifier: Apache-2.0
// Traces, entries and calls of a Session. An entry is everything of one exact key: after the first
// call of a shape the rest is a look-up, outputs from the pool, and the launch.
#pragma once

#include "driver/pipeline.h"
#include "ir/tile/host.h"
#include "lang/kernel_trace.h"
#include "runtime/cpu/cpu_kernel.h"

#include <parhelion/session.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace parhelion::session {

/// Where a kernel comes from: a typed kernel's body, or a Function read from text.
struct Source {
  std::string name;
  const void* identity = nullptr;  // one kernel, one identity
  Numerics numerics = Numerics::Bounded;
  std::function<Result<ir::Function>(std::span<const Argument>)> trace;
};
[[nodiscard]] Source source_of(const AnyKernel& kernel);
[[nodiscard]] Source source_of(std::shared_ptr<const ir::Function> function);

/// One exact key, compiled and bound.
struct Entry {
  std::shared_ptr<const ir::Function> function;
  ir::HostState host;
  ir::Specialization specialization;
  std::shared_ptr<const driver::Compiled> compiled;
  runtime::cpu::Prepared prepared;
  double trace_ms = 0;
};

}  // namespace parhelion::session

namespace parhelion {

struct Session::State {
  explicit State(SessionOptions given);

  /// The entry of these arguments, made on the first call of their exact key.
  [[nodiscard]] Result<std::shared_ptr<session::Entry>> entry(const session::Source& source,
                                                              std::span<const Argument> arguments);
  /// Memory for every tensor of a call: fresh outputs, or those of `into`.
  struct Bound {
    std::vector<TensorView> views;  // by TensorId
    std::vector<Buffer> made;       // by TensorId; holds what was allocated
    std::vector<void*> data;        // what a launch patches in
  };
  [[nodiscard]] Result<Bound> bind(session::Entry& entry, std::span<const Argument> arguments,
                                   std::span<const TensorView> into);
  /// Runs an entry; `into` replaces fresh outputs, in the order of the returns.
  [[nodiscard]] Result<std::vector<Buffer>> run(session::Entry& entry,
                                                std::span<const Argument> arguments,
                                                std::span<const TensorView> into);
  /// The trace of these arguments: one per trace key and set of guards.
  [[nodiscard]] Result<std::shared_ptr<const ir::Function>> trace(
      const session::Source& source, std::span<const Argument> arguments);

  SessionOptions options;
  Target target;
  toolchain::Toolchain toolchain;
  std::unique_ptr<artifact::ArtifactCache> cache;  // null: none
  runtime::cpu::CpuDevice device;

 private:
  [[nodiscard]] Result<std::shared_ptr<session::Entry>> make_entry(
      const session::Source& source, std::span<const Argument> arguments);
  [[nodiscard]] Result<std::shared_ptr<const driver::Compiled>> compiled(
      const session::Source& source, const std::shared_ptr<const ir::Function>& function,
      const ir::Specialization& specialization);

  std::mutex mutex_;
  std::map<std::pair<const void*, std::string>, std::vector<std::shared_ptr<const ir::Function>>>
      traces_;
  std::map<std::string, std::shared_ptr<const driver::Compiled>> codes_;      // by code key
  std::unordered_map<std::string, std::shared_ptr<session::Entry>> entries_;  // by exact key
};

}  // namespace parhelion
