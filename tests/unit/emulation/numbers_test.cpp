// SPDX-License-Identifier: Apache-2.0
// What the wrappers compute, against independent definitions.
#include "base/half.h"
#include "compiled_text.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>

using namespace emulation_test;
using parhelion::DType;

namespace {

constexpr std::string_view conversions = R"(#include "prelude.cuh"
extern "C" __global__ void conversions(const float* x, u16* f16, u16* bf16, float* from,
                                       u32* pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  f16[i] = to_f16(x[i]);
  bf16[i] = to_bf16(x[i]);
  from[2 * i] = from_f16(static_cast<u16>(i));
  from[2 * i + 1] = from_bf16(static_cast<u16>(i));
  const u32 f = pack_f16(x[i], -x[i]), b = pack_bf16(x[i], -x[i]);
  pairs[4 * i] = pack_f16(low_f16(f), high_f16(f)) == f;
  pairs[4 * i + 1] = pack_bf16(low_bf16_again(b), high_bf16_again(b)) == b;
  pairs[4 * i + 2] = max_f16x2(f, pack_f16(0.5f, 0.5f));
  pairs[4 * i + 3] = min_bf16x2(b, pack_bf16(0.5f, 0.5f));
}
)";

bool same_float(float a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

/// All 16-bit floats, the middles between neighbours, and numbers around them.
std::vector<float> inputs(int count) {
  std::vector<float> x;
  for (int i = 0; i < count; ++i) {
    const float f16 =
        static_cast<float>(parhelion::from_bits(static_cast<std::uint16_t>(i), DType::F16));
    const float middle = std::bit_cast<float>(std::bit_cast<std::uint32_t>(f16) + 0x1000u);
    const float bf16_middle = std::bit_cast<float>(static_cast<std::uint32_t>(i) << 16 | 0x8000u);
    const float some[] = {f16, middle, bf16_middle, std::nextafterf(middle, 0.0f)};
    x.push_back(some[i % 4]);
  }
  return x;
}

}  // namespace

TEST_CASE("16-bit floats are rounded and widened as base/half does") {
  const CompiledText compiled(conversions, "conversions");
  constexpr int count = 1 << 16;
  std::vector<float> x = inputs(count), from(2 * count);
  std::vector<std::uint16_t> f16(count), bf16(count);
  std::vector<std::uint32_t> pairs(4 * count);
  em::Launch launch;
  launch.threads = 256;
  launch.grid_x = count / launch.threads;
  launch.buffers = {buffer(x, false), buffer(f16, true), buffer(bf16, true), buffer(from, true),
                    buffer(pairs, true)};
  for (int i = 0; i < 5; ++i) launch.arguments.push_back(em::Argument::pointer(i));
  const em::Report report = compiled.run(launch);
  REQUIRE_MESSAGE(report.clean(), em::text(report));
  int wrong = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    wrong += !same_float(from[2 * i], parhelion::from_bits(bits, DType::F16));
    wrong += !same_float(from[2 * i + 1], parhelion::from_bits(bits, DType::BF16));
    if (std::isnan(x[i])) {
      wrong += f16[i] != 0x7fff || bf16[i] != 0x7fff;
      continue;
    }
    wrong += f16[i] != parhelion::to_bits(x[i], DType::F16);
    wrong += bf16[i] != parhelion::to_bits(x[i], DType::BF16);
    wrong += pairs[4 * i] != 1 || pairs[4 * i + 1] != 1;
    const double low = parhelion::round_to(x[i], DType::F16);
    wrong += parhelion::from_bits(static_cast<std::uint16_t>(pairs[4 * i + 2]), DType::F16) !=
             std::max(low, 0.5);
    const double high = -parhelion::round_to(x[i], DType::BF16);
    wrong += parhelion::from_bits(static_cast<std::uint16_t>(pairs[4 * i + 3] >> 16),
                                  DType::BF16) != std::min(high, 0.5);
  }
  CHECK(wrong == 0);
}

