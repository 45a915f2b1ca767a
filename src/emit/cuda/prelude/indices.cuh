// SPDX-License-Identifier: Apache-2.0
// Who am I, and which values a warp agrees on. Shared-memory operands of all wrappers are 32-bit
// addresses.
#pragma once
#include "types.cuh"

PH_DEVICE u32 shared_address(const void* pointer) {
  return static_cast<u32>(__cvta_generic_to_shared(pointer));
}

PH_DEVICE int lane_id() { return static_cast<int>(threadIdx.x & 31); }

PH_DEVICE int warp_id() { return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x / 32), 0); }

// Tells the compiler that a warp agrees on the value.
PH_DEVICE int uniform(int value) { return __shfl_sync(0xffffffffu, value, 0); }

// True in one lane of a converged warp; nothing may depend on which. Lane 0 where the instruction
// does not exist.
PH_DEVICE bool elect_one() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  u32 chosen;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.u32 %0, 1, 0, p; }"
               : "=r"(chosen));
  return chosen != 0;
#else
  __syncwarp();
  return (threadIdx.x & 31) == 0;
#endif
}

// Programmatic dependent launch; nothing before sm_90.
PH_DEVICE void dependents_launch() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;");
#endif
}

PH_DEVICE void dependency_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
