// Uses every wrapper of the prelude once, so that ptxas sees each instruction.
#include "prelude.cuh"

extern "C" __global__ void __launch_bounds__(64, 1)
everything(const uint4* x, u16* h, u32* w, float* f, uint2* w2, float2* f2, uint4* w4, float4* f4) {
  __shared__ uint4 tile[64];
  const int t = threadIdx.x, warp = uniform(warp_id()), lane = lane_id();
  dependency_wait();
  store_once(h + t, load_once(h + t));
  store_once(w + t, load_once(w + t));
  store_once(w2 + t, load_once(w2 + t));
  store_once(f2 + t, load_once(f2 + t));
  store_once(w4 + t, load_once(w4 + t));
  store_once(f4 + t, load_once(f4 + t));
  dependents_launch();

  const u32 at = shared_address(tile + t);
  cp_async<4>(at, x + t, 4);
  cp_async<8>(at, x + t, 5);
  cp_async<16>(at, x + t, 16);
  cp_async_commit();
  cp_async_wait<0>();
  __syncthreads();

  u32 a[4], b[4];
  float d[4] = {};
  load_matrix_x4(a[0], a[1], a[2], a[3], at);
  load_matrix_x4_trans(b[0], b[1], b[2], b[3], at);
  mma_m16n8k16_f16(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[0], b[1]);
  mma_m16n8k16_bf16(d[0], d[1], d[2], d[3], a[0], a[1], a[2], a[3], b[2], b[3]);

  float y = load_once(f + t);
  y = fma_f32(max_nan(y, d[0]), min_nan(y, d[1]), exp2_approx(d[2])) + log2_approx(d[3]);
  y += log2_approx_denormal(y) + rcp_approx(y) + rsqrt_approx(y) + sqrt_approx(y) + tanh_approx(y);
  y += low_bf16(a[0]) + high_bf16(a[0]) + low_bf16_again(a[1]) + high_bf16_again(a[1]);
  y += low_f16(b[0]) + high_f16(b[0]) + from_bf16(h[t]) + from_f16(h[t]);
  store_once(f + t, y);
  h[t] = to_f16(y) ^ to_bf16(y);
  w[t] = max_bf16x2(a[0], pack_bf16(y, y)) ^ min_bf16x2(a[1], b[1]);
  w[t] ^= max_f16x2(a[0], pack_f16(y, y)) ^ min_f16x2(a[1], b[1]);
  if (elect_one()) w[lane] = 1;
  if (warp == 0) named_sync(1, 64);
  else named_arrive(1, 64);

#if PH_SM >= 90
  __shared__ u64 bars[2];
  if (t == 0) {
    mbarrier_init(shared_address(&bars[0]), 1);
    mbarrier_init(shared_address(&bars[1]), 63);
    mbarrier_init_fence();
  }
  fence_async_shared();
  __syncthreads();
  if (t == 0) {
    mbarrier_expect(shared_address(&bars[0]), 64);
    bulk_load(shared_address(tile), x, 64, shared_address(&bars[0]));
  } else {
    mbarrier_arrive(shared_address(&bars[1]));
  }
  mbarrier_wait(shared_address(&bars[0]), 0);
  mbarrier_wait(shared_address(&bars[1]), 0);
  store_matrix_x4(at, a[0], a[1], a[2], a[3]);
#endif
}
