// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/cuda_timing.h"

#include <algorithm>

namespace parhelion::runtime::cuda {

namespace {
constexpr std::int64_t unknown_l2_bytes = 128 << 20;
}

Result<std::unique_ptr<CudaTimer>> CudaTimer::make(std::shared_ptr<CudaDevice> device) {
  std::unique_ptr<CudaTimer> timer(new CudaTimer(device));
  const Driver& d = device->driver();
  if (auto ok = device->enter(); !ok) return std::unexpected(ok.error());
  for (Event* event : {&timer->start_, &timer->end_}) {
    if (auto ok = d.check(d.event_create(event, 0), "making an event"); !ok) {
      return std::unexpected(ok.error());
    }
  }
  const std::int64_t l2 = device->target().l2_bytes.value_or(unknown_l2_bytes);
  auto flush = CudaMemory::make(device, static_cast<std::size_t>(l2) * 2);
  if (!flush) return std::unexpected(flush.error());
  timer->flush_ = std::move(*flush);
  return timer;
}

CudaTimer::~CudaTimer() {
  (void)device_->enter();
  for (const Event event : {start_, end_}) {
    if (event != nullptr) device_->driver().event_destroy(event);
  }
}

Result<double> CudaTimer::elapsed_us() {
  const Driver& d = device_->driver();
  if (auto ok = d.check(d.event_synchronize(end_), "waiting for the kernel"); !ok) {
    return std::unexpected(ok.error());
  }
  float milliseconds = 0;
  if (auto ok = d.check(d.event_elapsed(&milliseconds, start_, end_), "reading the time"); !ok) {
    return std::unexpected(ok.error());
  }
  return static_cast<double>(milliseconds) * 1e3;
}

Result<double> CudaTimer::time_graph(GraphRun graph) {
  const Driver& d = device_->driver();
  if (auto ok = device_->enter(); !ok) return std::unexpected(ok.error());
  const Stream stream = device_->stream();
  for (const Status status : {d.event_record(start_, stream), d.graph_launch(graph, stream),
                              d.event_record(end_, stream)}) {
    if (auto ok = d.check(status, "timing a graph"); !ok) return std::unexpected(ok.error());
  }
  return elapsed_us();
}

Result<double> CudaTimer::time_cold(CudaPrepared& call) {
  const Driver& d = device_->driver();
  if (auto ok = flush_.set(0, 0, flush_.bytes()); !ok) return std::unexpected(ok.error());
  const Stream stream = device_->stream();
  if (auto ok = d.check(d.event_record(start_, stream), "timing a launch"); !ok) {
    return std::unexpected(ok.error());
  }
  if (auto ok = call.launch(stream); !ok) return std::unexpected(ok.error());
  if (auto ok = d.check(d.event_record(end_, stream), "timing a launch"); !ok) {
    return std::unexpected(ok.error());
  }
  return elapsed_us();
}

CallGraphs::~CallGraphs() {
  (void)call_.device().enter();
  for (const auto& [calls, graph] : graphs_) call_.device().driver().graph_run_destroy(graph);
}

Result<GraphRun> CallGraphs::get(int calls) {
  const auto found = graphs_.find(calls);
  if (found != graphs_.end()) return found->second;
  const CudaDevice& device = call_.device();
  const Driver& d = device.driver();
  if (auto ok = device.enter(); !ok) return std::unexpected(ok.error());
  auto begun = d.check(d.capture_begin(device.stream(), capture_thread_local), "capturing");
  if (!begun) return std::unexpected(begun.error());
  Result<void> launched;
  for (int i = 0; i < calls && launched; ++i) launched = call_.launch(device.stream());
  Graph graph = nullptr;
  auto ended = d.check(d.capture_end(device.stream(), &graph), "ending the capture");
  if (!launched) return std::unexpected(launched.error());
  if (!ended) return std::unexpected(ended.error());
  GraphRun run = nullptr;
  auto made = d.check(d.graph_instantiate(&run, graph, 0), "making a graph");
  d.graph_destroy(graph);
  if (!made) return std::unexpected(made.error());
  graphs_.emplace(calls, run);
  return run;
}

}  // namespace parhelion::runtime::cuda
