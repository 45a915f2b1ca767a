// softmax | parhelion 0.1 | sm_90a | block[a0]=1 warps=4 reduce[a1]=2048 | ir a7d8f1
#include "prelude.cuh"

// threads of a block, bytes of dynamic shared memory
extern "C" __constant__ int launch_shape[] = {128, 0};

extern "C" __global__ void __launch_bounds__(128, 1)
    softmax(int m, int x_s0, const u16* x, u16* out) {
  const int lane = lane_id();
  const int warp = warp_id();
  const int n_thread = lane * 8 + warp * 256;
  const int rows_begin = static_cast<int>(blockIdx.x);
  float part = __uint_as_float(0xff800000u);
  for (int n_chunk = 0; n_chunk < 65536; n_chunk += 2048) {
    u32 pairs[8];
#pragma unroll 2
    for (int i = 0; i < 2; ++i) {
      const int first = i * 8;
      const int n_index = n_chunk + (n_thread + (first % 8 + first / 8 * 1024));
      const u32* p = reinterpret_cast<const u32*>(x + (rows_begin * x_s0 + n_index));
      const uint4 loaded = load_once(reinterpret_cast<const uint4*>(p));
      const int pair = first / 2;
      pairs[pair] = loaded.x;
      pairs[pair + 1] = loaded.y;
      pairs[pair + 2] = loaded.z;
      pairs[pair + 3] = loaded.w;
    }
#pragma unroll 16
    for (int i = 0; i < 16; ++i) {
      const u32 i_2 = pairs[i / 2];
      part = max_nan(part, i % 2 == 0 ? low_f16(i_2) : high_f16(i_2));
    }
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
  const float v = max_nan(max_nan(*warp_parts, warp_parts[1]), warp_parts[2]);
  part = max_nan(v, warp_parts[3]);
  float part_2 = 0.0f;
  for (int n_chunk = 0; n_chunk < 65536; n_chunk += 2048) {
    u32 pairs[8];
#pragma unroll 2
    for (int i = 0; i < 2; ++i) {
      const int first = i * 8;
      const int n_index = n_chunk + (n_thread + (first % 8 + first / 8 * 1024));
      const u32* p = reinterpret_cast<const u32*>(x + (rows_begin * x_s0 + n_index));
      const uint4 loaded = load_once(reinterpret_cast<const uint4*>(p));
      const int pair = first / 2;
      pairs[pair] = loaded.x;
      pairs[pair + 1] = loaded.y;
      pairs[pair + 2] = loaded.z;
      pairs[pair + 3] = loaded.w;
    }
    float e[16];
#pragma unroll 16
    for (int i = 0; i < 16; ++i) {
      const u32 i_2 = pairs[i / 2];
      e[i] = expf((i % 2 == 0 ? low_f16(i_2) : high_f16(i_2)) - part);
    }
#pragma unroll 16
    for (int i = 0; i < 16; ++i) {
      part_2 += e[i];
    }
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
  const float v_2 = *warp_parts_2 + warp_parts_2[1] + warp_parts_2[2];
  part_2 = v_2 + warp_parts_2[3];
  for (int n_chunk = 0; n_chunk < 65536; n_chunk += 2048) {
    u32 pairs[8];
#pragma unroll 2
    for (int i = 0; i < 2; ++i) {
      const int first = i * 8;
      const int n_index = n_chunk + (n_thread + (first % 8 + first / 8 * 1024));
      const u32* p = reinterpret_cast<const u32*>(x + (rows_begin * x_s0 + n_index));
      const uint4 loaded = load_once(reinterpret_cast<const uint4*>(p));
      const int pair = first / 2;
      pairs[pair] = loaded.x;
      pairs[pair + 1] = loaded.y;
      pairs[pair + 2] = loaded.z;
      pairs[pair + 3] = loaded.w;
    }
    float e[16];
#pragma unroll 16
    for (int i = 0; i < 16; ++i) {
      const u32 i_2 = pairs[i / 2];
      e[i] = expf((i % 2 == 0 ? low_f16(i_2) : high_f16(i_2)) - part);
    }
#pragma unroll 2
    for (int i = 0; i < 2; ++i) {
      const int first = i * 8;
      const int n_index = n_chunk + (n_thread + (first % 8 + first / 8 * 1024));
      float y[8];
#pragma unroll 8
      for (int e_2 = 0; e_2 < 8; ++e_2) {
        y[e_2] = e[first + e_2] / part_2;
      }
      const u32 i_2 = pack_f16(y[0], y[1]);
      const u32 i_3 = pack_f16(y[2], y[3]);
      u32* p = reinterpret_cast<u32*>(out + (rows_begin * 65536 + n_index));
      const uint4 i_4 = uint4{i_2, i_3, pack_f16(y[4], y[5]), pack_f16(y[6], y[7])};
      store_once(reinterpret_cast<uint4*>(p), i_4);
    }
  }
}
