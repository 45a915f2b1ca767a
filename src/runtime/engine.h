// SPDX-License-Identifier: Apache-2.0
// One device as the worker drives it. Two bodies: cpu/cpu_engine.h and cuda/cuda_engine.h.
#pragma once

#include "runtime/arguments.h"
#include "runtime/edge.h"

#include "base/json.h"
#include "base/launch.h"

#include <parhelion/target.h>
#include <parhelion/tensor.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace parhelion::runtime {

/// The state of the caches at the start of a timed call.
enum class CacheState : std::uint8_t { Warm, Cold };

/// Memory of one tensor under test, with guard zones.
class EngineMemory {
 public:
  virtual ~EngineMemory() = default;
  [[nodiscard]] virtual void* data() const = 0;
  virtual Result<void> write(std::span<const std::byte> bytes) = 0;
  virtual Result<void> read(std::span<std::byte> bytes) const = 0;
  /// Text of what was overwritten around the tensor, if anything was.
  [[nodiscard]] virtual Result<std::optional<std::string>> damage() const = 0;
};

/// A kernel with its arguments.
class EngineCall {
 public:
  virtual ~EngineCall() = default;
  /// To the end of the launch.
  virtual Result<void> run() = 0;
  /// One sample in us a call: `calls` of them back to back (Warm), or one each after an eviction.
  virtual Result<double> sample_us(int calls, CacheState state) = 0;
};

class EngineKernel {
 public:
  virtual ~EngineKernel() = default;
  [[nodiscard]] virtual Result<std::unique_ptr<EngineCall>> bind(
      std::span<const TensorView> tensors, std::span<const ScalarValue> scalars) = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;
  [[nodiscard]] virtual Device device() const = 0;
  [[nodiscard]] virtual Target target() const = 0;
  /// What a report of measurements must say about the device: an object of texts and numbers.
  [[nodiscard]] virtual Json environment() const = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<EngineKernel>> load(std::span<const std::byte> image,
                                                                   const LaunchFacts& facts,
                                                                   std::string_view name) = 0;
  [[nodiscard]] virtual Result<std::unique_ptr<EngineMemory>> allocate(std::size_t bytes, Edge edge,
                                                                       std::size_t alignment,
                                                                       std::size_t misalign) = 0;
  /// Effective clock where the device tells it.
  [[nodiscard]] virtual std::optional<double> clock_mhz() = 0;
};

}  // namespace parhelion::runtime
