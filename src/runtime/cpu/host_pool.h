// SPDX-License-Identifier: Apache-2.0
// Host memory for outputs that comes back: a fresh 64 MiB output costs four times its kernel in
// page faults (cpu_backend.md 1.6), so freed memory is kept, touched, for the next call.
#pragma once

#include <parhelion/tensor.h>

#include <cstddef>
#include <memory>

namespace parhelion::runtime::cpu {

class HostPool final : public MemoryPool {
 public:
  /// At most `keep_bytes` of free memory are held back for reuse.
  explicit HostPool(std::size_t keep_bytes = std::size_t{2} << 30);
  ~HostPool() override;

  [[nodiscard]] Device device() const override { return {}; }
  [[nodiscard]] Storage* take(std::size_t bytes) override;
  Result<void> read(void* host, const void* source, std::size_t bytes) override;
  Result<void> write(void* destination, const void* host, std::size_t bytes) override;
  Result<void> zero(void* destination, std::size_t bytes) override;
  [[nodiscard]] std::size_t kept_bytes() const;

 private:
  struct State;
  class Block;
  // Shared with every block that is out: a Buffer may outlive its pool.
  std::shared_ptr<State> state_;
};

}  // namespace parhelion::runtime::cpu
