// SPDX-License-Identifier: Apache-2.0
// Facts about the machines that kernels are made for.
#pragma once

#include <parhelion/diagnostic.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace parhelion {

/// What a CPU has and its operating system lets programs use.
struct CpuFeatures {
  bool sse42 = false, avx = false, avx2 = false, fma = false, f16c = false;
  bool avx512f = false, avx512bw = false, avx512vl = false, avx512dq = false, avx512cd = false;
  bool avx512_bf16 = false, avx512_vnni = false, avx512_fp16 = false;
  bool amx_tile = false, amx_bf16 = false, amx_int8 = false;
  bool operator==(const CpuFeatures&) const = default;
};

struct CpuFeatureRow {
  std::string_view name;  // as /proc/cpuinfo and -m spell it
  bool CpuFeatures::* member;
  int level;  // the x86-64 level that has it; 5: none has
};
[[nodiscard]] std::span<const CpuFeatureRow> cpu_feature_rows();

/// The micro-architecture level of the psABI; text is made for a level, never for "native".
enum class CpuLevel : std::uint8_t { V1 = 1, V2 = 2, V3 = 3, V4 = 4 };

struct CpuTarget {
  std::string vendor, brand;  // "AuthenticAMD", "AMD EPYC ..."; empty: not read off a machine
  CpuLevel level = CpuLevel::V3;
  CpuFeatures features;    // none above `level`
  int physical_cores = 1;  // that this process may use
  int logical_cpus = 1;
  // L1 and L2 of one core, L3 as cores share it.
  std::int64_t l1d_bytes = 32 << 10, l2_bytes = 512 << 10, l3_bytes = 8 << 20;
  int vector_registers = 16;
  int simd_bytes = 32;  // of the widest vector
  /// The same machine with everything above `level` left unused; a level that the machine lacks
  /// gives the facts of a plain machine of that level.
  [[nodiscard]] CpuTarget at_level(CpuLevel wanted) const;
  bool operator==(const CpuTarget&) const = default;
};

/// Facts of one GPU. Numbers that differ between products of an architecture are those of `product`
/// until the driver is asked; what no source gives is unknown.
struct CudaTarget {
  std::string architecture;  // "sm_90a"
  std::string product;       // "H200 SXM"
  int major = 0, minor = 0;
  int multiprocessors = 0;
  int threads_per_block = 1024, threads_per_multiprocessor = 2048, blocks_per_multiprocessor = 32;
  std::int64_t shared_bytes_per_block = 0, shared_bytes_per_multiprocessor = 0;
  std::int64_t registers_per_multiprocessor = 65536;
  int registers_per_thread = 255;
  int clock_mhz = 0;  // boost
  std::optional<std::int64_t> l2_bytes;
  double memory_gb_per_s = 0;                // peak; 1 GB = 1e9 bytes
  std::optional<double> tensor_bf16_tflops;  // dense, accumulating in f32
  std::string source;                        // of the product's numbers
  bool operator==(const CudaTarget&) const = default;
};

using Target = std::variant<CpuTarget, CudaTarget>;

/// Facts of the machine that this process runs on.
[[nodiscard]] CpuTarget host_cpu();
[[nodiscard]] std::span<const CudaTarget> cuda_targets();

/// "x86-64-v3", "sm_90a": what keys and banners print. parse_target reads it back.
[[nodiscard]] std::string name(const Target& target);
[[nodiscard]] std::string name(CpuLevel level);
/// As cpu_feature_rows() spells them.
[[nodiscard]] std::vector<std::string> feature_names(const CpuFeatures& features);
/// "cpu" is the host as it is; "x86-64-v3" the host held to that level; "sm_90a" (or "cuda", the
/// newest architecture that this project has run on) a row of the table. PH8401 lists the names.
[[nodiscard]] Result<Target> parse_target(std::string_view text);
[[nodiscard]] inline bool is_cpu(const Target& target) {
  return std::holds_alternative<CpuTarget>(target);
}
/// PH8402 names the features that the host lacks; a GPU is never run by a host.
[[nodiscard]] Result<void> check_runs_on(const Target& target, const CpuTarget& host);

}  // namespace parhelion
