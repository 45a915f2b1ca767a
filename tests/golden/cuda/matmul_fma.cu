// matmul_f32 | parhelion 0.1 | sm_90a
// block[a0]=64 block[a1]=64 block[a2]=32 warps=4 stages[l1]=3 | ir 53a38d
#include "prelude.cuh"

constexpr int block_tm = 64;
constexpr int block_tn = 64;

// threads of a block, bytes of dynamic shared memory
extern "C" __constant__ int launch_shape[] = {128, 0};

extern "C" __global__ void __launch_bounds__(128, 1)
    matmul_f32(int tn_tiles, int m, int n, int k, int a_s0, const float* a, int b_s0,
               const float* b, float* out) {
  const int lane = lane_id();
  const int warp = warp_id();
  const int tm_thread = lane / 8 * 4 + warp / 2 * 16;
  const int tn_thread = lane % 8 * 4 + warp % 2 * 32;
  const int program = static_cast<int>(blockIdx.x);
  const int tm_begin = program / tn_tiles * block_tm;
  const int tm_limit = min(m - tm_begin, 64);
  const int tn_begin = program % tn_tiles * block_tn;
  const int tn_limit = min(n - tn_begin, 64);
  float acc_3[32];
#pragma unroll 32
  for (int i = 0; i < 32; ++i) {
    acc_3[i] = 0.0f;
  }
  __shared__ __align__(1024) float a_tiles[6144];
  const u32 a_tiles_address = shared_address(a_tiles);
  __shared__ __align__(1024) float b_tiles[6144];
  const u32 b_tiles_address = shared_address(b_tiles);
  int read_slot = 0;
  int write_slot = 2;

  // fill all slots but one
#pragma unroll 2
  for (int s = 0; s < 2; ++s) {
    const int tk_begin = s * 32;
    if (tk_begin < k) {
      const u32 a_tiles_at = a_tiles_address + static_cast<u32>(s * 8192);
      const u32 b_tiles_at = b_tiles_address + static_cast<u32>(s * 8192);
      const int tk_limit = min(k - tk_begin, 32);
      const int thread = static_cast<int>(threadIdx.x);
#pragma unroll 4
      for (int c = 0; c < 4; ++c) {
        const int copy = thread + c * 128;
        const int column = copy % 8 * 4;
        const int row = copy / 8;
        const u32 i = static_cast<u32>(min(max((tk_limit - column) * 4, 0), 16));
        const int i_2 = row * 128 + ((column * 4 / 16) ^ (row % 8)) * 16;
        const float* a_at = a + ((tm_begin + row) * a_s0 + (tk_begin + column));
        cp_async<16>(a_tiles_at + static_cast<u32>(i_2), a_at, row < tm_limit ? i : 0u);
      }
      const int thread_2 = static_cast<int>(threadIdx.x);
#pragma unroll 4
      for (int c = 0; c < 4; ++c) {
        const int copy = thread_2 + c * 128;
        const int column = copy % 16 * 4;
        const int row = copy / 16;
        const u32 i = static_cast<u32>(min(max((tn_limit - column) * 4, 0), 16));
        const int i_2 = column * 4 / 16;
        const int i_3 = i_2 / 8 * 4096 + row * 128 + ((i_2 % 8) ^ (row % 8)) * 16;
        const float* b_at = b + ((tk_begin + row) * b_s0 + (tn_begin + column));
        cp_async<16>(b_tiles_at + static_cast<u32>(i_3), b_at, row < tk_limit ? i : 0u);
      }
    }
    cp_async_commit();
  }
  for (int tk = 0; tk < k; tk += 32) {
    cp_async_wait<1>();
    __syncthreads();
    const int tk_ahead = tk + 64;
    if (tk_ahead < k) {
      const int i = write_slot;
      const u32 a_tiles_at = a_tiles_address + static_cast<u32>(i * 8192);
      const u32 b_tiles_at = b_tiles_address + static_cast<u32>(i * 8192);
      const int tk_limit = min(k - tk_ahead, 32);
      const int thread = static_cast<int>(threadIdx.x);
#pragma unroll 4
      for (int c = 0; c < 4; ++c) {
        const int copy = thread + c * 128;
        const int column = copy % 8 * 4;
        const int row = copy / 8;
        const u32 i_2 = static_cast<u32>(min(max((tk_limit - column) * 4, 0), 16));
        const int i_3 = row * 128 + ((column * 4 / 16) ^ (row % 8)) * 16;
        const float* a_at = a + ((tm_begin + row) * a_s0 + (tk_ahead + column));
        cp_async<16>(a_tiles_at + static_cast<u32>(i_3), a_at, row < tm_limit ? i_2 : 0u);
      }
      const int thread_2 = static_cast<int>(threadIdx.x);
#pragma unroll 4
      for (int c = 0; c < 4; ++c) {
        const int copy = thread_2 + c * 128;
        const int column = copy % 16 * 4;
        const int row = copy / 16;
        const u32 i_2 = static_cast<u32>(min(max((tn_limit - column) * 4, 0), 16));
        const int i_3 = column * 4 / 16;
        const int i_4 = i_3 / 8 * 4096 + row * 128 + ((i_3 % 8) ^ (row % 8)) * 16;
        const float* b_at = b + ((tk_ahead + row) * b_s0 + (tn_begin + column));
        cp_async<16>(b_tiles_at + static_cast<u32>(i_4), b_at, row < tk_limit ? i_2 : 0u);
      }
    }
    cp_async_commit();
    const int next_slot = write_slot + 1;
    write_slot = next_slot == 3 ? 0 : next_slot;
    const int slot = read_slot;
    const float* b_tiles_slot = b_tiles + slot * 2048;
    const float* a_tiles_slot = a_tiles + slot * 2048;
    for (int k4 = 0; k4 < 8; ++k4) {
      float a_panel[32];
      float b_panel[16];
#pragma unroll 8
      for (int r = 0; r < 8; ++r) {
        const int i = tm_thread + (r % 4 + r / 4 * 32);
        const float* p = a_tiles_slot + (i * 128 + (k4 ^ (i % 8)) * 16) / 4;
        const float4 v = *reinterpret_cast<const float4*>(p);
        a_panel[r * 4] = v.x;
        a_panel[r * 4 + 1] = v.y;
        a_panel[r * 4 + 2] = v.z;
        a_panel[r * 4 + 3] = v.w;
      }
#pragma unroll 4
      for (int kk = 0; kk < 4; ++kk) {
#pragma unroll 1
        for (int r = 0; r < 1; ++r) {
          const int i = r * 4;
          const int i_2 = (tn_thread + i) / 4;
          const int i_3 = k4 * 4 + kk;
          const int i_4 = (i_2 / 8 * 4096 + i_3 * 128 + ((i_2 % 8) ^ (i_3 % 8)) * 16) / 4;
          const float4 v = *reinterpret_cast<const float4*>(b_tiles_slot + i_4);
          b_panel[i * 4 + kk] = v.x;
          b_panel[(i + 1) * 4 + kk] = v.y;
          b_panel[(i + 2) * 4 + kk] = v.z;
          b_panel[(i + 3) * 4 + kk] = v.w;
        }
      }
#pragma unroll 4
      for (int kk = 0; kk < 4; ++kk) {
#pragma unroll 8
        for (int i = 0; i < 8; ++i) {
#pragma unroll 4
          for (int j = 0; j < 4; ++j) {
            const int i_2 = i * 4 + j;
            acc_3[i_2] = fmaf(a_panel[i * 4 + kk], b_panel[j * 4 + kk], acc_3[i_2]);
          }
        }
      }
    }
    const int next_slot_2 = read_slot + 1;
    read_slot = next_slot_2 == 3 ? 0 : next_slot_2;
  }
  cp_async_wait<0>();
#pragma unroll 8
  for (int i = 0; i < 8; ++i) {
    const int tm_index = tm_thread + (i % 4 + i / 4 * 32);
    float* out_at = out + ((tm_begin + tm_index) * n + (tn_begin + tn_thread));
    float y[4];
#pragma unroll 4
    for (int e = 0; e < 4; ++e) {
      y[e] = acc_3[i * 4 + e];
    }
    const bool tm_valid = tm_index < tm_limit;
    if (tm_valid && tn_thread + 3 < tn_limit) {
      *reinterpret_cast<float4*>(out_at) = float4{y[0], y[1], y[2], y[3]};
    } else {
#pragma unroll 4
      for (int e = 0; e < 4; ++e) {
        if (tm_valid && tn_thread + e < tn_limit) {
          out_at[e] = y[e];
        }
      }
    }
  }
}
