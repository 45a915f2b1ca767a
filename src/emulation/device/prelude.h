// SPDX-License-Identifier: Apache-2.0
// The device prelude for the emulation: the same wrappers with the same signatures (target/
// prelude.def). PH_DEVICE bodies are arithmetic; PH_RUNTIME functions live in the stub. Text of a
// compile unit of the recipe.
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;

#define PH_DEVICE inline
#define PH_RUNTIME

// ---- CUDA's collective functions: the numbers are parhelion::emulation::WarpKind
namespace device {
void warp_sync(u32 mask, int line);
void shuffle(u32 kind, u32 mask, u32 argument, u32* value, u32 words, int line);
void access(const void* pointer, u32 bytes, bool write, int line);
void copy(u32 to, const void* from, u32 bytes, u32 source_bytes, int line);
void copy_wait(u32 pending, int line);

template <class T>
inline T exchange(u32 kind, u32 mask, T value, int operand, int width, int line) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  u32 words[1 + sizeof(T) / 4] = {static_cast<u32>(operand)};
  __builtin_memcpy(words + 1, &value, sizeof(T));
  const u32 step = kind == 1 ? 0 : static_cast<u32>(operand);  // the source lane may differ
  shuffle(kind, mask, step << 8 | static_cast<u32>(width), words, 1 + sizeof(T) / 4, line);
  __builtin_memcpy(&value, words + 1, sizeof(T));
  return value;
}
inline u32 vote(u32 kind, u32 mask, bool predicate, int line) {
  u32 word = predicate;
  shuffle(kind, mask, 0, &word, 1, line);
  return word;
}
}  // namespace device

void sync_threads(int line);
inline void __syncthreads(PH_HERE) { sync_threads(line); }
inline void __syncwarp(u32 mask = 0xffffffffu, PH_HERE) { device::warp_sync(mask, line); }
template <class T>
inline T __shfl_sync(u32 mask, T value, int source, int width = 32, PH_HERE) {
  return device::exchange(1, mask, value, source, width, line);
}
template <class T>
inline T __shfl_up_sync(u32 mask, T value, unsigned step, int width = 32, PH_HERE) {
  return device::exchange(2, mask, value, static_cast<int>(step), width, line);
}
template <class T>
inline T __shfl_down_sync(u32 mask, T value, unsigned step, int width = 32, PH_HERE) {
  return device::exchange(3, mask, value, static_cast<int>(step), width, line);
}
template <class T>
inline T __shfl_xor_sync(u32 mask, T value, int step, int width = 32, PH_HERE) {
  return device::exchange(4, mask, value, step, width, line);
}
inline int __any_sync(u32 mask, int p, PH_HERE) {
  return static_cast<int>(device::vote(7, mask, p != 0, line));
}
inline int __all_sync(u32 mask, int p, PH_HERE) {
  return static_cast<int>(device::vote(8, mask, p != 0, line));
}
inline u32 __ballot_sync(u32 mask, int p, PH_HERE) { return device::vote(9, mask, p != 0, line); }

// ---- indices
PH_RUNTIME u32 shared_address(const void* pointer);
PH_DEVICE int lane_id() { return static_cast<int>(threadIdx.x & 31); }
PH_RUNTIME int uniform(int value, PH_HERE);
PH_DEVICE int warp_id(PH_HERE) { return uniform(static_cast<int>(threadIdx.x / 32), line); }
PH_RUNTIME bool elect_one(PH_HERE);
PH_DEVICE void dependents_launch() {}
PH_DEVICE void dependency_wait() {}

// ---- numbers
namespace device {
inline float flushed(float x) {
  return fabsf(x) < 0x1p-126f ? __builtin_copysignf(0.0f, x) : x;
}
/// The NaN that the instructions return.
inline float canonical_nan() { return __uint_as_float(0x7fffffffu); }
inline float larger(float a, float b) {
  if (a == b) return __builtin_signbit(a) ? b : a;  // +0 is larger than -0
  return a < b ? b : a;
}
inline float smaller(float a, float b) {
  if (a == b) return __builtin_signbit(a) ? a : b;
  return a < b ? a : b;
}
}  // namespace device

