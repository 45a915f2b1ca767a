// SPDX-License-Identifier: Apache-2.0
#include "emulation/run.h"

#include "base/diag.h"
#include "emulation/execution.h"

#include <fmt/format.h>

namespace parhelion::emulation {

namespace {

Result<void> check(const Launch& launch, const Bound& bound) {
  const auto refused = [](std::string message) { return fail(8043, std::move(message)); };
  if (launch.threads < 32 || launch.threads > 1024 || launch.threads % 32 != 0) {
    return refused(fmt::format("{} threads a block: whole warps, 1024 at most", launch.threads));
  }
  if (launch.dynamic_shared_bytes > bound.shared_capacity) {
    return refused(fmt::format("{} bytes of dynamic shared memory: {} at most",
                               launch.dynamic_shared_bytes, bound.shared_capacity));
  }
  for (const int block : launch.blocks) {
    if (block < 0 || block >= launch.grid_x) {
      return refused(fmt::format("block {} of a grid of {}", block, launch.grid_x));
    }
  }
  for (const Argument& argument : launch.arguments) {
    if (argument.buffer >= static_cast<int>(launch.buffers.size())) {
      return refused(
          fmt::format("an argument in buffer {} of {}", argument.buffer, launch.buffers.size()));
    }
  }
  return {};
}

}  // namespace

Result<Report> run(const DynamicLibrary& library, const Launch& launch) {
  auto* bind = reinterpret_cast<BindFunction*>(library.symbol("emulation_bind"));
  auto* call = reinterpret_cast<CallFunction*>(library.symbol("emulation_call"));
  if (bind == nullptr || call == nullptr) {
    return fail(8042, "the library has no emulation_bind and emulation_call", {},
                "compile the text by its emulation recipe");
  }
  Hooks hooks = Execution::hooks();
  Bound bound{};
  bind(&hooks, &bound);
  if (Result<void> checked = check(launch, bound); !checked) {
    return std::unexpected(checked.error());
  }
  LibraryImage image(bound.image_low);
  Findings findings(image);
  GuardedMemory memory(launch.buffers);
  Execution execution(launch, bound, call, memory, findings);
  hooks.self = &execution;
  execution.run();
  memory.copy_back();
  Report report;
  report.findings = findings.finish();
  execution.fill(report);
  return report;
}

}  // namespace parhelion::emulation
