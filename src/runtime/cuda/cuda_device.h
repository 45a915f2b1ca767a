// SPDX-License-Identifier: Apache-2.0
// One GPU: its primary context (shared with other users of it in the process), a stream, memory.
#pragma once

#include "runtime/cuda/driver.h"

#include <parhelion/target.h>
#include <parhelion/tensor.h>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace parhelion::runtime::cuda {

class CudaDevice {
 public:
  /// PH8601, PH8602, PH8603.
  [[nodiscard]] static Result<std::shared_ptr<CudaDevice>> open(int index);
  ~CudaDevice();
  CudaDevice(const CudaDevice&) = delete;

  [[nodiscard]] const Driver& driver() const { return *driver_; }
  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] Stream stream() const { return stream_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] int driver_version() const { return driver_version_; }
  /// The row of the table for this architecture, with what the driver says of this GPU.
  [[nodiscard]] const CudaTarget& target() const { return target_; }
  /// Makes the context the calling thread's; each public operation here does so.
  Result<void> enter() const;
  Result<void> synchronize() const;

 private:
  CudaDevice() = default;
  Result<void> read_facts();
  [[nodiscard]] int attribute(Attribute which) const;  // 0: unknown

  std::shared_ptr<const Driver> driver_;  // one for all devices of a process
  int index_ = 0, driver_version_ = 0;
  DeviceHandle handle_ = 0;
  Context context_ = nullptr;
  Stream stream_ = nullptr;
  std::string name_;
  CudaTarget target_;
};

/// Device memory that is not zeroed; freed at the end of its life.
class CudaMemory {
 public:
  CudaMemory() = default;
  [[nodiscard]] static Result<CudaMemory> make(std::shared_ptr<CudaDevice> device,
                                               std::size_t bytes);
  CudaMemory(CudaMemory&& other) noexcept;
  CudaMemory& operator=(CudaMemory&& other) noexcept;
  ~CudaMemory();
  [[nodiscard]] Address address() const { return address_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  Result<void> write(std::size_t offset, std::span<const std::byte> bytes) const;
  Result<void> read(std::size_t offset, std::span<std::byte> bytes) const;
  Result<void> set(std::size_t offset, unsigned char value, std::size_t bytes) const;

 private:
  std::shared_ptr<CudaDevice> device_;  // memory keeps its context alive
  Address address_ = 0;
  std::size_t bytes_ = 0;
};

/// Buffers on a GPU. Freed memory is kept for the next tensor of its size.
class CudaPool final : public MemoryPool {
 public:
  explicit CudaPool(std::shared_ptr<CudaDevice> device);
  ~CudaPool() override;
  [[nodiscard]] Device device() const override;
  [[nodiscard]] Storage* take(std::size_t bytes) override;
  Result<void> read(void* host, const void* source, std::size_t bytes) override;
  Result<void> write(void* destination, const void* host, std::size_t bytes) override;
  Result<void> zero(void* destination, std::size_t bytes) override;

 private:
  struct State;
  class Block;
  std::shared_ptr<State> state_;  // shared with the blocks that are out
};

}  // namespace parhelion::runtime::cuda
