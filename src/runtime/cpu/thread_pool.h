// SPDX-License-Identifier: Apache-2.0
// The threads that run the programs of a kernel. Written here because OpenMP runtimes of two
// compilers in one process fight over the cores (reference: cpu_backend.md 1.6).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace parhelion::runtime::cpu {

class ThreadPool {
 public:
  struct Options {
    int threads = 0;  // with the caller; 0: one a physical core
    bool pin = false;
    // A woken thread costs 43-60 us, a spinning one 1 (measured on 2 cores): cpu_backend.md 1.6.
    std::chrono::microseconds spin{2000};
  };
  using Body = void (*)(const void* context, std::int64_t first, std::int64_t last, int worker);

  ThreadPool() : ThreadPool(Options()) {}
  explicit ThreadPool(Options options);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;

  [[nodiscard]] int threads() const { return static_cast<int>(threads_.size()) + 1; }
  /// Calls `body` over ranges that cover [0, count) once, and returns when all are done. The caller
  /// takes part as worker 0. chunk 0: one static range a thread; else ranges of `chunk` in order as
  /// threads come free. One run at a time: callers hold a lock of their own.
  void run(Body body, const void* context, std::int64_t count, std::int64_t chunk);

 private:
  struct Job {
    Body body = nullptr;
    const void* context = nullptr;
    std::int64_t count = 0, chunk = 0;
  };
  void work(int worker);
  void take_part(int worker);
  void wait_for_change(std::atomic<std::uint32_t>& word, std::uint32_t old) const;

  std::chrono::microseconds spin_;
  Job job_;
  // Each on its own cache line: the caller writes one while the workers read another.
  alignas(64) std::atomic<std::uint32_t> epoch_{0};       // grows by one a run
  alignas(64) std::atomic<std::uint32_t> unfinished_{0};  // workers still in the run
  alignas(64) std::atomic<std::int64_t> next_{0};         // first program not yet taken
  alignas(64) std::atomic<bool> stop_{false};
  std::vector<std::jthread> threads_;  // last: joined while the words above still stand
};

}  // namespace parhelion::runtime::cpu
