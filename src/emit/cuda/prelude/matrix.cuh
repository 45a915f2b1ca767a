// SPDX-License-Identifier: Apache-2.0
// Matrix fragments of a warp: all 32 lanes take part. Fragments are the tables of mma.m16n8k16 and
// ldmatrix: in A the registers are (m, k) blocks 00 80 08 88, in B k blocks 0 8, in D rows m and
// m + 8 with two columns each.
#pragma once
#include "types.cuh"

// Lanes 8j .. 8j+7 give the addresses of the 16-byte rows of matrix j, which lands in register j.
PH_DEVICE void load_matrix_x4(u32& a, u32& b, u32& c, u32& d, u32 shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(shared)
               : "memory");
}

PH_DEVICE void load_matrix_x4_trans(u32& a, u32& b, u32& c, u32& d, u32 shared) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(shared)
               : "memory");
}

// d += a * b, in place.
PH_DEVICE void mma_m16n8k16_f16(float& d0, float& d1, float& d2, float& d3, u32 a0, u32 a1, u32 a2,
                                u32 a3, u32 b0, u32 b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

PH_DEVICE void mma_m16n8k16_bf16(float& d0, float& d1, float& d2, float& d3, u32 a0, u32 a1,
                                 u32 a2, u32 a3, u32 b0, u32 b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900

// The inverse of load_matrix_x4: register j of the warp becomes eight 16-byte rows.
PH_DEVICE void store_matrix_x4(u32 shared, u32 a, u32 b, u32 c, u32 d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   shared),
               "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

#endif