PH_DEVICE float exp2_approx(float x) { return device::flushed(exp2f(device::flushed(x))); }
PH_DEVICE float log2_approx(float x) { return log2f(device::flushed(x)); }
PH_DEVICE float log2_approx_denormal(float x) { return log2f(x); }
PH_DEVICE float rcp_approx(float x) { return device::flushed(1.0f / device::flushed(x)); }
PH_DEVICE float rsqrt_approx(float x) { return 1.0f / sqrtf(device::flushed(x)); }
PH_DEVICE float sqrt_approx(float x) { return sqrtf(device::flushed(x)); }
PH_DEVICE float tanh_approx(float x) { return tanhf(x); }
PH_DEVICE float fma_f32(float a, float b, float c) { return fmaf(a, b, c); }
PH_DEVICE float max_nan(float a, float b) {
  return a != a || b != b ? device::canonical_nan() : device::larger(a, b);
}
PH_DEVICE float min_nan(float a, float b) {
  return a != a || b != b ? device::canonical_nan() : device::smaller(a, b);
}

// ---- 16-bit floats
PH_DEVICE float from_bf16(u16 bits) { return __uint_as_float(static_cast<u32>(bits) << 16); }
PH_DEVICE u16 to_bf16(float x) {
  const u32 bits = __float_as_uint(x);
  return static_cast<u16>(x != x ? 0x7fffu : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}
PH_DEVICE float low_bf16(u32 pair) { return __uint_as_float(pair << 16); }
PH_DEVICE float high_bf16(u32 pair) { return __uint_as_float(pair & 0xffff0000u); }
PH_DEVICE float low_bf16_again(u32 pair) { return low_bf16(pair); }
PH_DEVICE float high_bf16_again(u32 pair) { return high_bf16(pair); }
PH_DEVICE u32 pack_bf16(float low, float high) {
  return to_bf16(low) | static_cast<u32>(to_bf16(high)) << 16;
}
PH_DEVICE u32 max_bf16x2(u32 a, u32 b) {
  return pack_bf16(max_nan(low_bf16(a), low_bf16(b)), max_nan(high_bf16(a), high_bf16(b)));
}
PH_DEVICE u32 min_bf16x2(u32 a, u32 b) {
  return pack_bf16(min_nan(low_bf16(a), low_bf16(b)), min_nan(high_bf16(a), high_bf16(b)));
}
PH_DEVICE float from_f16(u16 bits) {
  const u32 magnitude = (bits & 0x7fffu) << 13, sign = (bits & 0x8000u) << 16;
  // 2^112 moves the exponent's bias from 15 to 127, denormals included.
  const float scaled = __uint_as_float(magnitude) * 0x1p112f;
  const u32 finite = __float_as_uint(scaled);
  return __uint_as_float(sign | ((bits & 0x7c00u) == 0x7c00u ? 0x7f800000u | magnitude : finite));
}
PH_DEVICE u16 to_f16(float x) {
  const u32 bits = __float_as_uint(x), magnitude = bits & 0x7fffffffu;
  const u32 sign = bits >> 16 & 0x8000u;
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x477ff000u) return static_cast<u16>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {  // denormal: adding 0.5 rounds at 2^-24
    const float rounded = __uint_as_float(magnitude) + 0.5f;
    return static_cast<u16>(sign | (__float_as_uint(rounded) - 0x3f000000u));
  }
  const u32 rounded = magnitude + 0xfffu + (magnitude >> 13 & 1);
  return static_cast<u16>(sign | (rounded - 0x38000000u) >> 13);
}
PH_DEVICE float low_f16(u32 pair) { return from_f16(static_cast<u16>(pair)); }
PH_DEVICE float high_f16(u32 pair) { return from_f16(static_cast<u16>(pair >> 16)); }
PH_DEVICE u32 pack_f16(float low, float high) {
  return to_f16(low) | static_cast<u32>(to_f16(high)) << 16;
}
PH_DEVICE u32 max_f16x2(u32 a, u32 b) {
  return pack_f16(max_nan(low_f16(a), low_f16(b)), max_nan(high_f16(a), high_f16(b)));
}
PH_DEVICE u32 min_f16x2(u32 a, u32 b) {
  return pack_f16(min_nan(low_f16(a), low_f16(b)), min_nan(high_f16(a), high_f16(b)));
}

