// SPDX-License-Identifier: Apache-2.0
// Copies of a launch's buffers, far from each other and from everything else: an address that
// strays belongs to no other buffer.
#pragma once

#include "emulation/launch.h"

#include <optional>
#include <string>

namespace parhelion::emulation {

class GuardedMemory {
 public:
  explicit GuardedMemory(const std::vector<Buffer>& buffers);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  [[nodiscard]] unsigned char* address(int buffer) const;
  /// The buffer that holds all the bytes.
  [[nodiscard]] std::optional<int> find(const void* pointer, std::size_t bytes);
  [[nodiscard]] bool writable(int buffer) const;
  /// "16 bytes at offset 8192 of buffer 0, which has 8192 bytes"; lives until the next call.
  [[nodiscard]] const std::string& describe(const void* pointer, std::size_t bytes);
  void copy_back() const;

 private:
  struct Region {
    unsigned char* mapped;
    std::size_t mapped_bytes;
    unsigned char* begin;
    Buffer of;
  };
  std::vector<Region> regions_;
  std::size_t last_ = 0;
  std::string description_;
};

}  // namespace parhelion::emulation
