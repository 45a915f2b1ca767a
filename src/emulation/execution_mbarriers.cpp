// SPDX-License-Identifier: Apache-2.0
// mbarriers, and the bulk copies that complete on them. A bulk copy is written by the entity of its
// barrier at epoch phase + 1: waiting for the phase puts that epoch into what the thread knows.
#include "emulation/execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace parhelion::emulation {

u32 Execution::barrier_entity(const Mbarrier& barrier) const {
  return 2 * static_cast<u32>(launch_.threads) + static_cast<u32>(&barrier - mbarriers_.data());
}

void Execution::mbarrier_init(u32 barrier, u32 arrivals, Place place) {
  Thread& me = *current_;
  check_shared_range(me, barrier, 8, 8, place);
  if (arrivals == 0) fatal(Kind::MbarrierCount, place, "an mbarrier of no arrivals");
  if (mbarrier_at_.contains(barrier)) {
    fatal(Kind::MbarrierInit, place,
          fmt::format("{} is initialised a second time", findings_.image().shared_name(barrier)));
  }
  shadow_.make_barrier(me.accessor, barrier, place);
  mbarrier_at_[barrier] = static_cast<u32>(mbarriers_.size());
  Mbarrier made;
  made.address = barrier;
  made.arrivals = made.pending = arrivals;
  made.initialiser = me.index();
  made.initialised_epoch = me.accessor.knowledge.happened.of(me.index());
  mbarriers_.push_back(std::move(made));
}

void Execution::mbarrier_init_fence() {
  for (Mbarrier& barrier : mbarriers_) {
    if (barrier.initialiser == current_->index()) barrier.fenced = true;
  }
}

Execution::Mbarrier& Execution::mbarrier(u32 address, Place place) {
  const auto found = mbarrier_at_.find(address);
  if (found == mbarrier_at_.end()) {
    fatal(Kind::MbarrierInit, place,
          fmt::format("{} is not initialised as an mbarrier",
                      findings_.image().shared_name(address)));
  }
  Mbarrier& barrier = mbarriers_[found->second];
  if (current_->accessor.knowledge.happened.of(barrier.initialiser) < barrier.initialised_epoch) {
    report(Kind::MbarrierInit, place,
           fmt::format("{} is used by thread {} and its initialisation by thread {} is not ordered "
                       "before",
                       findings_.image().shared_name(address), current_->index(),
                       barrier.initialiser));
  }
  return barrier;
}

void Execution::complete_phase_if_due(Mbarrier& barrier, Place place) {
  if (barrier.pending != 0) return;
  if (barrier.bytes < 0) {
    report(Kind::ExpectBytes, place,
           fmt::format("{} more bytes land on {} than its phase expects", -barrier.bytes,
                       findings_.image().shared_name(barrier.address)));
    barrier.bytes = 0;
  }
  if (barrier.bytes != 0) return;
  ++barrier.phase;
  barrier.pending = barrier.arrivals;
  barrier.completed = std::move(barrier.arriving);
  barrier.arriving = {};
  std::vector<u32> waiting = std::move(barrier.waiting);
  barrier.waiting.clear();
  for (const u32 thread : waiting) make_ready(thread);
}

void Execution::mbarrier_arrive(u32 address, u32 expected_bytes, Place place) {
  maybe_yield();
  Mbarrier& barrier = mbarrier(address, place);
  if (barrier.pending == 0) {
    report(Kind::MbarrierCount, place,
           fmt::format("{} has all {} arrivals of its phase, and another arrives",
                       findings_.image().shared_name(address), barrier.arrivals));
    return;
  }
  barrier.bytes += expected_bytes;
  --barrier.pending;
  give(barrier.arriving);
  complete_phase_if_due(barrier, place);
}

