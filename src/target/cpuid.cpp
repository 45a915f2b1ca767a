// SPDX-License-Identifier: Apache-2.0
#include "target/cpuid.h"

#include "base/text.h"

#include <array>
#include <cstring>

namespace parhelion {

namespace {

constexpr int no_level = 5;
constexpr CpuFeatureRow feature_rows[] = {
    {"sse4_2", &CpuFeatures::sse42, 2},
    {"avx", &CpuFeatures::avx, 3},
    {"avx2", &CpuFeatures::avx2, 3},
    {"fma", &CpuFeatures::fma, 3},
    {"f16c", &CpuFeatures::f16c, 3},
    {"avx512f", &CpuFeatures::avx512f, 4},
    {"avx512bw", &CpuFeatures::avx512bw, 4},
    {"avx512vl", &CpuFeatures::avx512vl, 4},
    {"avx512dq", &CpuFeatures::avx512dq, 4},
    {"avx512cd", &CpuFeatures::avx512cd, 4},
    {"avx512_bf16", &CpuFeatures::avx512_bf16, no_level},
    {"avx512_vnni", &CpuFeatures::avx512_vnni, no_level},
    {"avx512_fp16", &CpuFeatures::avx512_fp16, no_level},
    {"amx_tile", &CpuFeatures::amx_tile, no_level},
    {"amx_bf16", &CpuFeatures::amx_bf16, no_level},
    {"amx_int8", &CpuFeatures::amx_int8, no_level},
};

// Bits of XCR0: register state that the operating system saves.
constexpr std::uint64_t avx_state = 0x6;      // SSE and AVX
constexpr std::uint64_t avx512_state = 0xe6;  // and mask, high half, high registers
constexpr std::uint64_t amx_state = 0x60000;  // tile configuration and data

}  // namespace

std::span<const CpuFeatureRow> cpu_feature_rows() { return feature_rows; }

namespace target {

namespace {

bool bit(std::uint32_t word, int index) { return (word >> index & 1u) != 0; }

std::string text_of(std::span<const std::uint32_t> words) {
  std::string text(words.size() * 4, '\0');
  std::memcpy(text.data(), words.data(), text.size());
  return std::string(trim(std::string_view(text.c_str())));
}

std::string brand_of(const Cpuid& cpuid) {
  if (cpuid(0x80000000u, 0).eax < 0x80000004u) return {};
  std::array<std::uint32_t, 12> words{};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Registers r = cpuid(0x80000002u + i, 0);
    words[i * 4] = r.eax;
    words[i * 4 + 1] = r.ebx;
    words[i * 4 + 2] = r.ecx;
    words[i * 4 + 3] = r.edx;
  }
  return text_of(words);
}

CpuFeatures features_of(const Cpuid& cpuid, std::uint64_t xcr0) {
  CpuFeatures f;
  const Registers one = cpuid(1, 0);
  f.sse42 = bit(one.ecx, 20);
  const bool saves = bit(one.ecx, 27);  // OSXSAVE: xcr0 means something
  const bool vectors = saves && (xcr0 & avx_state) == avx_state;
  const bool wide = saves && (xcr0 & avx512_state) == avx512_state;
  const bool tiles = saves && (xcr0 & amx_state) == amx_state;
  const Registers seven = cpuid(7, 0);
  const Registers seven_one = seven.eax >= 1 ? cpuid(7, 1) : Registers{};
  f.avx = vectors && bit(one.ecx, 28);
  f.fma = vectors && bit(one.ecx, 12);
  f.f16c = vectors && bit(one.ecx, 29);
  f.avx2 = vectors && bit(seven.ebx, 5);
  f.avx512f = wide && bit(seven.ebx, 16);
  f.avx512dq = wide && bit(seven.ebx, 17);
  f.avx512cd = wide && bit(seven.ebx, 28);
  f.avx512bw = wide && bit(seven.ebx, 30);
  f.avx512vl = wide && bit(seven.ebx, 31);
  f.avx512_vnni = wide && bit(seven.ecx, 11);
  f.avx512_fp16 = wide && bit(seven.edx, 23);
  f.avx512_bf16 = wide && bit(seven_one.eax, 5);
  f.amx_bf16 = tiles && bit(seven.edx, 22);
  f.amx_tile = tiles && bit(seven.edx, 24);
  f.amx_int8 = tiles && bit(seven.edx, 25);
  return f;
}

}  // namespace

CpuLevel level_of(const CpuFeatures& features) {
  for (int level = 2; level <= 4; ++level) {
    for (const CpuFeatureRow& row : feature_rows) {
      if (row.level == level && !(features.*row.member)) {
        return static_cast<CpuLevel>(level - 1);
      }
    }
  }
  return CpuLevel::V4;
}

CpuTarget decode_cpuid(const Cpuid& cpuid, std::uint64_t xcr0) {
  CpuTarget t;
  const Registers zero = cpuid(0, 0);
  t.vendor = text_of(std::array{zero.ebx, zero.edx, zero.ecx});
  t.brand = brand_of(cpuid);
  t.features = features_of(cpuid, xcr0);
  t.level = level_of(t.features);
  for (const CpuFeatureRow& row :
       feature_rows) {  // text is made for a level: odd extras are unused
    if (row.level > static_cast<int>(t.level) && t.level != CpuLevel::V4) {
      t.features.*row.member = false;
    }
  }
  t.vector_registers = t.features.avx512f ? 32 : 16;
  t.simd_bytes = t.features.avx512f ? 64 : t.features.avx ? 32 : 16;
  return t;
}

}  // namespace target
}  // namespace parhelion
