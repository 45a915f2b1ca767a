// SPDX-License-Identifier: Apache-2.0
// One launch in progress: threads, their schedule, and the meaning of every hook. Split by topic
// into execution_*.cpp.
#pragma once

#include "base/rng.h"
#include "emulation/fiber.h"
#include "emulation/guarded_memory.h"
#include "emulation/shadow.h"

#include <chrono>
#include <deque>
#include <memory>
#include <unordered_map>

namespace parhelion::emulation {

struct Thread {
  enum class Wait : std::uint8_t { Nothing, Warp, Block, Named, Mbarrier };
  struct Copy {
    u32 to;
    const unsigned char* from;
    u32 bytes, source_bytes, group;
    bool landed;
    Place place;
  };

  Fiber fiber;
  Accessor accessor;  // its number and what it knows
  u32 warp = 0, lane = 0;
  bool exited = false;
  bool issued_load = false;  // for the schedules that put producers first or last

  Wait wait = Wait::Nothing;
  Place wait_place = 0;
  u32 wait_key = 0, wait_parity = 0;  // WarpKind, barrier id, or mbarrier and parity
  const WarpCall* call = nullptr;     // on its stack, while it waits for its warp

  u32 groups_committed = 0, groups_waited = 0;
  std::vector<Copy> copies;        // not yet waited for
  std::vector<u32> passed_phases;  // by mbarrier: phase it last passed, + 1

  [[nodiscard]] u32 index() const { return accessor.thread; }
};

class Execution {
 public:
  Execution(const Launch& launch, Bound bound, CallFunction* call, GuardedMemory& memory,
            Findings& findings);
  void run();
  void fill(Report& report) const;
  [[nodiscard]] static Hooks hooks();  // `self` to be set

  // What the hooks call, in the running thread.
  void access(const void* pointer, u32 bytes, u32 flags, Place place);
  void misaligned(const void* pointer, Place place);
  void out_of_bounds(u64 index, Place place);
  void refuel(Place place);
  void warp(const WarpCall& call, Place place);
  void sync_threads(Place place);
  void named(u32 id, u32 threads, bool wait, Place place);
  void copy(u32 shared, const void* global, u32 bytes, u32 source_bytes, Place place);
  void copy_commit();
  void copy_wait(u32 pending);
  void mbarrier_init(u32 barrier, u32 arrivals, Place place);
  void mbarrier_init_fence();
  void mbarrier_arrive(u32 barrier, u32 expected_bytes, Place place);
  void mbarrier_wait(u32 barrier, u32 parity, Place place);
  void fence_async();
  void bulk_load(u32 shared, const void* global, u32 bytes, u32 barrier, Place place);

 private:
  enum class Landing : std::uint8_t { Early, Late, Random };
  struct Collective {
    WarpKind kind;
    u32 mask, argument, arrived;
    Place place;
  };
  struct NamedBarrier {
    u32 expected = 0;
    Place place = 0;
    Knowledge knowledge;
    std::vector<u32> arrived, waiting;
  };
  struct Mbarrier {
    u32 address = 0, arrivals = 0, pending = 0, phase = 0;
    i64 bytes = 0;  // expected and not landed
    u32 initialiser = 0, initialised_epoch = 0;
    bool fenced = false;
    Knowledge arriving, completed;
    std::vector<u32> waiting;
  };
  struct BulkCopy {
    u32 to;
    const unsigned char* from;
    u32 bytes, barrier, phase;
    Place place;
  };

  // execution_schedule.cpp
  void run_block(int block);
  void start_thread(u32 index);
  void make_ready(u32 thread);
  Thread& next();
  bool pick(std::deque<u32>& queue, u32& thread);
  void enter(Thread& thread);
  void block_on(Thread::Wait wait, u32 key, u32 parity, Place place);
  void maybe_yield();
  void thread_end();
  void report_deadlock();
  [[nodiscard]] bool out_of_time() const;
  [[nodiscard]] std::string waits_text() const;
  [[nodiscard]] bool random_order() const;
  [[nodiscard]] Landing landing() const;

  // execution_memory.cpp
  void shared_access(const Thread& thread, u32 at, u32 bytes, bool write, Place place);
  void check_shared_range(const Thread& thread, u32 at, u32 bytes, u32 alignment, Place place);
  const unsigned char* check_global_source(const void* global, u32 bytes, u32 alignment,
                                           Place place);
  [[nodiscard]] unsigned char* shared_bytes(u32 at) { return arena_.get() + at; }

  // execution_warp.cpp
  void complete(const Collective& collective);
  void synchronise(const Collective& collective);
  void shuffle(const Collective& collective);
  void vote(const Collective& collective);
  void load_matrix(bool transposed, Place place);
  void store_matrix(Place place);
  void multiply(bool bf16);
  Thread& lane(u32 lane_index) { return threads_[current_->warp * 32 + lane_index]; }
  u32* words(u32 lane_index) { return lane(lane_index).call->value; }

  // execution_barriers.cpp, execution_copies.cpp, execution_mbarriers.cpp
  void arrive(NamedBarrier& barrier, u32 threads, bool wait, Place place);
  void release(NamedBarrier& barrier);
  void give(Knowledge& to);
  void land(Thread::Copy& copy);
  Mbarrier& mbarrier(u32 address, Place place);
  void complete_phase_if_due(Mbarrier& barrier, Place place);
  void pass(Mbarrier& barrier, u32 parity, Place place);
  void land(const BulkCopy& copy);
  bool land_some_copy();
  [[nodiscard]] u32 barrier_entity(const Mbarrier& barrier) const;

  // Findings of the running thread; a fatal one never returns to it.
  void report(Kind kind, Place place, std::string message);
  [[noreturn]] void fatal(Kind kind, Place place, std::string message);
  [[noreturn]] void stop();

  const Launch& launch_;
  Bound bound_;
  CallFunction* call_;
  GuardedMemory& memory_;
  Findings& findings_;
  Rng rng_;
  std::chrono::steady_clock::time_point start_;
  double deadline_s_ = 0;  // of the processor time of this thread

  std::vector<std::int64_t> argument_bits_;
  std::vector<void*> argument_slots_;
  std::unique_ptr<unsigned char, void (*)(void*)> arena_;
  u32 arena_bytes_ = 0;
  u32 used_bytes_ = 0;  // of the arena, up to the end of what was launched
  Stacks stacks_;
  Shadow shadow_;

  std::vector<Thread> threads_;
  Thread* current_ = nullptr;
  std::deque<u32> ready_[2];  // the second runs only when the first is empty
  u32 running_ = 0;           // threads not at their end
  int starved_warp_ = -1;
  bool stopped_ = false;
  int block_ = 0, blocks_done_ = 0;
  std::int64_t accesses_ = 0, switches_ = 0;

  std::vector<std::vector<Collective>> collectives_;  // by warp
  std::vector<u32> exited_lanes_;                     // by warp
  std::vector<NamedBarrier> named_;                   // 0 is __syncthreads
  std::vector<Mbarrier> mbarriers_;
  std::unordered_map<u32, u32> mbarrier_at_;
  std::vector<BulkCopy> bulk_copies_;  // under way
};

}  // namespace parhelion::emulation
