// matmul | parhelion 0.1 | sm_90a
// block[a0]=128 block[a1]=128 block[a2]=32 group[l0]=8 warps=8 stages[l1]=4 | ir 55ceca
#include "prelude.cuh"

constexpr int group = 8;  // tiles of a band
constexpr int block_tm = 128;
constexpr int block_tn = 128;

// threads of a block, bytes of dynamic shared memory
extern "C" __constant__ int launch_shape[] = {256, 65536};

extern __shared__ __align__(1024) unsigned char shared[];

extern "C" __global__ void __launch_bounds__(256, 1)
    matmul(int tm_tiles, int tn_tiles, int m, int n, int k, int a_s0, const u16* a, int b_s0,
           const u16* b, u16* out) {
  const int lane = lane_id();
  const int warp = warp_id();
  const int tm_thread = lane / 4 + warp / 2 * 16;
  const int tn_thread = lane % 4 * 2 + warp % 2 * 16;
  const int program = static_cast<int>(blockIdx.x);
  const int i = group * tn_tiles;
  const int i_2 = program / i * group;
  const int band_tiles = min(tm_tiles - i_2, group);
  const int i_3 = program % i;
  const int tm_begin = (i_2 + i_3 % band_tiles) * block_tm;
  const int tm_limit = min(m - tm_begin, 128);
  const int tn_begin = i_3 / band_tiles * block_tn;
  const int tn_limit = min(n - tn_begin, 128);
  float acc_3[64];
#pragma unroll 64
  for (int i_4 = 0; i_4 < 64; ++i_4) {
    acc_3[i_4] = 0.0f;
  }
  u16* const a_tiles = reinterpret_cast<u16*>(shared);
  const u32 a_tiles_address = shared_address(a_tiles);
  u16* const b_tiles = reinterpret_cast<u16*>(shared + 32768);
  const u32 b_tiles_address = shared_address(b_tiles);
  int read_slot = 0;
  int write_slot = 3;

  // fill all slots but one
#pragma unroll 3
  for (int s = 0; s < 3; ++s) {
    const int tk_begin = s * 32;
    if (tk_begin < k) {
      const u32 a_tiles_at = a_tiles_address + static_cast<u32>(s * 8192);
      const u32 b_tiles_at = b_tiles_address + static_cast<u32>(s * 8192);
      const int tk_limit = min(k - tk_begin, 32);
      const int thread = static_cast<int>(threadIdx.x);
#pragma unroll 2
      for (int c = 0; c < 2; ++c) {
        const int copy = thread + c * 256;
        const int column = copy % 4 * 8;
        const int row = copy / 4;
        const u32 i_4 = static_cast<u32>(min(max((tk_limit - column) * 2, 0), 16));
        const int i_5 = row * 64 + ((column * 2 / 16) ^ (row / 2 % 4)) * 16;
        const u16* a_at = a + ((tm_begin + row) * a_s0 + (tk_begin + column));
        cp_async<16>(a_tiles_at + static_cast<u32>(i_5), a_at, row < tm_limit ? i_4 : 0u);
      }
      const int thread_2 = static_cast<int>(threadIdx.x);
#pragma unroll 2
      for (int c = 0; c < 2; ++c) {
        const int copy = thread_2 + c * 256;
        const int column = copy % 16 * 8;
        const int row = copy / 16;
        const u32 i_4 = static_cast<u32>(min(max((tn_limit - column) * 2, 0), 16));
        const int i_5 = column * 2 / 16;
        const int i_6 = i_5 / 8 * 4096 + row * 128 + ((i_5 % 8) ^ (row % 8)) * 16;
        const u16* b_at = b + ((tk_begin + row) * b_s0 + (tn_begin + column));
        cp_async<16>(b_tiles_at + static_cast<u32>(i_6), b_at, row < tk_limit ? i_4 : 0u);
      }
    }
    cp_async_commit();
  }
  for (int tk = 0; tk < k; tk += 32) {
    cp_async_wait<2>();
    __syncthreads();
    const int tk_ahead = tk + 96;
    if (tk_ahead < k) {
      const int i_4 = write_slot;
      const u32 a_tiles_at = a_tiles_address + static_cast<u32>(i_4 * 8192);
      const u32 b_tiles_at = b_tiles_address + static_cast<u32>(i_4 * 8192);
      const int tk_limit = min(k - tk_ahead, 32);
      const int thread = static_cast<int>(threadIdx.x);
#pragma unroll 2
      for (int c = 0; c < 2; ++c) {
        const int copy = thread + c * 256;
        const int column = copy % 4 * 8;
        const int row = copy / 4;
        const u32 i_5 = static_cast<u32>(min(max((tk_limit - column) * 2, 0), 16));
        const int i_6 = row * 64 + ((column * 2 / 16) ^ (row / 2 % 4)) * 16;
        const u16* a_at = a + ((tm_begin + row) * a_s0 + (tk_ahead + column));
        cp_async<16>(a_tiles_at + static_cast<u32>(i_6), a_at, row < tm_limit ? i_5 : 0u);
      }
      const int thread_2 = static_cast<int>(threadIdx.x);
#pragma unroll 2
      for (int c = 0; c < 2; ++c) {
        const int copy = thread_2 + c * 256;
        const int column = copy % 16 * 8;
        const int row = copy / 16;
        const u32 i_5 = static_cast<u32>(min(max((tn_limit - column) * 2, 0), 16));
        const int i_6 = column * 2 / 16;
        const int i_7 = i_6 / 8 * 4096 + row * 128 + ((i_6 % 8) ^ (row % 8)) * 16;
        const u16* b_at = b + ((tk_ahead + row) * b_s0 + (tn_begin + column));
        cp_async<16>(b_tiles_at + static_cast<u32>(i_7), b_at, row < tk_limit ? i_5 : 0u);
      }
    }
    cp_async_commit();
    const int next_slot = write_slot + 1;
    write_slot = next_slot == 4 ? 0 : next_slot;
    const int slot = read_slot;
    const u32 b_tiles_at = b_tiles_address + static_cast<u32>(slot * 8192);
    const u32 a_tiles_at = a_tiles_address + static_cast<u32>(slot * 8192);
#pragma unroll 2
    for (int kk = 0; kk < 2; ++kk) {
      u32 a_fragment[8];
      u32 b_fragment[16];
      const int matrix_row = lane % 8;
      const int i_4 = lane / 8 % 2;
      const int i_5 = lane / 16;
      const int tm_warp = warp / 2 * 16;
#pragma unroll 2
      for (int t = 0; t < 2; ++t) {
        const int i_6 = t * 2;
        const int row = tm_warp + (i_6 % 2 * 8 + i_6 / 2 * 64) + i_4 * 8 + matrix_row;
        const int i_7 = row * 64 + ((kk * 2 + i_5) ^ (row / 2 % 4)) * 16;
        load_matrix_x4(a_fragment[t * 4], a_fragment[t * 4 + 1], a_fragment[t * 4 + 2],
                       a_fragment[t * 4 + 3], a_tiles_at + static_cast<u32>(i_7));
      }
      const int matrix_row_2 = lane % 8;
      const int i_6 = lane / 8 % 2;
      const int i_7 = lane / 16;
      const int tn_warp = warp % 2 * 16;
#pragma unroll 4
      for (int t = 0; t < 4; ++t) {
        const int i_8 = t * 4;
        const int row = kk * 16 + i_6 * 8 + matrix_row_2;
        const int chunk = (tn_warp + (i_8 % 2 + i_8 / 2 % 2 * 8 + i_8 / 4 * 32)) / 8 + i_7;
        const int i_9 = chunk / 8 * 4096 + row * 128 + ((chunk % 8) ^ (row % 8)) * 16;
        load_matrix_x4_trans(b_fragment[t * 4], b_fragment[t * 4 + 1], b_fragment[t * 4 + 2],
                             b_fragment[t * 4 + 3], b_tiles_at + static_cast<u32>(i_9));
      }
#pragma unroll 2
      for (int tm = 0; tm < 2; ++tm) {
#pragma unroll 8
        for (int tn = 0; tn < 8; ++tn) {
          const int first = tm * 32 + tn * 2;
          mma_m16n8k16_bf16(acc_3[first], acc_3[first + 1], acc_3[first + 16],
                            acc_3[first + 16 + 1], a_fragment[tm * 4], a_fragment[tm * 4 + 1],
                            a_fragment[tm * 4 + 2], a_fragment[tm * 4 + 3], b_fragment[tn * 2],
                            b_fragment[tn * 2 + 1]);
        }
      }
    }
    const int next_slot_2 = read_slot + 1;
    read_slot = next_slot_2 == 4 ? 0 : next_slot_2;
  }
  cp_async_wait<0>();
#pragma unroll 4
  for (int i_4 = 0; i_4 < 4; ++i_4) {
#pragma unroll 8
    for (int i_5 = 0; i_5 < 8; ++i_5) {
      const int first = i_5 * 2;
      const int tm_index = tm_thread + (i_4 % 2 * 8 + i_4 / 2 * 64);
      const int tn_index = tn_thread + (first % 2 + first / 2 % 2 * 8 + first / 4 * 32);
      u16* out_at = out + ((tm_begin + tm_index) * n + (tn_begin + tn_index));
      float y[2];
#pragma unroll 2
      for (int e = 0; e < 2; ++e) {
        y[e] = acc_3[i_4 * 16 + (first + e)];
      }
      const bool tm_valid = tm_index < tm_limit;
      if (tm_valid && tn_index + 1 < tn_limit) {
        *reinterpret_cast<u32*>(out_at) = pack_bf16(y[0], y[1]);
      } else {
#pragma unroll 2
        for (int e = 0; e < 2; ++e) {
          if (tm_valid && tn_index + e < tn_limit) {
            out_at[e] = to_bf16(y[e]);
          }
        }
      }
    }
  }
}
