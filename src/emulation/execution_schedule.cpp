// SPDX-License-Identifier: Apache-2.0
// Which thread runs next, and what happens when none can.
#include "emulation/execution.h"

#include <fmt/format.h>

#include <cstring>
#include <ctime>
#include <tuple>

namespace parhelion::emulation {

namespace {
constexpr i64 fuel = 1 << 20;  // basic blocks between two looks at the clock

/// Not wall time: on a busy machine a kernel that is right must not run out of it.
double processor_time_s() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
}  // namespace

bool Execution::random_order() const {
  return launch_.schedule == Schedule::Random1 || launch_.schedule == Schedule::Random2;
}

Execution::Landing Execution::landing() const {
  switch (launch_.schedule) {
    case Schedule::RoundRobinEarly:
    case Schedule::ConsumerEarly:
    case Schedule::StarveEarly: return Landing::Early;
    case Schedule::Random1:
    case Schedule::Random2: return Landing::Random;
    case Schedule::RoundRobinLate:
    case Schedule::ProducerLate:
    case Schedule::StarveLate: return Landing::Late;
  }
  return Landing::Late;
}

bool Execution::out_of_time() const { return processor_time_s() > deadline_s_; }

void Execution::run() {
  deadline_s_ = processor_time_s() + launch_.time_limit_s;
  std::vector<int> blocks = launch_.blocks;
  if (blocks.empty()) {
    for (int i = 0; i < launch_.grid_x; ++i) blocks.push_back(i);
  }
  if (random_order()) rng_.shuffle(blocks);
  *bound_.block_size = {static_cast<u32>(launch_.threads), 1, 1};
  *bound_.grid_size = {static_cast<u32>(launch_.grid_x), 1, 1};
  for (const int block : blocks) {
    run_block(block);
    if (stopped_) return;
    ++blocks_done_;
  }
}

void Execution::run_block(int block) {
  block_ = block;
  *bound_.block_index = {static_cast<u32>(block), 0, 0};
  std::memset(arena_.get(), 0xff, used_bytes_);
  shadow_.reset(used_bytes_, block);
  const auto count = static_cast<u32>(launch_.threads);
  threads_.clear();
  threads_.resize(count);
  collectives_.assign(count / 32, {});
  exited_lanes_.assign(count / 32, 0);
  named_.assign(16, {});
  mbarriers_.clear();
  mbarrier_at_.clear();
  bulk_copies_.clear();
  for (auto& queue : ready_) queue.clear();
  const bool starve =
      launch_.schedule == Schedule::StarveEarly || launch_.schedule == Schedule::StarveLate;
  starved_warp_ = starve ? static_cast<int>(rng_.below(count / 32)) : -1;
  running_ = count;
  for (u32 i = 0; i < count; ++i) start_thread(i);
  while (running_ > 0 && !stopped_) {
    if (ready_[0].empty() && ready_[1].empty()) {
      if (!land_some_copy()) report_deadlock();
      continue;
    }
    if (random_order() && !bulk_copies_.empty() && rng_.below(16) == 0) land_some_copy();
    enter(next());
    if (findings_.full()) stopped_ = true;
  }
}

void Execution::start_thread(u32 index) {
  Thread& thread = threads_[index];
  thread.accessor.thread = index;
  thread.accessor.knowledge.happened.set(index, 1);
  thread.warp = index / 32;
  thread.lane = index % 32;
  thread.fiber.prepare(
      stacks_.low(index), stacks_.bytes(),
      [](void* self) {
        auto& execution = *static_cast<Execution*>(self);
        execution.call_(execution.argument_slots_.data());
        execution.thread_end();
      },
      this);
  make_ready(index);
}

void Execution::make_ready(u32 index) {
  Thread& thread = threads_[index];
  thread.wait = Thread::Wait::Nothing;
  bool second = static_cast<int>(thread.warp) == starved_warp_;
  if (launch_.schedule == Schedule::ProducerLate) second = !thread.issued_load;
  if (launch_.schedule == Schedule::ConsumerEarly) second = thread.issued_load;
  ready_[second ? 1 : 0].push_back(index);
}

bool Execution::pick(std::deque<u32>& queue, u32& thread) {
  if (queue.empty()) return false;
  if (random_order()) std::swap(queue[rng_.below(queue.size())], queue.front());
  thread = queue.front();
  queue.pop_front();
  return true;
}

Thread& Execution::next() {
  u32 index = 0;
  if (!pick(ready_[0], index)) pick(ready_[1], index);
  return threads_[index];
}

void Execution::enter(Thread& thread) {
  current_ = &thread;
  ++switches_;
  const u32 index = thread.index();
  *bound_.thread_index = {index, 0, 0};
  bound_.state->arena = arena_.get();
  bound_.state->stack_low = reinterpret_cast<unsigned long>(stacks_.low(index));
  bound_.state->stack_bytes = stacks_.bytes();
  if (bound_.state->fuel <= 0) bound_.state->fuel = fuel;
  if (switches_ % 4096 == 0 && out_of_time()) {
    report(Kind::TimeLimit, thread.wait_place, waits_text());
    stopped_ = true;
    return;
  }
  thread.fiber.enter();
}

void Execution::refuel(Place place) {
  bound_.state->fuel = fuel;
  if (out_of_time()) {
    fatal(Kind::TimeLimit, place,
          fmt::format("thread {} is still running after {} s", current_->index(),
                      launch_.time_limit_s));
  }
}

void Execution::block_on(Thread::Wait wait, u32 key, u32 parity, Place place) {
  current_->wait = wait;
  current_->wait_key = key;
  current_->wait_parity = parity;
  current_->wait_place = place;
  current_->fiber.leave();
}

void Execution::maybe_yield() {
  if (!random_order() || rng_.below(8) != 0) return;
  make_ready(current_->index());
  current_->fiber.leave();
}

void Execution::thread_end() {
  Thread& me = *current_;
  for (const Thread::Copy& copy : me.copies) {
    const bool committed = copy.group <= me.groups_committed;
    report(Kind::CopyPending, copy.place,
           fmt::format("thread {} ends and this copy is not {}", me.index(),
                       committed ? "waited for" : "committed"));
  }
  me.exited = true;
  exited_lanes_[me.warp] |= 1u << me.lane;
  for (const Collective& collective : collectives_[me.warp]) {
    if ((collective.mask >> me.lane & 1) == 0) continue;
    fatal(Kind::Divergent, collective.place,
          fmt::format("thread {} ended, which the mask {:#010x} of this operation names",
                      me.index(), collective.mask));
  }
  --running_;
  for (;;) me.fiber.leave();
}

std::string Execution::waits_text() const {
  static constexpr const char* operations[] = {"__syncwarp", "a shuffle", "a shuffle", "a shuffle",
                                               "a shuffle",  "uniform",   "elect_one", "a vote",
                                               "a vote",     "a vote",    "ldmatrix",  "ldmatrix",
                                               "stmatrix",   "mma",       "mma"};
  std::string all;
  std::vector<bool> told(threads_.size(), false);
  for (std::size_t i = 0; i < threads_.size(); ++i) {
    const Thread& first = threads_[i];
    if (told[i] || first.exited || first.wait == Thread::Wait::Nothing) continue;
    std::size_t count = 0, last = i;
    const auto same = [&](const Thread& t) {
      return !t.exited &&
             std::tie(t.wait, t.wait_key, t.wait_parity, t.wait_place) ==
                 std::tie(first.wait, first.wait_key, first.wait_parity, first.wait_place);
    };
    for (std::size_t j = i; j < threads_.size(); ++j) {
      if (!same(threads_[j])) continue;
      told[j] = true;
      last = j;
      ++count;
    }
    std::string what;
    switch (first.wait) {
      case Thread::Wait::Nothing: break;
      case Thread::Wait::Warp: what = operations[first.wait_key]; break;
      case Thread::Wait::Block: what = "__syncthreads"; break;
      case Thread::Wait::Named: what = fmt::format("named barrier {}", first.wait_key); break;
      case Thread::Wait::Mbarrier: {
        const Mbarrier& barrier = mbarriers_[first.wait_key];
        what = fmt::format(
            "mbarrier {} parity {} (phase {}, {} arrivals missing, {} bytes "
            "outstanding)",
            findings_.image().shared_name(barrier.address), first.wait_parity, barrier.phase,
            barrier.pending, barrier.bytes);
        break;
      }
    }
    all += fmt::format("{}{} thread{} ({}..{}) wait for {} at line {}", all.empty() ? "" : "; ",
                       count, count == 1 ? "" : "s", i, last, what, first.wait_place);
  }
  return all;
}

void Execution::report_deadlock() {
  stopped_ = true;
  for (Thread& thread : threads_) {
    if (thread.exited) continue;
    current_ = &thread;
    report(Kind::Deadlock, thread.wait_place, waits_text());
    return;
  }
}

}  // namespace parhelion::emulation
