// matmul | parhelion 0.1 | x86-64-v3 | simd=32 register_block[d0]=6x2 | ir 51c0ff
//   acc = dot(a[tm, tk], b[tk, tn], acc);  c[tm, tn] = acc
using i64 = long;
typedef float f32x8 __attribute__((vector_size(32)));
typedef float f32x8_u __attribute__((vector_size(32), aligned(4), may_alias));

static inline f32x8 splat(float x) { return x - f32x8{}; }
static inline f32x8 load(const float* p) { return *(const f32x8_u*)p; }
static inline f32x8 fma(f32x8 a, f32x8 b, f32x8 c) { return __builtin_ia32_vfmaddps256(a, b, c); }
static inline void store(float* p, f32x8 v) { *(f32x8_u*)p = v; }

constexpr int lanes = 8;
constexpr int mr = 6;   // rows of a micro tile
constexpr int nr = 16;  // its columns, two vectors

struct Arguments {
  const float* a;
  const float* b;
  float* c;
  i64 k_size;
  i64 n_tiles;
  i64 c_pitch;
};

static __attribute__((noinline)) void micro(i64 kc, const float* panel_a, const float* panel_b,
                                            float* tile, i64 ldc) {
  const f32x8 none = splat(0.0f);
  f32x8 acc[12];
#pragma GCC unroll 12
  for (int i = 0; i < 12; ++i) {
    acc[i] = none;
  }
  for (i64 k = 0; k < kc; ++k) {
    const float* pb = panel_b + k * nr;
    const f32x8 b0 = load(pb);
    const f32x8 b1 = load(pb + lanes);
#pragma GCC unroll 6
    for (int i = 0; i < 6; ++i) {
      const f32x8 ai = splat(panel_a[k * mr + i]);
      const i64 left = i * 2;
      const i64 right = left + 1;
      acc[left] = fma(ai, b0, acc[left]);
      acc[right] = fma(ai, b1, acc[right]);
    }
  }

  // epilogue: store the tile
#pragma GCC unroll 6
  for (int i = 0; i < 6; ++i) {
    float* pc = tile + i * ldc;
    const i64 left = i * 2;
    store(pc, acc[left]);
    store(pc + lanes, acc[left + 1]);
  }
}

extern "C" void matmul(const Arguments* args, i64 first, i64 last, int /*worker*/) {
  const float* a = args->a;
  const float* b = args->b;
  float* c = args->c;
  const i64 k_size = args->k_size;
  const i64 n_tiles = args->n_tiles;
  const i64 c_pitch = args->c_pitch;
  for (i64 p = first; p < last; ++p) {
    const i64 i = p / n_tiles;
    const i64 j = p % n_tiles;
    micro(k_size, a + i * k_size * mr, b + j * k_size * nr, c + i * mr * c_pitch + j * nr, c_pitch);
  }
}
