// SPDX-License-Identifier: Apache-2.0
#include "runtime/worker_server.h"

#include "runtime/timing_race.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <unistd.h>

#include <chrono>
#include <utility>

namespace parhelion::runtime {

WorkerServer::WorkerServer(std::unique_ptr<Engine> engine, SharedMemory shared,
                           ReadKernel read_kernel)
    : engine_(std::move(engine)),
      shared_(std::move(shared)),
      read_kernel_(std::move(read_kernel)) {}

Answer WorkerServer::answer(const Request& request) {
  Result<Answer> result = std::visit([this](const auto& r) { return handle(r); }, request);
  shared_.unmap();
  return result ? std::move(*result) : Answer(std::move(result.error()));
}

Result<TensorSet*> WorkerServer::find_set(int set) {
  const auto found = sets_.find(set);
  if (found == sets_.end()) return fail(8703, fmt::format("there is no tensor set {}", set));
  return &found->second;
}

Result<EngineKernel*> WorkerServer::find_kernel(int kernel) {
  const auto found = kernels_.find(kernel);
  if (found == kernels_.end()) return fail(8703, fmt::format("there is no kernel {}", kernel));
  return found->second.get();
}

Result<Answer> WorkerServer::handle(const HelloRequest& request) {
  if (request.version != worker_protocol_version) {
    return fail(8702,
                fmt::format("the coordinator speaks version {}, this worker {}", request.version,
                            worker_protocol_version),
                {}, "install library and worker of one release");
  }
  return HelloAnswer{worker_protocol_version, getpid(), name(engine_->target()),
                     engine_->environment()};
}

Result<Answer> WorkerServer::handle(const TensorsRequest& request) {
  sets_.erase(request.set);  // its memory first: two large sets may not fit
  auto set = TensorSet::make(*engine_, request, shared_);
  if (!set) return std::unexpected(set.error());
  sets_.insert_or_assign(request.set, std::move(*set));
  return DoneAnswer{};
}

Result<Answer> WorkerServer::handle(const LoadRequest& request) {
  auto image = read_kernel_(request.file);
  if (!image) return std::unexpected(image.error());
  auto kernel = engine_->load(image->bytes, image->facts, image->name);
  if (!kernel) return std::unexpected(kernel.error());
  kernels_.insert_or_assign(request.kernel, std::move(*kernel));
  return DoneAnswer{};
}

Result<Answer> WorkerServer::handle(const UnloadRequest& request) {
  kernels_.erase(request.kernel);
  return DoneAnswer{};
}

Result<Answer> WorkerServer::handle(const RunRequest& request) {
  auto set = find_set(request.set);
  if (!set) return std::unexpected(set.error());
  auto kernel = find_kernel(request.kernel);
  if (!kernel) return std::unexpected(kernel.error());
  if (auto restored = (*set)->restore(); !restored) return std::unexpected(restored.error());
  auto call = (*kernel)->bind((*set)->views(0), request.scalars);
  if (!call) return std::unexpected(call.error());
  RunAnswer answer;
  const auto start = std::chrono::steady_clock::now();
  if (auto ran = (*call)->run(); !ran) return std::unexpected(ran.error());
  answer.wall_us =
      std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
  if (auto seen = (*set)->inspect(answer); !seen) return std::unexpected(seen.error());
  for (const RunRequest::Output& output : request.outputs) {
    auto copied = (*set)->copy_out(output, shared_);
    if (!copied) return std::unexpected(copied.error());
  }
  return answer;
}

void WorkerServer::add_clock(TimeAnswer& answer) {
  if (const auto mhz = engine_->clock_mhz()) answer.clock_mhz.push_back(*mhz);
}

Result<Answer> WorkerServer::handle(const TimeRequest& request) {
  auto set = find_set(request.set);
  if (!set) return std::unexpected(set.error());
  std::vector<TimedKernel> kernels;
  for (const int id : request.kernels) {
    auto kernel = find_kernel(id);
    if (!kernel) return std::unexpected(kernel.error());
    const int copies = request.protocol == Protocol::Rotate ? (*set)->copies() : 1;
    std::vector<std::unique_ptr<EngineCall>> calls;
    for (int copy = 0; copy < copies; ++copy) {
      auto call = (*kernel)->bind((*set)->views(copy), request.scalars);
      if (!call) return std::unexpected(call.error());
      calls.push_back(std::move(*call));
    }
    kernels.emplace_back(std::move(calls));
  }
  TimeAnswer clocks;
  add_clock(clocks);
  auto answer = race(kernels, request);
  if (!answer) return std::unexpected(answer.error());
  add_clock(clocks);
  answer->clock_mhz = std::move(clocks.clock_mhz);
  return std::move(*answer);
}

Result<Answer> WorkerServer::handle(const ClockRequest&) {
  return ClockAnswer{engine_->clock_mhz()};
}

}  // namespace parhelion::runtime
