// SPDX-License-Identifier: Apache-2.0
// What a worker does with requests. It defends itself against nothing that a kernel may do: a crash
// or a hang ends the process, and the coordinator makes another.
#pragma once

#include "runtime/engine.h"
#include "runtime/shared_memory.h"
#include "runtime/tensor_set.h"
#include "runtime/worker_protocol.h"

#include "base/files.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace parhelion::runtime {

/// A kernel as read from an artifact's file.
struct KernelImage {
  std::string name;
  std::vector<std::byte> bytes;
  LaunchFacts facts;
};
using ReadKernel = std::function<Result<KernelImage>(const fs::path& file)>;

class WorkerServer {
 public:
  WorkerServer(std::unique_ptr<Engine> engine, SharedMemory shared, ReadKernel read_kernel);
  [[nodiscard]] Answer answer(const Request& request);

 private:
  Result<Answer> handle(const HelloRequest& request);
  Result<Answer> handle(const TensorsRequest& request);
  Result<Answer> handle(const LoadRequest& request);
  Result<Answer> handle(const UnloadRequest& request);
  Result<Answer> handle(const RunRequest& request);
  Result<Answer> handle(const TimeRequest& request);
  Result<Answer> handle(const ClockRequest& request);
  Result<TensorSet*> find_set(int set);
  Result<EngineKernel*> find_kernel(int kernel);
  void add_clock(TimeAnswer& answer);

  std::unique_ptr<Engine> engine_;
  SharedMemory shared_;
  ReadKernel read_kernel_;
  // Sets after kernels: calls into either hold no memory of the other.
  std::map<int, std::unique_ptr<EngineKernel>> kernels_;
  std::map<int, TensorSet> sets_;
};

}  // namespace parhelion::runtime
