// SPDX-License-Identifier: Apache-2.0
// Limits per compute capability: CUDA C++ Programming Guide, technical specifications. Product
// numbers: the vendor's data sheet of the product named in the row, or a reading where it says so.
#include <parhelion/target.h>

namespace parhelion {

namespace {

constexpr std::int64_t kib = 1024, mib = kib * kib;

const std::vector<CudaTarget>& table() {
  static const std::vector<CudaTarget> rows = {
      {.architecture = "sm_80",
       .product = "A100 SXM 80 GB",
       .major = 8,
       .minor = 0,
       .multiprocessors = 108,
       .shared_bytes_per_block = 163 * kib,
       .shared_bytes_per_multiprocessor = 164 * kib,
       .clock_mhz = 1410,
       .l2_bytes = 40 * mib,
       .memory_gb_per_s = 2039,
       .tensor_bf16_tflops = 312,
       .source = "A100 data sheet"},
      {.architecture = "sm_89",
       .product = "L40S",
       .major = 8,
       .minor = 9,
       .multiprocessors = 142,
       .threads_per_multiprocessor = 1536,
       .blocks_per_multiprocessor = 24,
       .shared_bytes_per_block = 99 * kib,
       .shared_bytes_per_multiprocessor = 100 * kib,
       .clock_mhz = 2520,
       .l2_bytes = {},
       .memory_gb_per_s = 864,
       .tensor_bf16_tflops = 362,
       .source = "L40S data sheet"},
      {.architecture = "sm_90a",
       .product = "H200 SXM",
       .major = 9,
       .minor = 0,
       .multiprocessors = 132,
       .shared_bytes_per_block = 227 * kib,
       .shared_bytes_per_multiprocessor = 228 * kib,
       .clock_mhz = 1980,
       .l2_bytes = 60 * mib,
       .memory_gb_per_s = 4800,
       .tensor_bf16_tflops = 989,
       .source = "H200 data sheet; L2 as the driver tells; a copy kernel reaches 4250 GB/s"},
      {.architecture = "sm_100",
       .product = "B200",
       .major = 10,
       .minor = 0,
       .multiprocessors = 148,
       .shared_bytes_per_block = 227 * kib,
       .shared_bytes_per_multiprocessor = 228 * kib,
       .clock_mhz = 1965,
       .l2_bytes = {},
       .memory_gb_per_s = 7700,
       .tensor_bf16_tflops = 2250,
       .source = "B200 data sheet"},
      {.architecture = "sm_120",
       .product = "RTX 5090",
       .major = 12,
       .minor = 0,
       .multiprocessors = 170,
       .threads_per_multiprocessor = 1536,
       .blocks_per_multiprocessor = 24,
       .shared_bytes_per_block = 99 * kib,
       .shared_bytes_per_multiprocessor = 100 * kib,
       .clock_mhz = 2407,
       .l2_bytes = {},
       .memory_gb_per_s = 1792,
       .tensor_bf16_tflops = {},
       .source = "RTX 5090 data sheet"},
  };
  return rows;
}

}  // namespace

std::span<const CudaTarget> cuda_targets() { return table(); }

}  // namespace parhelion
