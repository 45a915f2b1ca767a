// SPDX-License-Identifier: Apache-2.0
// 16-bit floats, alone (bits in a u16) and as pairs in a 32-bit register, low half first.
#pragma once
#include "types.cuh"

PH_DEVICE float low_bf16(u32 pair) { return __uint_as_float(pair << 16); }

PH_DEVICE float high_bf16(u32 pair) { return __uint_as_float(pair & 0xffff0000u); }

// The same by another instruction: ptxas does not merge it with low_bf16/high_bf16, so a second
// pass keeps the packed pair alive, not two floats.
PH_DEVICE float low_bf16_again(u32 pair) {
  u32 bits;
  asm volatile("prmt.b32 %0, %1, 0, 0x1044;" : "=r"(bits) : "r"(pair));
  return __uint_as_float(bits);
}

PH_DEVICE float high_bf16_again(u32 pair) {
  u32 bits;
  asm volatile("prmt.b32 %0, %1, 0, 0x3244;" : "=r"(bits) : "r"(pair));
  return __uint_as_float(bits);
}

PH_DEVICE u32 pack_bf16(float low, float high) {
  u32 pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

PH_DEVICE u32 max_bf16x2(u32 a, u32 b) {
  u32 larger;
  asm("max.NaN.bf16x2 %0, %1, %2;" : "=r"(larger) : "r"(a), "r"(b));
  return larger;
}

PH_DEVICE u32 min_bf16x2(u32 a, u32 b) {
  u32 smaller;
  asm("min.NaN.bf16x2 %0, %1, %2;" : "=r"(smaller) : "r"(a), "r"(b));
  return smaller;
}

PH_DEVICE float from_bf16(u16 bits) { return __uint_as_float(static_cast<u32>(bits) << 16); }

PH_DEVICE u16 to_bf16(float x) {
  u16 bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}

PH_DEVICE float low_f16(u32 pair) {
  float x;
  asm("{ .reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, low; }"
      : "=f"(x)
      : "r"(pair));
  return x;
}

PH_DEVICE float high_f16(u32 pair) {
  float x;
  asm("{ .reg .b16 low, high; mov.b32 {low, high}, %1; cvt.f32.f16 %0, high; }"
      : "=f"(x)
      : "r"(pair));
  return x;
}

PH_DEVICE u32 pack_f16(float low, float high) {
  u32 pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  return pair;
}

PH_DEVICE u32 max_f16x2(u32 a, u32 b) {
  u32 larger;
  asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(larger) : "r"(a), "r"(b));
  return larger;
}

PH_DEVICE u32 min_f16x2(u32 a, u32 b) {
  u32 smaller;
  asm("min.NaN.f16x2 %0, %1, %2;" : "=r"(smaller) : "r"(a), "r"(b));
  return smaller;
}

PH_DEVICE float from_f16(u16 bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}

PH_DEVICE u16 to_f16(float x) {
  u16 bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
