// SPDX-License-Identifier: Apache-2.0
// A compiled kernel in this process, and a call of it with everything but the launch done before.
#pragma once

#include "runtime/arguments.h"
#include "runtime/cpu/cpu_device.h"

#include "base/launch.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace parhelion::runtime::cpu {

/// Programs [first, last) of one phase; `arguments` is the image of 8-byte slots.
using Entry = void (*)(const void* arguments, std::int64_t first, std::int64_t last, int worker);

/// Cheap to copy; the code stays loaded while a copy or a Prepared lives.
class CpuKernel {
 public:
  /// The bytes of a shared object, mapped from a fresh file each time: the C library takes two
  /// loads of one file for one. PH8501, PH8502. `name` shows in profilers.
  [[nodiscard]] static Result<CpuKernel> load(std::span<const std::byte> shared_object,
                                              const LaunchFacts& facts, std::string_view name);
  [[nodiscard]] const LaunchFacts& facts() const;
  [[nodiscard]] std::span<const Entry> entries() const;  // by phase

 private:
  struct Loaded;
  std::shared_ptr<const Loaded> loaded_;
};

/// A call whose sizes, parameter image and workspace are ready: launching allocates nothing.
class Prepared {
 public:
  /// `device` must outlive it. PH8503, PH8504.
  [[nodiscard]] static Result<Prepared> make(CpuDevice& device, CpuKernel kernel,
                                             std::span<const TensorView> tensors,
                                             std::span<const ScalarValue> scalars = {});
  /// On the tensors of make(). Calls of several threads follow one another.
  void launch();
  /// The same layouts at other addresses (by tensor).
  void launch(std::span<void* const> data);
  /// Whether launches stay on the calling thread: decided by the first ones, see cpu_kernel.cpp.
  [[nodiscard]] bool serial() const { return serial_; }

 private:
  void run_phases(const void* arguments);
  void run_phase(std::size_t phase, const void* arguments);
  void learn(double wall_us);
  void place_workspace();

  CpuDevice* device_ = nullptr;
  CpuKernel kernel_;
  BoundCall call_;
  std::vector<std::uint64_t> patched_;  // a copy of the slots, written under the device's lock
  int probes_ = 0;                      // launches that were timed to decide serial_
  double fastest_spread_us_ = 0, fastest_serial_us_ = 0;
  double caller_us_ = 0, least_work_us_ = 0;
  bool serial_ = false;
};

}  // namespace parhelion::runtime::cpu