TEST_CASE("f32 wrappers: denormals flushed, NaN kept") {
  const CompiledText compiled(R"(#include "prelude.cuh"
extern "C" __global__ void numbers(const float* x, float* y) {
  const float a = x[threadIdx.x];
  y[8 * threadIdx.x] = exp2_approx(a);
  y[8 * threadIdx.x + 1] = log2_approx(a);
  y[8 * threadIdx.x + 2] = log2_approx_denormal(a);
  y[8 * threadIdx.x + 3] = rcp_approx(a);
  y[8 * threadIdx.x + 4] = rsqrt_approx(a);
  y[8 * threadIdx.x + 5] = sqrt_approx(a);
  y[8 * threadIdx.x + 6] = max_nan(a, 1.0f);
  y[8 * threadIdx.x + 7] = fma_f32(a, a, -1.0f);
}
)",
                              "numbers");
  std::vector<float> x(32, 4.0f), y(256);
  x[1] = 0x1p-130f;
  x[2] = -127.5f;
  x[3] = std::numeric_limits<float>::quiet_NaN();
  x[4] = 0x1p127f;
  x[5] = 1 + 0x1p-20f;
  em::Launch launch;
  launch.buffers = {buffer(x, false), buffer(y, true)};
  launch.arguments = {em::Argument::pointer(0), em::Argument::pointer(1)};
  const em::Report report = compiled.run(launch);
  REQUIRE_MESSAGE(report.clean(), em::text(report));
  const float expected[] = {16, 2, 2, 0.25f, 0.5f, 2, 4, 15};
  for (std::size_t i = 0; i < 8; ++i) CHECK(y[i] == expected[i]);
  constexpr float infinity = std::numeric_limits<float>::infinity();
  CHECK(y[8 + 1] == -infinity);
  CHECK(y[8 + 2] == -130);
  CHECK(y[8 + 3] == infinity);
  CHECK(y[8 + 4] == infinity);
  CHECK(y[8 + 5] == 0);
  CHECK(y[16 + 0] == 0);  // 2^-127.5 is a denormal
  CHECK(y[16 + 6] == 1);
  for (std::size_t i = 0; i < 8; ++i) CHECK(std::isnan(y[24 + i]));
  CHECK(y[32 + 3] == 0);  // 2^-127 is a denormal
  CHECK(y[40 + 7] == std::fmaf(x[5], x[5], -1.0f));
}

TEST_CASE("shuffles, votes and zero-filled copies") {
  const CompiledText compiled(R"(#include "prelude.cuh"
extern "C" __global__ void exchange(const u32* in, u32* out, double* wide) {
  const int t = threadIdx.x;
  const u32 all = 0xffffffffu, v = in[t];
  out[t] = __shfl_xor_sync(all, v, 5);
  out[32 + t] = __shfl_up_sync(all, v, 3);
  out[64 + t] = __shfl_down_sync(all, v, 3);
  out[96 + t] = __shfl_sync(all, v, (t * 7) % 32);
  out[128 + t] = __shfl_up_sync(all, v, 3, 8);
  out[160 + t] = __shfl_sync(all, v, 11, 8);
  const int any = __any_sync(all, t == 40), every = __all_sync(all, t < 32);
  out[192 + t] = __ballot_sync(all, t % 3 == 0) + any + every;
  wide[t] = __shfl_xor_sync(all, 1.0 / (t + 1), 1);
  __shared__ uint4 part[32];
  cp_async<16>(shared_address(part + t), in + 4 * (t / 8), t % 17);
  cp_async_commit();
  cp_async_wait<0>();
  const uint4 w = part[t];
  out[224 + t] = w.x + w.y + w.z + w.w;
}
)",
                              "exchange");
  std::vector<std::uint32_t> in(32), out(256);
  std::vector<double> wide(32);
  for (std::uint32_t i = 0; i < 32; ++i) in[i] = 0x01010101u * (i + 1);
  em::Launch launch;
  launch.buffers = {buffer(in, false), buffer(out, true), buffer(wide, true)};
  for (int i = 0; i < 3; ++i) launch.arguments.push_back(em::Argument::pointer(i));
  for (const em::Schedule schedule : em::all_schedules()) {
    launch.schedule = schedule;
    const em::Report report = compiled.run(launch);
    REQUIRE_MESSAGE(report.clean(), em::text(report));
    for (std::uint32_t t = 0; t < 32; ++t) {
      CHECK(out[t] == in[t ^ 5]);
      CHECK(out[32 + t] == in[t < 3 ? t : t - 3]);
      CHECK(out[64 + t] == in[t + 3 > 31 ? t : t + 3]);
      CHECK(out[96 + t] == in[t * 7 % 32]);
      CHECK(out[128 + t] == in[t % 8 < 3 ? t : t - 3]);
      CHECK(out[160 + t] == in[t / 8 * 8 + 3]);
      CHECK(out[192 + t] == 0x49249249u + 0 + 1);
      CHECK(wide[t] == 1.0 / ((t ^ 1) + 1));
      std::uint32_t sum = 0;
      for (std::uint32_t b = 0; b < t % 17; ++b) sum += (4 * (t / 8) + b / 4 + 1) << 8 * (b % 4);
      CHECK(out[224 + t] == sum);
    }
  }
}

