// vector_add | parhelion 0.1 | sm_90a | block[a0]=1024 warps=4 | ir 2d7a34
#include "prelude.cuh"

constexpr int block_t = 1024;

// threads of a block, bytes of dynamic shared memory
extern "C" __constant__ int launch_shape[] = {128, 0};

extern "C" __global__ void __launch_bounds__(128, 1)
    vector_add(int n, const float* x, const float* y, float* out) {
  const int warp = warp_id();
  const int t_thread = lane_id() * 4 + warp * 128;
  const int t_begin = static_cast<int>(blockIdx.x) * block_t;
  const int t_limit = min(n - t_begin, 1024);
  float a[8];
#pragma unroll 2
  for (int i = 0; i < 2; ++i) {
    const int first = i * 4;
    const int t_index = t_thread + (first % 4 + first / 4 * 512);
    const float* x_at = x + (t_begin + t_index);
    if (t_index + 3 < t_limit) {
      const float4 loaded = load_once(reinterpret_cast<const float4*>(x_at));
      a[first] = loaded.x;
      a[first + 1] = loaded.y;
      a[first + 2] = loaded.z;
      a[first + 3] = loaded.w;
    } else {
#pragma unroll 4
      for (int e = 0; e < 4; ++e) {
        a[first + e] = t_index + e < t_limit ? x[t_begin + (t_index + e)] : 0.0f;
      }
    }
  }
  float b[8];
#pragma unroll 2
  for (int i = 0; i < 2; ++i) {
    const int first = i * 4;
    const int t_index = t_thread + (first % 4 + first / 4 * 512);
    const float* y_at = y + (t_begin + t_index);
    if (t_index + 3 < t_limit) {
      const float4 loaded = load_once(reinterpret_cast<const float4*>(y_at));
      b[first] = loaded.x;
      b[first + 1] = loaded.y;
      b[first + 2] = loaded.z;
      b[first + 3] = loaded.w;
    } else {
#pragma unroll 4
      for (int e = 0; e < 4; ++e) {
        b[first + e] = t_index + e < t_limit ? y[t_begin + (t_index + e)] : 0.0f;
      }
    }
  }
#pragma unroll 2
  for (int i = 0; i < 2; ++i) {
    const int first = i * 4;
    const int t_index = t_thread + (first % 4 + first / 4 * 512);
    float* out_at = out + (t_begin + t_index);
    float y_2[4];
#pragma unroll 4
    for (int e = 0; e < 4; ++e) {
      const int i_2 = first + e;
      y_2[e] = a[i_2] + b[i_2];
    }
    if (t_index + 3 < t_limit) {
      store_once(reinterpret_cast<float4*>(out_at), float4{y_2[0], y_2[1], y_2[2], y_2[3]});
    } else {
#pragma unroll 4
      for (int e = 0; e < 4; ++e) {
        if (t_index + e < t_limit) {
          out_at[e] = y_2[e];
        }
      }
    }
  }
}
