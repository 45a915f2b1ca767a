// SPDX-License-Identifier: Apache-2.0
// Named barriers of a block. Ids 1 to 15; counts are threads of all participants, whole warps.
#pragma once
#include "types.cuh"

PH_DEVICE void named_sync(int id, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

PH_DEVICE void named_arrive(int id, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
