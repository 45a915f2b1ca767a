// y = x * rsqrt(mean(x^2) + eps), f32: a producer lane keeps a ring of rows in flight by bulk copies, the
// consumer warps take a row into registers and free its slot before they reduce.
#include "prelude.cuh"

constexpr int cols = 512;
constexpr int warps = 4;        // consumers; one more warp produces
constexpr int stages = 3;
constexpr int vectors = cols / 4 / (32 * warps);
constexpr int row_bytes = cols * 4;

extern "C" __constant__ int launch_shape[] = {32 * warps + 32, stages * row_bytes};

extern __shared__ __align__(1024) unsigned char shared[];

extern "C" __global__ void __launch_bounds__(32 * warps + 32, 1)
rms_norm_ring(const float4* __restrict__ x, float4* __restrict__ y, int rows, float eps) {
  __shared__ u64 full[stages], empty[stages];
  __shared__ float parts[2][warps];
  const int warp = warp_id(), t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < stages; ++s) {
      mbarrier_init(shared_address(&full[s]), 1);
      mbarrier_init(shared_address(&empty[s]), warps);
    }
    mbarrier_init_fence();
  }
  __syncthreads();

  u32 slot = 0, phase = 0;
  if (warp == warps) {
    if (elect_one()) {
      for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        mbarrier_wait(shared_address(&empty[slot]), phase ^ 1);  // a fresh barrier counts as passed
        mbarrier_expect(shared_address(&full[slot]), row_bytes);
        bulk_load(shared_address(shared) + slot * row_bytes, x + row * (cols / 4), row_bytes, shared_address(&full[slot]));
        if (++slot == stages) {
          slot = 0;
          phase ^= 1;
        }
      }
    }
    return;
  }

  int parity = 0;
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    mbarrier_wait(shared_address(&full[slot]), phase);
    const float4* from = reinterpret_cast<const float4*>(shared + slot * row_bytes);
    float4 v[vectors];
#pragma unroll
    for (int i = 0; i < vectors; ++i) v[i] = from[i * 32 * warps + t];
    fence_async_shared();  // the copy engine may overwrite what has arrived in registers
    __syncwarp();
    if (elect_one()) mbarrier_arrive(shared_address(&empty[slot]));
    if (++slot == stages) {
      slot = 0;
      phase ^= 1;
    }

    float s = 0.0f;
#pragma unroll
    for (int i = 0; i < vectors; ++i) s += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) s += __shfl_xor_sync(0xffffffffu, s, step);
    if (lane_id() == 0) parts[parity][warp] = s;
    named_sync(1, 32 * warps);
    s = 0.0f;
#pragma unroll
    for (int i = 0; i < warps; ++i) s += parts[parity][i];
    parity ^= 1;

    const float r = rsqrt_approx(s * (1.0f / cols) + eps);
#pragma unroll
    for (int i = 0; i < vectors; ++i) {
      store_once(y + row * (cols / 4) + i * 32 * warps + t, float4{v[i].x * r, v[i].y * r, v[i].z * r, v[i].w * r});
    }
  }
}
