// softmax | parhelion 0.1 | x86-64-v3
// block[a0]=1 simd=32 strip[a1]=4 reduce[a1]=row(out) | ir 9f3c21
//   v = load x[rows, :] as f32;  e = exp(v - amax(v, 1));  store out[rows, :] = e / sum(e, 1)
using i64 = long;
using u32 = unsigned int;
typedef float f32x4 __attribute__((vector_size(16)));
typedef float f32x8 __attribute__((vector_size(32)));
typedef float f32x8_u __attribute__((vector_size(32), aligned(4), may_alias));
typedef int i32x8 __attribute__((vector_size(32)));
typedef u32 u32x8 __attribute__((vector_size(32)));

static inline f32x8 splat(float x) { return x - f32x8{}; }
static inline f32x8 load(const float* p) { return *(const f32x8_u*)p; }
static inline f32x8 max_number(f32x8 a, f32x8 b) { return __builtin_ia32_maxps256(a, b); }
static inline i64 min(i64 a, i64 b) { return a < b ? a : b; }

static inline f32x8 load_first(const float* p, i64 count, float other) {
  const i32x8 mask = i32x8{0, 1, 2, 3, 4, 5, 6, 7} < (int)count;
  const f32x8 v = __builtin_ia32_maskloadps256((const f32x8*)p, mask);
  return mask ? v : splat(other);
}

static inline f32x4 max_number(f32x4 a, f32x4 b) { return __builtin_ia32_maxps(a, b); }

static inline float fold_max_number(f32x4 v) {
  const f32x4 w = max_number(v, __builtin_shufflevector(v, v, 2, 3, 2, 3));
  return max_number(w, __builtin_shufflevector(w, w, 1, 1, 1, 1))[0];
}

static inline float fold_max_number(f32x8 v) {
  struct Halves {
    f32x4 low, high;
  };
  const auto h = __builtin_bit_cast(Halves, v);
  return fold_max_number(max_number(h.low, h.high));
}

static inline f32x8 fma(f32x8 a, f32x8 b, f32x8 c) { return __builtin_ia32_vfmaddps256(a, b, c); }

// exp(r) for |r| <= 0.3466.
static inline f32x8 exp_polynomial(f32x8 r) {
  f32x8 p = fma(splat(1.37805939e-3f), r, splat(8.37312452e-3f));
  p = fma(p, r, splat(4.16695364e-2f));
  p = fma(p, r, splat(1.66664720e-1f));
  p = fma(p, r, splat(4.99999851e-1f));
  p = fma(p, r, splat(1.0f));
  return fma(p, r, splat(1.0f));
}

// For -104 <= x <= 0 or NaN. The magic number is 191 larger, so that the low bits of t are the
// exponent of 2^(n + 64), which stays normal; the last product rounds once, denormals too.
static inline f32x8 exp_down(f32x8 x) {
  const f32x8 magic = splat(12583103.0f);
  const f32x8 t = fma(x, splat(0x1.715476p0f), magic);
  const f32x8 n = t - magic;
  const f32x8 r = fma(n, splat(-1.42860677e-6f), fma(n, splat(-0.693145752f), x));
  const f32x8 scale = __builtin_bit_cast(f32x8, __builtin_bit_cast(u32x8, t) << 23);
  return exp_polynomial(r) * scale * splat(0x1p-64f);
}

static inline f32x8 exp_nonpositive(f32x8 x) { return exp_down(max_number(splat(-104.0f), x)); }
static inline void store(float* p, f32x8 v) { *(f32x8_u*)p = v; }

static inline void store_first(float* p, i64 count, f32x8 v) {
  const i32x8 mask = i32x8{0, 1, 2, 3, 4, 5, 6, 7} < (int)count;
  __builtin_ia32_maskstoreps256((f32x8*)p, mask, v);
}

static inline float fold_add(f32x4 v) {
  const f32x4 w = v + __builtin_shufflevector(v, v, 2, 3, 2, 3);
  return w[0] + w[1];
}

static inline float fold_add(f32x8 v) {
  struct Halves {
    f32x4 low, high;
  };
  const auto h = __builtin_bit_cast(Halves, v);
  return fold_add(h.low + h.high);
}

constexpr int lanes = 8;
constexpr int strip = 32;  // four accumulators a lane

struct Arguments {
  const float* x;
  float* out;
  i64 n;
  i64 x_pitch;
  i64 out_pitch;
};

extern "C" void softmax(const Arguments* args, i64 first, i64 last, int /*worker*/) {
  const float* x = args->x;
  float* out = args->out;
  const i64 n = args->n;
  const i64 x_pitch = args->x_pitch;
  const i64 out_pitch = args->out_pitch;
  const i64 n_strips = n / strip * strip;
  for (i64 row = first; row < last; ++row) {
    const float* x_row = x + row * x_pitch;
    float* out_row = out + row * out_pitch;

    // pass 1: maximum of the row
    const f32x8 lowest = splat(-__builtin_inff());
    f32x8 m[4] = {lowest, lowest, lowest, lowest};
    for (i64 j = 0; j < n_strips; j += strip) {
#pragma GCC unroll 4
      for (int u = 0; u < 4; ++u) {
        m[u] = max_number(m[u], load(x_row + j + u * lanes));
      }
    }
    for (i64 j = n_strips; j < n; j += lanes) {
      const f32x8 v = load_first(x_row + j, min(n - j, lanes), -__builtin_inff());
      m[0] = max_number(m[0], v);
    }
    const f32x8 m03 = max_number(max_number(m[0], m[1]), max_number(m[2], m[3]));
    const f32x8 top = splat(fold_max_number(m03));

    // pass 2: e = exp(v - max) into the output row (it stays in cache), and its sum
    const f32x8 none = splat(0.0f);
    f32x8 s[4] = {none, none, none, none};
    for (i64 j = 0; j < n_strips; j += strip) {
#pragma GCC unroll 4
      for (int u = 0; u < 4; ++u) {
        const i64 at = j + u * lanes;
        const f32x8 e = exp_nonpositive(load(x_row + at) - top);
        s[u] += e;
        store(out_row + at, e);
      }
    }
    for (i64 j = n_strips; j < n; j += lanes) {
      const i64 count = min(n - j, lanes);
      const f32x8 e = exp_nonpositive(load_first(x_row + j, count, -__builtin_inff()) - top);
      s[0] += e;
      store_first(out_row + j, count, e);
    }
    const f32x8 scale = splat(1.0f / fold_add(s[0] + s[1] + (s[2] + s[3])));

    // pass 3: out = e * (1 / sum)
    for (i64 j = 0; j < n_strips; j += strip) {
#pragma GCC unroll 4
      for (int u = 0; u < 4; ++u) {
        float* q = out_row + j + u * lanes;
        store(q, load(q) * scale);
      }
    }
    for (i64 j = n_strips; j < n; j += lanes) {
      const i64 count = min(n - j, lanes);
      float* q = out_row + j;
      store_first(q, count, load_first(q, count, 0.0f) * scale);
    }
  }
}
