// SPDX-License-Identifier: Apache-2.0
// A memory file that coordinator and worker both map: tensor contents go through it.
#pragma once

#include <parhelion/diagnostic.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace parhelion::runtime {

class SharedMemory {
 public:
  SharedMemory() = default;
  [[nodiscard]] static Result<SharedMemory> create(std::size_t bytes);  // PH8704
  /// Maps a file that another process made; the descriptor stays the caller's.
  [[nodiscard]] static Result<SharedMemory> attach(int descriptor);
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  /// Grows the file; addresses change.
  [[nodiscard]] Result<void> grow(std::size_t bytes);
  /// [offset, offset + bytes), mapping anew if the file has grown meanwhile. PH8704 when outside.
  [[nodiscard]] Result<std::span<std::byte>> range(std::int64_t offset, std::int64_t bytes);
  /// Spans end here; the next range() maps again. A worker does so before it runs a kernel: a stray
  /// store must not reach the coordinator's memory.
  void unmap();
  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] bool valid() const { return descriptor_ >= 0; }

 private:
  [[nodiscard]] Result<void> map();
  int descriptor_ = -1;
  bool owned_ = false;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace parhelion::runtime