void Execution::mbarrier_wait(u32 address, u32 parity, Place place) {
  maybe_yield();
  const u32 index = static_cast<u32>(&mbarrier(address, place) - mbarriers_.data());
  while ((mbarriers_[index].phase & 1) == (parity & 1)) {
    mbarriers_[index].waiting.push_back(current_->index());
    block_on(Thread::Wait::Mbarrier, index, parity, place);
  }
  pass(mbarriers_[index], parity, place);
}

// A parity tells apart only neighbouring rounds: who passes twice on one phase took an old round
// for a new one.
void Execution::pass(Mbarrier& barrier, u32 parity, Place place) {
  Thread& me = *current_;
  const auto index = static_cast<std::size_t>(&barrier - mbarriers_.data());
  if (me.passed_phases.size() <= index) me.passed_phases.resize(index + 1, 0);
  if (me.passed_phases[index] == barrier.phase + 1) {
    report(Kind::StalePhase, place,
           fmt::format("thread {} passes {} parity {} a second time on phase {}", me.index(),
                       findings_.image().shared_name(barrier.address), parity, barrier.phase));
  }
  me.passed_phases[index] = barrier.phase + 1;
  if (barrier.phase == 0) return;  // a fresh barrier counts as "the phase before is over"
  me.accessor.knowledge.join(barrier.completed);
  me.accessor.knowledge.happened.set(barrier_entity(barrier), barrier.phase);
}

// Own accesses only: a fence by the thread that issues the copy, after the barrier, does not cover
// what the others stored.
void Execution::fence_async() {
  Accessor& who = current_->accessor;
  who.knowledge.fenced.set(who.thread, who.knowledge.happened.of(who.thread));
  who.knowledge.happened.tick(who.thread);
}

void Execution::bulk_load(u32 shared, const void* global, u32 bytes, u32 barrier, Place place) {
  maybe_yield();
  Thread& me = *current_;
  me.issued_load = true;
  if (bytes % 16 != 0) {
    fatal(Kind::Misaligned, place, fmt::format("a bulk copy of {} bytes: a multiple of 16", bytes));
  }
  check_shared_range(me, shared, bytes, 16, place);
  const unsigned char* from = check_global_source(global, bytes, 16, place);
  Mbarrier& on = mbarrier(barrier, place);
  if (!on.fenced) {
    report(Kind::MbarrierInit, place,
           fmt::format("a bulk copy completes on {}, and no mbarrier_init_fence follows its "
                       "initialisation",
                       findings_.image().shared_name(barrier)));
  }
  accesses_ += 2;
  const u32 index = static_cast<u32>(&on - mbarriers_.data());
  shadow_.copy(me.accessor, Shadow::Copy::Bulk, barrier_entity(on), on.phase + 1, shared, bytes,
               place);
  const BulkCopy made{shared, from, bytes, index, on.phase, place};
  const bool at_once =
      landing() == Landing::Early || (landing() == Landing::Random && rng_.below(3) == 0);
  if (at_once) {
    land(made);
    return;
  }
  std::memset(shared_bytes(shared), 0xff, bytes);
  bulk_copies_.push_back(made);
}

void Execution::land(const BulkCopy& copy) {
  std::memcpy(shared_bytes(copy.to), copy.from, copy.bytes);
  Mbarrier& barrier = mbarriers_[copy.barrier];
  if (barrier.phase != copy.phase) {
    report(Kind::ExpectBytes, copy.place,
           fmt::format("a bulk copy lands on {} in phase {}, issued in phase {}",
                       findings_.image().shared_name(barrier.address), barrier.phase, copy.phase));
  }
  barrier.bytes -= copy.bytes;
  complete_phase_if_due(barrier, copy.place);
}

bool Execution::land_some_copy() {
  if (bulk_copies_.empty()) return false;
  const std::size_t at =
      landing() == Landing::Random ? rng_.below(bulk_copies_.size()) : bulk_copies_.size() - 1;
  const BulkCopy copy = bulk_copies_[at];
  bulk_copies_.erase(bulk_copies_.begin() + static_cast<std::ptrdiff_t>(at));
  land(copy);
  return true;
}

}  // namespace parhelion::emulation
