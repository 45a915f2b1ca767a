// SPDX-License-Identifier: Apache-2.0
// What CUDA's own compilers have built in, for g++: keywords, vector types, indices, functions of
// numbers. Text of a compile unit of the recipe. A shared variable is thread-local: its address is
// asked for through __tls_get_addr, which answers from the running block's arena.
#define __global__ __attribute__((noinline))
#define __device__
#define __constant__
#define __shared__ thread_local
#define __grid_constant__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

/// The line of the call, in every function that can stop a thread or report.
#define PH_HERE int line = __builtin_LINE()

#define PH_VECTOR2(name, type, bytes) \
  struct __align__(bytes) name {      \
    type x, y;                        \
  };                                  \
  inline name make_##name(type x, type y) { return {x, y}; }
#define PH_VECTOR4(name, type, bytes) \
  struct __align__(bytes) name {      \
    type x, y, z, w;                  \
  };                                  \
  inline name make_##name(type x, type y, type z, type w) { return {x, y, z, w}; }
PH_VECTOR2(uchar2, unsigned char, 2)
PH_VECTOR4(uchar4, unsigned char, 4)
PH_VECTOR2(ushort2, unsigned short, 4)
PH_VECTOR4(ushort4, unsigned short, 8)
PH_VECTOR2(int2, int, 8)
PH_VECTOR4(int4, int, 16)
PH_VECTOR2(uint2, unsigned, 8)
PH_VECTOR4(uint4, unsigned, 16)
PH_VECTOR2(float2, float, 8)
PH_VECTOR4(float4, float, 16)
PH_VECTOR2(double2, double, 16)
#undef PH_VECTOR2
#undef PH_VECTOR4

struct uint3 {
  unsigned x, y, z;
};
using dim3 = uint3;
// const: reads of them are not instrumented; the scheduler writes them.
extern const uint3 threadIdx, blockIdx, blockDim, gridDim;

extern "C" {
float fmaf(float, float, float);
float fmaxf(float, float);
float fminf(float, float);
double fma(double, double, double);
double fmax(double, double);
double fmin(double, double);
#define PH_FUNCTION(name) \
  float name##f(float);   \
  double name(double);
PH_FUNCTION(sqrt)
PH_FUNCTION(exp)
PH_FUNCTION(exp2)
PH_FUNCTION(log)
PH_FUNCTION(log2)
PH_FUNCTION(sin)
PH_FUNCTION(cos)
PH_FUNCTION(tanh)
PH_FUNCTION(erf)
PH_FUNCTION(fabs)
PH_FUNCTION(floor)
PH_FUNCTION(ceil)
#undef PH_FUNCTION
}
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }

#define PH_MIN_MAX(type)                                       \
  inline type min(type a, type b) { return b < a ? b : a; }    \
  inline type max(type a, type b) { return a < b ? b : a; }
PH_MIN_MAX(int)
PH_MIN_MAX(unsigned)
PH_MIN_MAX(long long)
PH_MIN_MAX(unsigned long long)
#undef PH_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }

inline float __uint_as_float(unsigned bits) { return __builtin_bit_cast(float, bits); }
inline float __int_as_float(int bits) { return __builtin_bit_cast(float, bits); }
inline unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
inline int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x)); }
inline int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

/// Casts each argument from its slot, left to right: any kernel signature is called. Reading the
/// slots is the host's business, so they are not instrumented.
template <class... A>
struct Invocation {
  Invocation(void (*kernel)(A...), A... arguments) { kernel(arguments...); }
};
template <class... A>
__attribute__((no_sanitize("thread"))) void invoke(void (*kernel)(A...), void** slots) {
  int i = 0;
  (void)Invocation<A...>{kernel, *static_cast<A*>(slots[i++])...};
}
