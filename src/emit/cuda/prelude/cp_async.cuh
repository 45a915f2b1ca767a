// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies of a thread, from sm_80 on: 4, 8 or 16 bytes from global to shared memory,
// zeros after the first `source_bytes`. Both addresses are aligned to the copy's size; the data is
// the thread's after its wait, another thread's after a barrier behind that.
#pragma once
#include "types.cuh"

template <int bytes> PH_DEVICE void cp_async(u32 shared, const void* global, u32 source_bytes) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16);
  if constexpr (bytes == 16) {  // past L1: a tile is read once by each block
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global),
                 "r"(source_bytes)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(global),
                 "n"(bytes), "r"(source_bytes)
                 : "memory");
  }
}

PH_DEVICE void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int pending> PH_DEVICE void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}
