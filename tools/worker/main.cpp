// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include "runtime/cpu/cpu_engine.h"
#include "runtime/cuda/cuda_engine.h"
#include "runtime/worker_server.h"

#include "artifact/artifact.h"
#include "artifact/file.h"
#include "base/diag.h"

#include <fmt/format.h>

#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <thread>
#include <utility>

namespace parhelion::worker {
namespace {

using runtime::Engine;

Result<std::unique_ptr<Engine>> make_engine(const Options& options) {
  if (options.device.kind == Device::Kind::Cuda) {
    return runtime::cuda::make_cuda_engine(options.device.index);
  }
  return runtime::cpu::make_cpu_engine({.threads = options.threads, .pin = options.pin});
}

/// An artifact whose instructions this CPU lacks would only die later, by SIGILL.
Result<void> check_cpu(const artifact::Artifact& artifact) {
  auto target = parse_target(artifact.arch);
  if (!target) return std::unexpected(target.error());
  auto& cpu = std::get<CpuTarget>(*target);
  for (const CpuFeatureRow& row : cpu_feature_rows()) {
    for (const std::string& feature : artifact.features) {
      if (feature == row.name) cpu.features.*row.member = true;
    }
  }
  return check_runs_on(cpu, host_cpu());
}

Result<runtime::KernelImage> read_kernel(const fs::path& file, Device::Kind device) {
  auto artifact = artifact::read_artifact(file);
  if (!artifact) return std::unexpected(artifact.error());
  const bool cpu = artifact->kind == artifact::Kind::CpuSharedObject;
  const bool cuda =
      artifact->kind == artifact::Kind::Cubin || artifact->kind == artifact::Kind::Ptx;
  if (device == Device::Kind::Cpu ? !cpu : !cuda) {
    return fail(
        8501, fmt::format("kernel '{}' is a {}, which {} does not load", artifact->kernel,
                          name(artifact->kind), device == Device::Kind::Cpu ? "the CPU" : "a GPU"));
  }
  if (cpu) {
    if (auto checked = check_cpu(*artifact); !checked) return std::unexpected(checked.error());
  }
  return runtime::KernelImage{std::move(artifact->kernel), std::move(artifact->bytes),
                              std::move(artifact->launch)};
}

bool answer(const runtime::Answer& answer) {
  const std::string line = to_json(answer).dump() + "\n";
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(STDOUT_FILENO, rest.data(), rest.size());
    if (written <= 0) return false;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Ends the process with its coordinator: main may be inside a kernel that never returns. (The
/// parent-death signal would come when the thread that started us ends, which is too early.)
void leave_with_coordinator() {
  std::thread([] {
    pollfd input{STDIN_FILENO, 0, 0};  // only its hang-up
    while (poll(&input, 1, -1) < 0) {
    }
    _exit(0);
  }).detach();
}

/// Answers until stdin ends.
int serve(runtime::WorkerServer& server) {
  std::string pending;
  char block[4096];
  for (;;) {
    const ssize_t got = read(STDIN_FILENO, block, sizeof block);
    if (got <= 0) return 0;
    pending.append(block, static_cast<std::size_t>(got));
    for (std::size_t end = 0; (end = pending.find('\n')) != std::string::npos;) {
      auto request = runtime::read_request(std::string_view(pending).substr(0, end));
      const bool sent =
          answer(request ? server.answer(*request) : runtime::Answer(std::move(request.error())));
      if (!sent) return 1;
      pending.erase(0, end + 1);
    }
  }
}

int run(std::span<char* const> arguments) {
  const auto report = [](const Diagnostics& errors) {
    // As an answer to the coordinator's first question, and for people on stderr.
    (void)answer(runtime::Answer(errors));
    std::fputs(render_text(errors).c_str(), stderr);
    return 1;
  };
  auto options = parse_options(arguments);
  if (!options) return report(options.error());
  limit_process(*options);
  auto shared = runtime::SharedMemory::attach(options->shared);
  if (!shared) return report(shared.error());
  auto engine = make_engine(*options);
  if (!engine) return report(engine.error());
  leave_with_coordinator();
  const Device::Kind device = options->device.kind;
  runtime::WorkerServer server(
      std::move(*engine), std::move(*shared),
      [device](const fs::path& file) { return read_kernel(file, device); });
  return serve(server);
}

}  // namespace
}  // namespace parhelion::worker

int main(int argc, char** argv) {
  return parhelion::worker::run(std::span(argv, static_cast<std::size_t>(argc)));
}
