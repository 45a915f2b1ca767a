// SPDX-License-Identifier: Apache-2.0
// Interleaved samples of several kernels: what they share (clock, neighbours, temperature) meets
// all of them alike, so that samples of one round can be compared in pairs.
#pragma once

#include "runtime/engine.h"
#include "runtime/worker_protocol.h"

#include <memory>
#include <vector>

namespace parhelion::runtime {

/// One kernel, bound to each copy of the tensors.
class TimedKernel {
 public:
  explicit TimedKernel(std::vector<std::unique_ptr<EngineCall>> calls) : calls_(std::move(calls)) {}
  [[nodiscard]] Result<double> sample_us(int calls, Protocol protocol);
  /// Calls a sample needs to last `min_sample_us`; runs the kernel a few times.
  [[nodiscard]] Result<int> calibrate(double min_sample_us, Protocol protocol);

 private:
  std::vector<std::unique_ptr<EngineCall>> calls_;
  std::size_t next_ = 0;
};

/// Fills samples and calls of the answer.
[[nodiscard]] Result<TimeAnswer> race(std::vector<TimedKernel>& kernels,
                                      const TimeRequest& request);

}  // namespace parhelion::runtime