// ---- global memory
namespace device {
template <class T>
__attribute__((no_sanitize("thread"))) inline T load(const T* pointer, int line) {
  access(pointer, sizeof(T), false, line);
  return *pointer;
}
template <class T>
__attribute__((no_sanitize("thread"))) inline void store(T* pointer, T v, int line) {
  access(pointer, sizeof(T), true, line);
  *pointer = v;
}
}  // namespace device
PH_DEVICE u16 load_once(const u16* pointer, PH_HERE) { return device::load(pointer, line); }
PH_DEVICE u32 load_once(const u32* pointer, PH_HERE) { return device::load(pointer, line); }
PH_DEVICE float load_once(const float* pointer, PH_HERE) { return device::load(pointer, line); }
PH_DEVICE uint2 load_once(const uint2* pointer, PH_HERE) { return device::load(pointer, line); }
PH_DEVICE float2 load_once(const float2* pointer, PH_HERE) { return device::load(pointer, line); }
PH_DEVICE uint4 load_once(const uint4* pointer, PH_HERE) { return device::load(pointer, line); }
PH_DEVICE float4 load_once(const float4* pointer, PH_HERE) { return device::load(pointer, line); }
PH_DEVICE void store_once(u16* pointer, u16 v, PH_HERE) { device::store(pointer, v, line); }
PH_DEVICE void store_once(u32* pointer, u32 v, PH_HERE) { device::store(pointer, v, line); }
PH_DEVICE void store_once(float* pointer, float v, PH_HERE) { device::store(pointer, v, line); }
PH_DEVICE void store_once(uint2* pointer, uint2 v, PH_HERE) { device::store(pointer, v, line); }
PH_DEVICE void store_once(float2* pointer, float2 v, PH_HERE) { device::store(pointer, v, line); }
PH_DEVICE void store_once(uint4* pointer, uint4 v, PH_HERE) { device::store(pointer, v, line); }
PH_DEVICE void store_once(float4* pointer, float4 v, PH_HERE) { device::store(pointer, v, line); }

// ---- barriers, copies, matrix fragments
PH_RUNTIME void named_sync(int id, int threads, PH_HERE);
PH_RUNTIME void named_arrive(int id, int threads, PH_HERE);
template <int bytes> PH_DEVICE void cp_async(u32 shared, const void* global, u32 source_bytes,
                                             PH_HERE) {
  static_assert(bytes == 4 || bytes == 8 || bytes == 16);
  device::copy(shared, global, bytes, source_bytes, line);
}
PH_RUNTIME void cp_async_commit(PH_HERE);
template <int pending> PH_DEVICE void cp_async_wait(PH_HERE) { device::copy_wait(pending, line); }
PH_RUNTIME void mbarrier_init(u32 barrier, int arrivals, PH_HERE);
PH_RUNTIME void mbarrier_init_fence(PH_HERE);
PH_RUNTIME void mbarrier_arrive(u32 barrier, PH_HERE);
PH_RUNTIME void mbarrier_expect(u32 barrier, u32 bytes, PH_HERE);
PH_RUNTIME void mbarrier_wait(u32 barrier, u32 parity, PH_HERE);
PH_RUNTIME void fence_async_shared(PH_HERE);
PH_RUNTIME void bulk_load(u32 shared, const void* global, u32 bytes, u32 barrier, PH_HERE);
PH_RUNTIME void load_matrix_x4(u32& a, u32& b, u32& c, u32& d, u32 shared, PH_HERE);
PH_RUNTIME void load_matrix_x4_trans(u32& a, u32& b, u32& c, u32& d, u32 shared, PH_HERE);
PH_RUNTIME void store_matrix_x4(u32 shared, u32 a, u32 b, u32 c, u32 d, PH_HERE);
PH_RUNTIME void mma_m16n8k16_f16(float& d0, float& d1, float& d2, float& d3, u32 a0, u32 a1, u32 a2,
                                 u32 a3, u32 b0, u32 b1, PH_HERE);
PH_RUNTIME void mma_m16n8k16_bf16(float& d0, float& d1, float& d2, float& d3, u32 a0, u32 a1,
                                  u32 a2, u32 a3, u32 b0, u32 b1, PH_HERE);
