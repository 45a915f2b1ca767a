// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "runtime/cpu/guarded_memory.h"
#include "runtime/cpu/host_pool.h"
#include "runtime/shared_memory.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>

namespace parhelion::runtime {
namespace {

using cpu::GuardedMemory;
using cpu::HostPool;

/// The signal that ends a child which does `action`; 0 when it ends by itself.
int signal_of(const std::function<void()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGSEGV, SIG_DFL);
    action();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_CASE("the guarded edge faults at the first byte outside") {
  for (const std::size_t bytes : {std::size_t{64}, std::size_t{4096}, std::size_t{100 * 64}}) {
    const GuardedMemory end = GuardedMemory::make(bytes, Edge::End, 64);
    volatile std::byte* at = end.data();
    CHECK(signal_of([&] { at[bytes - 1] = std::byte{1}; }) == 0);
    CHECK(signal_of([&] { at[bytes] = std::byte{1}; }) == SIGSEGV);
    const GuardedMemory start = GuardedMemory::make(bytes, Edge::Start, 64);
    volatile std::byte* first = start.data();
    CHECK(signal_of([&] { first[0] = std::byte{1}; }) == 0);
    CHECK(signal_of([&] { first[-1] = std::byte{1}; }) == SIGSEGV);
  }
}

TEST_CASE("writes into the slack and on the other side are found") {
  GuardedMemory m = GuardedMemory::make(100, Edge::End, 64);
  CHECK(reinterpret_cast<std::uintptr_t>(m.data()) % 64 == 0);
  CHECK_FALSE(m.damage().has_value());
  m.data()[99] = std::byte{1};
  CHECK_FALSE(m.damage().has_value());
  m.data()[103] = std::byte{0};
  CHECK(m.damage() == "byte 3 behind the end was written");
  GuardedMemory before = GuardedMemory::make(100, Edge::End, 64);
  before.data()[-2] = std::byte{0};
  CHECK(before.damage() == "byte 2 before the start was written");
  CHECK(GuardedMemory::make(0, Edge::Start, 64).valid());
}

TEST_CASE("a misaligned start is exactly as far off as asked") {
  for (const Edge edge : {Edge::Start, Edge::End}) {
    for (const std::size_t off : {std::size_t{0}, std::size_t{4}, std::size_t{12}}) {
      const GuardedMemory m = GuardedMemory::make(1000, edge, 64, off);
      CHECK(reinterpret_cast<std::uintptr_t>(m.data()) % 64 == off);
      CHECK_FALSE(m.damage().has_value());
    }
  }
}

TEST_CASE("freed memory comes back for the next tensor of its size") {
  HostPool pool;
  void* first = nullptr;
  {
    const Buffer b = Buffer::empty({1000}, DType::F32, &pool);
    first = b.data();
    CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
    CHECK(pool.kept_bytes() == 0);
  }
  CHECK(pool.kept_bytes() >= 4000);
  const Buffer again = Buffer::zeros({999}, DType::F32, &pool);
  CHECK(again.data() == first);
  const Buffer other = Buffer::empty({1000}, DType::F32, &pool);
  CHECK(other.data() != first);
}

TEST_CASE("sizes of every order are reused") {
  HostPool pool;
  for (const std::int64_t bytes : {1, 4096, 4097, 5000, 20000, 70001, 1 << 20, (4 << 20) + 1}) {
    void* first = Buffer::empty({bytes}, DType::I8, &pool).data();
    CHECK(Buffer::empty({bytes}, DType::I8, &pool).data() == first);
  }
}

TEST_CASE("buffers outlive their pool, and a full pool lets memory go") {
  auto pool = std::make_unique<HostPool>(8192);
  Buffer kept = Buffer::zeros({64}, DType::F32, pool.get());
  {
    const Buffer large = Buffer::empty({100000}, DType::F32, pool.get());
  }
  CHECK(pool->kept_bytes() == 0);
  pool.reset();
  kept.span<float>()[63] = 1;
  CHECK(kept.span<float>()[63] == 1);
}

TEST_CASE("a pool carries bytes in and out") {
  HostPool pool;
  const Buffer b = Buffer::from<float>({1, 2, 3}, {3}, &pool);
  float out[3] = {};
  REQUIRE(b.copy_to(TensorView(out, {3}), &pool).has_value());
  CHECK(out[2] == 3);
  CHECK(Buffer::zeros({3}, DType::F32, &pool).span<float>()[1] == 0);
}

TEST_CASE("shared memory is seen from both sides and grows") {
  SharedMemory mine = SharedMemory::create(4096).value();
  SharedMemory theirs = SharedMemory::attach(mine.descriptor()).value();
  mine.range(100, 1).value()[0] = std::byte{42};
  CHECK(theirs.range(100, 1).value()[0] == std::byte{42});
  REQUIRE(mine.grow(1 << 20).has_value());
  mine.range((1 << 20) - 1, 1).value()[0] = std::byte{7};
  CHECK(theirs.range((1 << 20) - 1, 1).value()[0] == std::byte{7});
  theirs.unmap();
  CHECK(theirs.range(100, 1).value()[0] == std::byte{42});
  const auto outside = theirs.range(1 << 20, 1);
  REQUIRE_FALSE(outside.has_value());
  CHECK(outside.error()[0].code == 8704);
  CHECK(outside.error()[0].message ==
        "shared memory: bytes 1048576 to 1048577 lie outside its 1048576");
  CHECK_FALSE(theirs.range(-1, 1).has_value());
  CHECK_FALSE(theirs.range(0, INT64_MAX).has_value());
  CHECK_FALSE(SharedMemory::attach(-1).has_value());
}

}  // namespace
}  // namespace parhelion::runtime
