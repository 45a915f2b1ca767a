// SPDX-License-Identifier: Apache-2.0
// What launches on the CPU share: threads, output memory, and one workspace.
#pragma once

#include "runtime/cpu/host_pool.h"
#include "runtime/cpu/page_region.h"
#include "runtime/cpu/thread_pool.h"

#include <cstddef>
#include <mutex>

namespace parhelion::runtime::cpu {

class CpuDevice {
 public:
  explicit CpuDevice(ThreadPool::Options options = {}) : threads_(options) {}
  [[nodiscard]] ThreadPool& threads() { return threads_; }
  [[nodiscard]] int thread_count() const { return threads_.threads(); }
  [[nodiscard]] HostPool& memory() { return memory_; }
  /// Held for a whole launch: the threads and the workspace belong to one launch at a time.
  [[nodiscard]] std::mutex& launching() { return launching_; }
  /// Makes the workspace hold `bytes`; false when memory is exhausted. It never shrinks, and its
  /// address may change, so launches read it under the lock.
  [[nodiscard]] bool reserve(std::size_t bytes);
  [[nodiscard]] std::byte* workspace() const { return workspace_.data(); }

 private:
  ThreadPool threads_;
  HostPool memory_;
  std::mutex launching_;
  PageRegion workspace_;
};

}  // namespace parhelion::runtime::cpu
