// SPDX-License-Identifier: Apache-2.0
#include "emulation/execution.h"

#include <cstdlib>

namespace parhelion::emulation {

namespace {

constexpr std::size_t stack_bytes = std::size_t{256} << 10;  // reserved; pages come when touched
constexpr std::size_t arena_alignment = 1024;                // of the widest swizzle

Execution& of(void* self) { return *static_cast<Execution*>(self); }

std::size_t rounded(std::size_t bytes) {
  return (bytes + arena_alignment - 1) / arena_alignment * arena_alignment + arena_alignment;
}

}  // namespace

Execution::Execution(const Launch& launch, Bound bound, CallFunction* call, GuardedMemory& memory,
                     Findings& findings)
    : launch_(launch),
      bound_(bound),
      call_(call),
      memory_(memory),
      findings_(findings),
      rng_(launch.seed, static_cast<std::uint64_t>(launch.schedule)),
      start_(std::chrono::steady_clock::now()),
      arena_(nullptr, &std::free),
      arena_bytes_(findings.image().shared_bytes()),
      stacks_(static_cast<std::size_t>(launch.threads), stack_bytes),
      shadow_(findings, static_cast<u32>(launch.threads)) {
  arena_.reset(
      static_cast<unsigned char*>(std::aligned_alloc(arena_alignment, rounded(arena_bytes_))));
  // The dynamic array comes last where the linker puts the stub after the text.
  const bool array_last = bound.shared_offset + bound.shared_capacity == arena_bytes_;
  used_bytes_ = array_last ? bound.shared_offset + static_cast<u32>(launch.dynamic_shared_bytes)
                           : arena_bytes_;
  for (const Argument& argument : launch.arguments) {
    const bool pointer = argument.buffer >= 0;
    const auto base =
        pointer ? reinterpret_cast<std::intptr_t>(memory.address(argument.buffer)) : 0;
    argument_bits_.push_back(base + argument.value);
  }
  for (std::int64_t& bits : argument_bits_) argument_slots_.push_back(&bits);
}

Hooks Execution::hooks() {
  Hooks h{};
  h.access = [](void* s, const void* p, u32 bytes, u32 flags, Place at) {
    of(s).access(p, bytes, flags, at);
  };
  h.misaligned = [](void* s, const void* p, Place at) { of(s).misaligned(p, at); };
  h.out_of_bounds = [](void* s, u64 index, Place at) { of(s).out_of_bounds(index, at); };
  h.refuel = [](void* s, Place at) { of(s).refuel(at); };
  h.warp = [](void* s, const WarpCall* call, Place at) { of(s).warp(*call, at); };
  h.sync_threads = [](void* s, Place at) { of(s).sync_threads(at); };
  h.named = [](void* s, u32 id, u32 threads, bool wait, Place at) {
    of(s).named(id, threads, wait, at);
  };
  h.copy = [](void* s, u32 to, const void* from, u32 bytes, u32 source_bytes, Place at) {
    of(s).copy(to, from, bytes, source_bytes, at);
  };
  h.copy_commit = [](void* s, Place) { of(s).copy_commit(); };
  h.copy_wait = [](void* s, u32 pending, Place) { of(s).copy_wait(pending); };
  h.mbarrier_init = [](void* s, u32 barrier, u32 arrivals, Place at) {
    of(s).mbarrier_init(barrier, arrivals, at);
  };
  h.mbarrier_init_fence = [](void* s, Place) { of(s).mbarrier_init_fence(); };
  h.mbarrier_arrive = [](void* s, u32 barrier, u32 bytes, Place at) {
    of(s).mbarrier_arrive(barrier, bytes, at);
  };
  h.mbarrier_wait = [](void* s, u32 barrier, u32 parity, Place at) {
    of(s).mbarrier_wait(barrier, parity, at);
  };
  h.fence_async = [](void* s, Place) { of(s).fence_async(); };
  h.bulk_load = [](void* s, u32 to, const void* from, u32 bytes, u32 barrier, Place at) {
    of(s).bulk_load(to, from, bytes, barrier, at);
  };
  return h;
}

void Execution::fill(Report& report) const {
  report.accesses = accesses_;
  report.switches = switches_;
  report.blocks = blocks_done_;
  const auto spent = std::chrono::steady_clock::now() - start_;
  report.wall_s = std::chrono::duration<double>(spent).count();
}

void Execution::report(Kind kind, Place place, std::string message) {
  findings_.add(kind, place, 0, block_, {static_cast<int>(current_->index())}, std::move(message));
}

void Execution::fatal(Kind kind, Place place, std::string message) {
  // Moved into the list first: the thread's stack is never unwound.
  report(kind, place, std::move(message));
  stop();
}

void Execution::stop() {
  stopped_ = true;
  for (;;) current_->fiber.leave();
}

}  // namespace parhelion::emulation
