// SPDX-License-Identifier: Apache-2.0
// A coroutine on a stack of its own. The only place that switches stacks, so that address
// sanitizers are told of every switch.
#pragma once

#include <cstddef>

namespace parhelion::emulation {

class Fiber {
 public:
  using Entry = void(void* argument);

  /// The next enter() starts `entry`; it must never return but leave() for ever. What lies on the
  /// stack of a fiber that is not entered again is forgotten, not destroyed.
  void prepare(unsigned char* stack_low, std::size_t stack_bytes, Entry* entry, void* argument);
  void enter();  // from the scheduler: runs until leave()
  void leave();  // from inside: back to the scheduler

 private:
  void* inside_ = nullptr;   // where the fiber goes on
  void* outside_ = nullptr;  // where the scheduler goes on
  Entry* entry_ = nullptr;
  void* argument_ = nullptr;
  unsigned char* stack_low_ = nullptr;
  std::size_t stack_bytes_ = 0;
  const void* scheduler_stack_ = nullptr;  // for the sanitizer
  std::size_t scheduler_stack_bytes_ = 0;

  void started();
  friend struct FiberStart;
};

/// Stacks side by side, each above a page that faults.
class Stacks {
 public:
  Stacks(std::size_t count, std::size_t bytes_each);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;
  [[nodiscard]] unsigned char* low(std::size_t i) const { return base_ + i * stride_ + guard_; }
  [[nodiscard]] std::size_t bytes() const { return stride_ - guard_; }

 private:
  static constexpr std::size_t guard_ = 4096;
  unsigned char* base_ = nullptr;
  std::size_t stride_ = 0, size_ = 0;
};

}  // namespace parhelion::emulation
