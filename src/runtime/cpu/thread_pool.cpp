// SPDX-License-Identifier: Apache-2.0
#include "runtime/cpu/thread_pool.h"

#include "runtime/cpu/affinity.h"

#include <parhelion/target.h>

#include <algorithm>

namespace parhelion::runtime::cpu {

ThreadPool::ThreadPool(Options options) : spin_(options.spin) {
  const int wanted = options.threads > 0 ? options.threads : host_cpu().physical_cores;
  const std::vector<int> cpus = options.pin ? usable_cpus() : std::vector<int>();
  for (int worker = 1; worker < wanted; ++worker) {
    const auto index = static_cast<std::size_t>(worker);
    const int cpu = index < cpus.size() ? cpus[index] : -1;
    threads_.emplace_back([this, worker, cpu] {
      if (cpu >= 0) pin_this_thread(cpu);
      work(worker);
    });
  }
}

ThreadPool::~ThreadPool() {
  stop_.store(true, std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
}

void ThreadPool::wait_for_change(std::atomic<std::uint32_t>& word, std::uint32_t old) const {
  const auto changed = [&] { return word.load(std::memory_order_acquire) != old; };
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 128; ++i) {  // the clock costs as much as about 20 pauses
      if (changed()) return;
      __builtin_ia32_pause();
    }
  } while (std::chrono::steady_clock::now() - start < spin_);
  while (!changed()) word.wait(old, std::memory_order_acquire);
}

void ThreadPool::take_part(int worker) {
  const Job& job = job_;
  if (job.chunk <= 0) {
    const std::int64_t parts = threads();
    const std::int64_t first = job.count * worker / parts;
    const std::int64_t last = job.count * (worker + 1) / parts;
    if (first < last) job.body(job.context, first, last, worker);
    return;
  }
  for (;;) {
    const std::int64_t first = next_.fetch_add(job.chunk, std::memory_order_relaxed);
    if (first >= job.count) return;
    job.body(job.context, first, std::min(first + job.chunk, job.count), worker);
  }
}

void ThreadPool::work(int worker) {
  std::uint32_t seen = 0;
  for (;;) {
    wait_for_change(epoch_, seen);
    ++seen;
    if (stop_.load(std::memory_order_relaxed)) return;
    take_part(worker);
    if (unfinished_.fetch_sub(1, std::memory_order_acq_rel) == 1) unfinished_.notify_one();
  }
}

void ThreadPool::run(Body body, const void* context, std::int64_t count, std::int64_t chunk) {
  if (count <= 0) return;
  if (threads_.empty() || count == 1) {
    body(context, 0, count, 0);
    return;
  }
  job_ = {body, context, count, chunk};
  next_.store(0, std::memory_order_relaxed);
  unfinished_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
  epoch_.fetch_add(1, std::memory_order_release);
  epoch_.notify_all();
  take_part(0);
  for (;;) {
    const std::uint32_t left = unfinished_.load(std::memory_order_acquire);
    if (left == 0) return;
    wait_for_change(unfinished_, left);
  }
}

}  // namespace parhelion::runtime::cpu
