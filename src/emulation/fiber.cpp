// SPDX-License-Identifier: Apache-2.0
#include "emulation/fiber.h"

#include "base/diag.h"

#include <boost/context/detail/fcontext.hpp>

#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
extern "C" {
void __sanitizer_start_switch_fiber(void** fake_stack, const void* bottom, std::size_t size);
void __sanitizer_finish_switch_fiber(void* fake_stack, const void** bottom, std::size_t* size);
void __asan_unpoison_memory_region(const volatile void* low, std::size_t bytes);
}
#endif

namespace parhelion::emulation {

namespace context = boost::context::detail;

namespace {

void* start_switch([[maybe_unused]] const void* bottom, [[maybe_unused]] std::size_t bytes) {
  void* fake_stack = nullptr;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&fake_stack, bottom, bytes);
#endif
  return fake_stack;
}

void finish_switch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** bottom,
                   [[maybe_unused]] std::size_t* bytes) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake_stack, bottom, bytes);
#endif
}

// Frames that were left for ever never took back their red zones.
void forget_frames([[maybe_unused]] const void* low, [[maybe_unused]] std::size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(low, bytes);
#endif
}

}  // namespace

struct FiberStart {
  static void run(context::transfer_t from) {
    auto* fiber = static_cast<Fiber*>(from.data);
    fiber->outside_ = from.fctx;
    fiber->started();
  }
};

void Fiber::prepare(unsigned char* stack_low, std::size_t stack_bytes, Entry* entry,
                    void* argument) {
  forget_frames(stack_low, stack_bytes);
  entry_ = entry;
  argument_ = argument;
  stack_low_ = stack_low;
  stack_bytes_ = stack_bytes;
  inside_ = context::make_fcontext(stack_low + stack_bytes, stack_bytes, &FiberStart::run);
}

void Fiber::started() {
  finish_switch(nullptr, &scheduler_stack_, &scheduler_stack_bytes_);
  entry_(argument_);
  PH_ASSERT(false, "a fiber's entry returned");
}

void Fiber::enter() {
  void* fake_stack = start_switch(stack_low_, stack_bytes_);
  const context::transfer_t back = context::jump_fcontext(inside_, this);
  inside_ = back.fctx;
  finish_switch(fake_stack, nullptr, nullptr);
}

void Fiber::leave() {
  void* fake_stack = start_switch(scheduler_stack_, scheduler_stack_bytes_);
  const context::transfer_t back = context::jump_fcontext(outside_, this);
  outside_ = back.fctx;
  finish_switch(fake_stack, &scheduler_stack_, &scheduler_stack_bytes_);
}

Stacks::Stacks(std::size_t count, std::size_t bytes_each)
    : stride_(bytes_each + guard_), size_(count * stride_) {
  void* mapped = mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  PH_ASSERT(mapped != MAP_FAILED, "no address space for the stacks of the emulated threads");
  base_ = static_cast<unsigned char*>(mapped);
  for (std::size_t i = 0; i < count; ++i) mprotect(base_ + i * stride_, guard_, PROT_NONE);
}

Stacks::~Stacks() {
  forget_frames(base_, size_);
  munmap(base_, size_);
}

}  // namespace parhelion::emulation
