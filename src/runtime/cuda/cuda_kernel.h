// SPDX-License-Identifier: Apache-2.0
// A cubin (or PTX) in this process, and a call of it.
#pragma once

#include "runtime/arguments.h"
#include "runtime/cuda/cuda_device.h"

#include "base/launch.h"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace parhelion::runtime::cuda {

/// Cheap to copy; the module stays loaded while a copy or a call lives.
class CudaKernel {
 public:
  /// PH8602 when the driver refuses the image, PH8502 when an entry is missing.
  [[nodiscard]] static Result<CudaKernel> load(std::shared_ptr<CudaDevice> device,
                                               std::span<const std::byte> image,
                                               const LaunchFacts& facts, std::string_view name);
  [[nodiscard]] const LaunchFacts& facts() const;
  [[nodiscard]] Function function(std::size_t phase) const;
  [[nodiscard]] CudaDevice& device() const;

 private:
  friend class CudaPrepared;
  struct Loaded;
  std::shared_ptr<const Loaded> loaded_;
};

class CudaPrepared {
 public:
  /// PH8503, PH8602.
  [[nodiscard]] static Result<CudaPrepared> make(CudaKernel kernel,
                                                 std::span<const TensorView> tensors,
                                                 std::span<const ScalarValue> scalars = {});
  /// Enqueues the phases; they run in order. Allocates nothing, and may be captured in a graph.
  Result<void> launch(Stream stream);
  Result<void> launch() { return launch(kernel_.device().stream()); }
  [[nodiscard]] CudaDevice& device() const { return kernel_.device(); }

 private:
  CudaKernel kernel_;
  BoundCall call_;
  std::vector<void*> parameters_;  // addresses of the slots
  CudaMemory workspace_;
};

}  // namespace parhelion::runtime::cuda
