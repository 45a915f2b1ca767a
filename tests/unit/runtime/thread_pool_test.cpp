// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "runtime/cpu/affinity.h"
#include "runtime/cpu/thread_pool.h"

#include <atomic>
#include <set>
#include <vector>

namespace parhelion::runtime::cpu {
namespace {

struct Visits {
  explicit Visits(std::int64_t count) : seen(static_cast<std::size_t>(count)) {}
  std::vector<std::atomic<int>> seen;
  std::atomic<unsigned> workers{0};
  static void body(const void* context, std::int64_t first, std::int64_t last, int worker) {
    auto* self = static_cast<Visits*>(const_cast<void*>(context));
    for (std::int64_t i = first; i < last; ++i)
      self->seen[static_cast<std::size_t>(i)].fetch_add(1);
    self->workers.fetch_or(1u << worker);
  }
  [[nodiscard]] bool each_once() const {
    for (const auto& n : seen) {
      if (n.load() != 1) return false;
    }
    return true;
  }
};

TEST_CASE("every program runs once, whatever the schedule") {
  for (const int threads : {1, 2, 3, 7}) {
    ThreadPool pool({.threads = threads, .pin = false, .spin = std::chrono::microseconds(50)});
    CHECK(pool.threads() == threads);
    for (const std::int64_t count : {0, 1, 2, 3, 7, 100, 1001}) {
      for (const std::int64_t chunk : {0, 1, 3, 64}) {
        Visits visits(count);
        pool.run(&Visits::body, &visits, count, chunk);
        CAPTURE(threads);
        CAPTURE(count);
        CAPTURE(chunk);
        CHECK(visits.each_once());
        CHECK(visits.workers.load() < 1u << threads);
      }
    }
  }
}

TEST_CASE("static ranges give each worker its own part") {
  ThreadPool pool({.threads = 3});
  Visits visits(9);
  pool.run(&Visits::body, &visits, 9, 0);
  CHECK(visits.workers.load() == 7u);
}

TEST_CASE("runs follow each other through sleep and spin") {
  for (const int spin_us : {0, 20, 2000}) {
    ThreadPool pool({.threads = 2, .pin = false, .spin = std::chrono::microseconds(spin_us)});
    for (int i = 0; i < 60; ++i) {
      Visits visits(4);
      pool.run(&Visits::body, &visits, 4, i % 2);
      if (!visits.each_once()) FAIL("a program was lost");
      if (i % 20 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
  }
}

TEST_CASE("CPUs are listed once each, and threads can be tied to them") {
  const std::vector<int> cpus = usable_cpus();
  CHECK_FALSE(cpus.empty());
  CHECK(std::set<int>(cpus.begin(), cpus.end()).size() == cpus.size());
  std::thread([&] { CHECK(pin_this_thread(cpus.back())); }).join();
  CHECK_FALSE(pin_this_thread(1023));
}

}  // namespace
}  // namespace parhelion::runtime::cpu