TEST_CASE("a product through ldmatrix and mma, both types, exact on small integers") {
  // a: 16 rows of k, b: 16 rows (k) of 16 n for .trans, d: 16 x 16 in two n8 tiles.
  const CompiledText compiled(R"(#include "prelude.cuh"
extern "C" __global__ void product(const uint4* a, const uint4* b, float* d, uint4* copy,
                                   int bf16) {
  __shared__ uint4 ta[32], tb[32], tc[32];
  const int t = threadIdx.x;
  ta[t] = a[t];
  tb[t] = b[t];
  __syncwarp();
  u32 fa[4], fb[4];
  const int row = t % 16, chunk = t / 16;
  load_matrix_x4(fa[0], fa[1], fa[2], fa[3], shared_address(ta + 2 * row + chunk));
  load_matrix_x4_trans(fb[0], fb[1], fb[2], fb[3], shared_address(tb + 2 * row + chunk));
  float acc[2][4] = {{1, 1, 1, 1}, {1, 1, 1, 1}};
  for (int n = 0; n < 2; ++n) {
    float (&c)[4] = acc[n];
    const u32 b0 = fb[2 * n], b1 = fb[2 * n + 1];
    if (bf16) {
      mma_m16n8k16_bf16(c[0], c[1], c[2], c[3], fa[0], fa[1], fa[2], fa[3], b0, b1);
    } else {
      mma_m16n8k16_f16(c[0], c[1], c[2], c[3], fa[0], fa[1], fa[2], fa[3], b0, b1);
    }
    for (int i = 0; i < 4; ++i) d[(t / 4 + 8 * (i / 2)) * 16 + 8 * n + t % 4 * 2 + i % 2] = c[i];
  }
  store_matrix_x4(shared_address(tc + 2 * row + chunk), fa[0], fa[1], fa[2], fa[3]);
  __syncwarp();
  copy[t] = tc[t];
}
)",
                              "product");
  for (const DType dtype : {DType::F16, DType::BF16}) {
    std::vector<std::uint16_t> a(256), b(256), copy(256);
    std::vector<float> d(256);
    const auto element = [](int i) { return (i * 37 + i / 16 * 11) % 15 - 7; };
    for (int i = 0; i < 256; ++i) {
      a[static_cast<std::size_t>(i)] = parhelion::to_bits(element(i), dtype);
      b[static_cast<std::size_t>(i)] = parhelion::to_bits(element(i + 91), dtype);
    }
    em::Launch launch;
    launch.buffers = {buffer(a, false), buffer(b, false), buffer(d, true), buffer(copy, true)};
    for (int i = 0; i < 4; ++i) launch.arguments.push_back(em::Argument::pointer(i));
    launch.arguments.push_back(em::Argument::integer(dtype == DType::BF16));
    const em::Report report = compiled.run(launch);
    REQUIRE_MESSAGE(report.clean(), em::text(report));
    CHECK(copy == a);
    for (int m = 0; m < 16; ++m) {
      for (int n = 0; n < 16; ++n) {
        int sum = 1;
        for (int k = 0; k < 16; ++k) sum += element(16 * m + k) * element(16 * k + n + 91);
        CHECK(d[static_cast<std::size_t>(16 * m + n)] == static_cast<float>(sum));
      }
    }
  }
}
