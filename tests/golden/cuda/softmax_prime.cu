// softmax | parhelion 0.1 | sm_90a | block[a0]=4 warps=4 | ir a7d8f1
#include "prelude.cuh"

constexpr int block_rows = 4;

// threads of a block, bytes of dynamic shared memory
extern "C" __constant__ int launch_shape[] = {128, 0};

extern "C" __global__ void __launch_bounds__(128, 1)
    softmax(int m, int x_s0, const u16* x, u16* out) {
  const int lane = lane_id();
  const int warp = warp_id();
  const int rows_begin = static_cast<int>(blockIdx.x) * block_rows;
  const int rows_limit = min(m - rows_begin, 4);
  float v[5];
#pragma unroll 5
  for (int i = 0; i < 5; ++i) {
    const int n_index = lane + i * 32;
    const u16* x_at = x + ((rows_begin + warp) * x_s0 + n_index);
    v[i] = from_f16(warp < rows_limit && n_index < 131 ? *x_at : 0);
  }
  float part = __uint_as_float(0xff800000u);
#pragma unroll 5
  for (int i = 0; i < 5; ++i) {
    const float v_2 = lane + i * 32 < 131 ? v[i] : __uint_as_float(0xff800000u);
    part = max_nan(part, v_2);
  }
#pragma unroll 5
  for (int step = 16; step > 0; step /= 2) {
    part = max_nan(part, __shfl_xor_sync(0xffffffffu, part, step));
  }
  float part_2 = 0.0f;
  float e[5];
#pragma unroll 5
  for (int i = 0; i < 5; ++i) {
    e[i] = expf(v[i] - part);
  }
#pragma unroll 5
  for (int i = 0; i < 5; ++i) {
    part_2 += lane + i * 32 < 131 ? e[i] : 0.0f;
  }
#pragma unroll 5
  for (int step = 16; step > 0; step /= 2) {
    part_2 = part_2 + __shfl_xor_sync(0xffffffffu, part_2, step);
  }
#pragma unroll 5
  for (int i = 0; i < 5; ++i) {
    const int n_index = lane + i * 32;
    u16* out_at = out + ((rows_begin + warp) * 131 + n_index);
    const float v_2 = e[i] / part_2;
    if (warp < rows_limit && n_index < 131) {
      *out_at = to_f16(v_2);
    }
  }
}
