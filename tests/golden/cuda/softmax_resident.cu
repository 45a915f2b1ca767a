// softmax | parhelion 0.1 | sm_90a | block[a0]=2 warps=4 reduce[a1]=resident | ir a7d8f1
#include "prelude.cuh"

constexpr int block_rows = 2;

// threads of a block, bytes of dynamic shared memory
extern "C" __constant__ int launch_shape[] = {128, 0};

extern "C" __global__ void __launch_bounds__(128, 1)
    softmax(int m, int x_s0, const u16* x, u16* out) {
  const int lane = lane_id();
  const int warp = warp_id();
  const int rows_thread = warp / 2;
  const int n_thread = lane * 8 + warp % 2 * 256;
  const int rows_begin = static_cast<int>(blockIdx.x) * block_rows;
  const int rows_limit = min(m - rows_begin, 2);
  u32 pairs[28];
#pragma unroll 7
  for (int i = 0; i < 7; ++i) {
    const int first = i * 8;
    const int n_index = n_thread + (first % 8 + first / 8 * 512);
    const u16* x_at = x + ((rows_begin + rows_thread) * x_s0 + n_index);
    const u32* p = reinterpret_cast<const u32*>(x_at);
    const bool rows_valid = rows_thread < rows_limit;
    const uint4 i_2 = uint4{0u, 0u, 0u, 0u};
    const uint4 loaded = rows_valid ? load_once(reinterpret_cast<const uint4*>(p)) : i_2;
    const int pair = first / 2;
    pairs[pair] = loaded.x;
    pairs[pair + 1] = loaded.y;
    pairs[pair + 2] = loaded.z;
    pairs[pair + 3] = loaded.w;
  }
  float part = __uint_as_float(0xff800000u);
#pragma unroll 56
  for (int i = 0; i < 56; ++i) {
    const u32 i_2 = pairs[i / 2];
    part = max_nan(part, i % 2 == 0 ? low_f16(i_2) : high_f16(i_2));
  }
#pragma unroll 5
  for (int step = 16; step > 0; step /= 2) {
    part = max_nan(part, __shfl_xor_sync(0xffffffffu, part, step));
  }
  __shared__ __align__(16) float warp_parts[4];
  if (lane == 0) {
    warp_parts[warp] = part;
  }
  __syncthreads();
  const int i = warp & 2;
  part = max_nan(warp_parts[i], warp_parts[i + 1]);
  float part_2 = 0.0f;
  float e[56];
#pragma unroll 56
  for (int i_2 = 0; i_2 < 56; ++i_2) {
    const u32 i_3 = pairs[i_2 / 2];
    e[i_2] = expf((i_2 % 2 == 0 ? low_f16(i_3) : high_f16(i_3)) - part);
  }
#pragma unroll 56
  for (int i_2 = 0; i_2 < 56; ++i_2) {
    part_2 += e[i_2];
  }
#pragma unroll 5
  for (int step = 16; step > 0; step /= 2) {
    part_2 = part_2 + __shfl_xor_sync(0xffffffffu, part_2, step);
  }
  __shared__ __align__(16) float warp_parts_2[4];
  if (lane == 0) {
    warp_parts_2[warp] = part_2;
  }
  __syncthreads();
  const int i_2 = warp & 2;
  part_2 = warp_parts_2[i_2] + warp_parts_2[i_2 + 1];
#pragma unroll 7
  for (int i_3 = 0; i_3 < 7; ++i_3) {
    const int first = i_3 * 8;
    const int n_index = n_thread + (first % 8 + first / 8 * 512);
    u16* out_at = out + ((rows_begin + rows_thread) * 3584 + n_index);
    float y[8];
#pragma unroll 8
    for (int e_2 = 0; e_2 < 8; ++e_2) {
      y[e_2] = e[first + e_2] / part_2;
    }
    if (rows_thread < rows_limit) {
      const u32 i_4 = pack_f16(y[0], y[1]);
      const u32 i_5 = pack_f16(y[2], y[3]);
      const uint4 i_6 = uint4{i_4, i_5, pack_f16(y[4], y[5]), pack_f16(y[6], y[7])};
      store_once(reinterpret_cast<uint4*>(out_at), i_6);
    }
  }
}
