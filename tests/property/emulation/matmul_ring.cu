// d = a * b, f16 to f32, on mma.sync: a ring of cp.async slots in swizzled shared memory, one barrier a
// step, the slot that the barrier freed is filled at once; a block takes several tiles.
#include "prelude.cuh"

constexpr int block_m = 32, block_n = 32, block_k = 32;
constexpr int stages = 3;
constexpr int threads = 128;                     // 2 x 2 warps of 16 x 16
constexpr int a_bytes = block_m * block_k * 2, slot_bytes = a_bytes + block_k * block_n * 2;

extern "C" __constant__ int launch_shape[] = {threads, stages * slot_bytes};

extern __shared__ __align__(1024) unsigned char shared[];

// Rows of four 16-byte chunks; eight rows in turn meet all banks.
PH_DEVICE u32 chunk_address(u32 tile, int row, int chunk) {
  return tile + row * 64 + (chunk ^ (row / 2 & 3)) * 16;
}

extern "C" __global__ void __launch_bounds__(threads, 1)
matmul_ring(const u16* __restrict__ a, const u16* __restrict__ b, float* __restrict__ d, int m, int n, int k) {
  const int t = threadIdx.x, lane = lane_id(), warp = warp_id();
  const int row = t / 4, chunk = t % 4;          // the chunk that this thread copies, of each operand
  const u32 ring = shared_address(shared);
  const int steps = (k + block_k - 1) / block_k;
  const int tiles_n = (n + block_n - 1) / block_n, tiles = (m + block_m - 1) / block_m * tiles_n;

  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int first_m = tile / tiles_n * block_m, first_n = tile % tiles_n * block_n;
    const auto load = [&](int step) {
      if (step < steps) {
        const u32 slot = ring + step % stages * slot_bytes;
        const int am = first_m + row, ak = step * block_k + chunk * 8;
        const bool a_in = am < m && ak < k;
        cp_async<16>(chunk_address(slot, row, chunk), a_in ? a + am * k + ak : a, a_in ? 16 : 0);
        const int bk = step * block_k + row, bn = first_n + chunk * 8;
        const bool b_in = bk < k && bn < n;
        cp_async<16>(chunk_address(slot + a_bytes, row, chunk), b_in ? b + bk * n + bn : b, b_in ? 16 : 0);
      }
      cp_async_commit();
    };
    float acc[8] = {};
    for (int step = 0; step < stages - 1; ++step) load(step);
    for (int step = 0; step < steps; ++step) {
      cp_async_wait<stages - 2>();
      __syncthreads();
      load(step + stages - 1);
      const u32 slot = ring + step % stages * slot_bytes;
#pragma unroll
      for (int kk = 0; kk < block_k / 16; ++kk) {
        u32 fa[4], fb[4];
        const int r = lane % 16, c = lane / 16;
        load_matrix_x4(fa[0], fa[1], fa[2], fa[3], chunk_address(slot, warp / 2 * 16 + r, kk * 2 + c));
        load_matrix_x4_trans(fb[0], fb[1], fb[2], fb[3], chunk_address(slot + a_bytes, kk * 16 + r, warp % 2 * 2 + c));
        mma_m16n8k16_f16(acc[0], acc[1], acc[2], acc[3], fa[0], fa[1], fa[2], fa[3], fb[0], fb[1]);
        mma_m16n8k16_f16(acc[4], acc[5], acc[6], acc[7], fa[0], fa[1], fa[2], fa[3], fb[2], fb[3]);
      }
    }
    __syncthreads();  // the next tile fills the slots that were read last

#pragma unroll
    for (int half = 0; half < 4; ++half) {
      const int dm = first_m + warp / 2 * 16 + half % 2 * 8 + lane / 4;
      const int dn = first_n + warp % 2 * 16 + half / 2 * 8 + lane % 4 * 2;
      const int i = half / 2 * 4 + half % 2 * 2;
      if (dm < m && dn < n) store_once(reinterpret_cast<float2*>(d + dm * n + dn), float2{acc[i], acc[i + 1]});
    }
  }
}
