// SPDX-License-Identifier: Apache-2.0
// Time on the GPU, by events; calls back to back are replayed from a graph, so that the host's
// launch overhead is not in the sample.
#pragma once

#include "runtime/cuda/cuda_kernel.h"

#include <map>
#include <memory>

namespace parhelion::runtime::cuda {

class CudaTimer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<CudaTimer>> make(std::shared_ptr<CudaDevice> device);
  ~CudaTimer();
  CudaTimer(const CudaTimer&) = delete;

  /// us of one replay of `graph`.
  Result<double> time_graph(GraphRun graph);
  /// us of one launch after the L2 cache was overwritten. Nothing waits between overwriting and the
  /// first event: the pair would else include the host's way back.
  Result<double> time_cold(CudaPrepared& call);

 private:
  explicit CudaTimer(std::shared_ptr<CudaDevice> device) : device_(std::move(device)) {}
  Result<double> elapsed_us();

  std::shared_ptr<CudaDevice> device_;
  Event start_ = nullptr, end_ = nullptr;
  CudaMemory flush_;
};

/// Graphs of n calls of one kernel, made when asked for.
class CallGraphs {
 public:
  explicit CallGraphs(CudaPrepared& call) : call_(call) {}
  ~CallGraphs();
  CallGraphs(const CallGraphs&) = delete;
  [[nodiscard]] Result<GraphRun> get(int calls);

 private:
  CudaPrepared& call_;
  std::map<int, GraphRun> graphs_;
};

}  // namespace parhelion::runtime::cuda
