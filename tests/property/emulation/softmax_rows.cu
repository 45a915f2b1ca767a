// A row of f16 by the block's warps: packed pairs stay in registers between the two passes, (max, sum)
// of the warps goes through scratch that alternates between rows, so one barrier a row is enough.
#include "prelude.cuh"

constexpr int cols = 1000;
constexpr int warps = 4;
constexpr int vectors = (cols / 4 + 32 * warps - 1) / (32 * warps);  // 8-byte vectors a thread
constexpr float log2_e = 1.4426950408889634f;

extern "C" __constant__ int launch_shape[] = {32 * warps, 0};

extern "C" __global__ void __launch_bounds__(32 * warps, 1)
softmax_rows(const u16* __restrict__ x, u16* __restrict__ y, int rows) {
  __shared__ float2 parts[2][warps];
  const int t = threadIdx.x, warp = warp_id();
  int parity = 0;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    const uint2* from = reinterpret_cast<const uint2*>(x + static_cast<long long>(row) * cols);
    uint2 v[vectors];
#pragma unroll
    for (int i = 0; i < vectors; ++i) {
      const int at = i * 32 * warps + t;
      v[i] = at < cols / 4 ? load_once(from + at) : uint2{0xfc00fc00u, 0xfc00fc00u};
    }
    u32 pair = v[0].x;
#pragma unroll
    for (int i = 0; i < vectors; ++i) pair = max_f16x2(pair, max_f16x2(v[i].x, v[i].y));
    float m = max_nan(low_f16(pair), high_f16(pair));
#pragma unroll
    for (int step = 16; step > 0; step /= 2) m = max_nan(m, __shfl_xor_sync(0xffffffffu, m, step));
    float s = 0.0f;
#pragma unroll
    for (int i = 0; i < vectors; ++i) {
      s += exp2_approx((low_f16(v[i].x) - m) * log2_e) + exp2_approx((high_f16(v[i].x) - m) * log2_e);
      s += exp2_approx((low_f16(v[i].y) - m) * log2_e) + exp2_approx((high_f16(v[i].y) - m) * log2_e);
    }
#pragma unroll
    for (int step = 16; step > 0; step /= 2) s += __shfl_xor_sync(0xffffffffu, s, step);

    if (lane_id() == 0) parts[parity][warp] = float2{m, s};
    __syncthreads();
#pragma unroll
    for (int i = 0; i < warps; ++i) m = max_nan(m, parts[parity][i].x);
    s = 0.0f;
#pragma unroll
    for (int i = 0; i < warps; ++i) s += parts[parity][i].y * exp2_approx((parts[parity][i].x - m) * log2_e);
    parity ^= 1;

    const float scale = rcp_approx(s);
    uint2* to = reinterpret_cast<uint2*>(y + static_cast<long long>(row) * cols);
#pragma unroll
    for (int i = 0; i < vectors; ++i) {
      const int at = i * 32 * warps + t;
      const float a = exp2_approx((low_f16(v[i].x) - m) * log2_e), b = exp2_approx((high_f16(v[i].x) - m) * log2_e);
      const float c = exp2_approx((low_f16(v[i].y) - m) * log2_e), d = exp2_approx((high_f16(v[i].y) - m) * log2_e);
      if (at < cols / 4) store_once(to + at, uint2{pack_f16(a * scale, b * scale), pack_f16(c * scale, d * scale)});
    }
  }
}
