// SPDX-License-Identifier: Apache-2.0
// Barriers of a block.
#include "emulation/execution.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::emulation {

// A release: publishes what the thread knows; what it does next is not part of it.
void Execution::give(Knowledge& to) {
  Accessor& who = current_->accessor;
  to.join(who.knowledge);
  who.knowledge.happened.tick(who.thread);
}

void Execution::sync_threads(Place place) {
  NamedBarrier& barrier = named_[0];
  if (!barrier.arrived.empty() && barrier.place != place) {
    findings_.add(Kind::Divergent, place, barrier.place, block_,
                  {static_cast<int>(current_->index()), static_cast<int>(barrier.arrived.front())},
                  fmt::format("thread {} is at this __syncthreads, thread {} at another",
                              current_->index(), barrier.arrived.front()));
    stop();
  }
  arrive(barrier, static_cast<u32>(launch_.threads), true, place);
}

void Execution::named(u32 id, u32 threads, bool wait, Place place) {
  if (id < 1 || id > 15) {
    fatal(Kind::BarrierCount, place, fmt::format("named barrier {}: ids are 1 to 15", id));
  }
  if (threads == 0 || threads % 32 != 0 || threads > static_cast<u32>(launch_.threads)) {
    fatal(Kind::BarrierCount, place,
          fmt::format("named barrier {} of {} threads: whole warps of the block", id, threads));
  }
  NamedBarrier& barrier = named_[id];
  if (!barrier.arrived.empty() && barrier.expected != threads) {
    fatal(Kind::BarrierCount, place,
          fmt::format("named barrier {} of {} threads here and of {} at line {}", id, threads,
                      barrier.expected, barrier.place));
  }
  if (std::ranges::find(barrier.arrived, current_->index()) != barrier.arrived.end()) {
    fatal(Kind::BarrierCount, place,
          fmt::format("thread {} arrives twice at named barrier {} before it completes",
                      current_->index(), id));
  }
  arrive(barrier, threads, wait, place);
}

void Execution::arrive(NamedBarrier& barrier, u32 threads, bool wait, Place place) {
  maybe_yield();
  Thread& me = *current_;
  barrier.expected = threads;
  barrier.place = place;
  barrier.arrived.push_back(me.index());
  give(barrier.knowledge);
  if (barrier.arrived.size() == threads) {
    // The last one may only give; then it takes nothing.
    if (wait) me.accessor.knowledge.join(barrier.knowledge);
    release(barrier);
    return;
  }
  if (!wait) return;
  barrier.waiting.push_back(me.index());
  const bool block = &barrier == named_.data();
  block_on(block ? Thread::Wait::Block : Thread::Wait::Named,
           static_cast<u32>(&barrier - named_.data()), 0, place);
}

void Execution::release(NamedBarrier& barrier) {
  std::vector<u32> lanes(collectives_.size(), 0);
  for (const u32 thread : barrier.arrived) ++lanes[thread / 32];
  for (std::size_t w = 0; w < lanes.size(); ++w) {
    if (lanes[w] == 0 || lanes[w] == 32) continue;
    report(Kind::BarrierCount, barrier.place,
           fmt::format("the barrier completes with {} of 32 lanes of warp {}", lanes[w], w));
  }
  for (const u32 thread : barrier.waiting) {
    threads_[thread].accessor.knowledge.join(barrier.knowledge);
    make_ready(thread);
  }
  barrier.knowledge.clear();
  barrier.arrived.clear();
  barrier.waiting.clear();
}

}  // namespace parhelion::emulation
