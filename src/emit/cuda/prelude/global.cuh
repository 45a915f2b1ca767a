// SPDX-License-Identifier: Apache-2.0
// Streaming access to global memory, 2 to 16 bytes. Loads take the read-only path and stay out of
// L1; stores are evict-first in L2. The pointer is aligned to the access.
#pragma once
#include "types.cuh"

PH_DEVICE u16 load_once(const u16* pointer) {
  u16 v;
  asm volatile("ld.global.nc.L1::no_allocate.u16 %0, [%1];"
               : "=h"(v)
               : "l"(pointer));
  return v;
}

PH_DEVICE u32 load_once(const u32* pointer) {
  u32 v;
  asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];"
               : "=r"(v)
               : "l"(pointer));
  return v;
}

PH_DEVICE float load_once(const float* pointer) {
  float v;
  asm volatile("ld.global.nc.L1::no_allocate.f32 %0, [%1];"
               : "=f"(v)
               : "l"(pointer));
  return v;
}

PH_DEVICE uint2 load_once(const uint2* pointer) {
  uint2 v;
  asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];"
               : "=r"(v.x), "=r"(v.y)
               : "l"(pointer));
  return v;
}

PH_DEVICE float2 load_once(const float2* pointer) {
  float2 v;
  asm volatile("ld.global.nc.L1::no_allocate.v2.f32 {%0, %1}, [%2];"
               : "=f"(v.x), "=f"(v.y)
               : "l"(pointer));
  return v;
}

PH_DEVICE uint4 load_once(const uint4* pointer) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(pointer));
  return v;
}

PH_DEVICE float4 load_once(const float4* pointer) {
  float4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(pointer));
  return v;
}

PH_DEVICE void store_once(u16* pointer, u16 v) {
  asm volatile("st.global.cs.u16 [%0], %1;" ::"l"(pointer), "h"(v)
               : "memory");
}

PH_DEVICE void store_once(u32* pointer, u32 v) {
  asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(pointer), "r"(v)
               : "memory");
}

PH_DEVICE void store_once(float* pointer, float v) {
  asm volatile("st.global.cs.f32 [%0], %1;" ::"l"(pointer), "f"(v)
               : "memory");
}

PH_DEVICE void store_once(uint2* pointer, uint2 v) {
  asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" ::"l"(pointer), "r"(v.x), "r"(v.y)
               : "memory");
}

PH_DEVICE void store_once(float2* pointer, float2 v) {
  asm volatile("st.global.cs.v2.f32 [%0], {%1, %2};" ::"l"(pointer), "f"(v.x), "f"(v.y)
               : "memory");
}

PH_DEVICE void store_once(uint4* pointer, uint4 v) {
  asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(pointer), "r"(v.x), "r"(v.y),
               "r"(v.z), "r"(v.w)
               : "memory");
}

PH_DEVICE void store_once(float4* pointer, float4 v) {
  asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(pointer), "f"(v.x), "f"(v.y),
               "f"(v.z), "f"(v.w)
               : "memory");
}
