// SPDX-License-Identifier: Apache-2.0
// Linked with every text: defines what the instrumented code calls, and hands it to the hooks. Text
// of a compile unit of the recipe, never part of Parhelion's own build. No symbol but
// emulation_bind leaves the library, so a sanitizer of the host is not touched.
using namespace parhelion::emulation;

extern "C" {
extern const unsigned char __ehdr_start __attribute__((visibility("hidden")));
extern const unsigned char _end __attribute__((visibility("hidden")));
}

// The dynamic array of all texts. 1024: what a text may ask for by __align__.
alignas(1024) thread_local unsigned char shared[232448];
Position threadIdx, blockIdx, blockDim, gridDim;

namespace {
const Hooks* hooks;
// Fuel from the start: constructors of instrumented units run before the library is bound.
State state = {nullptr, 0, 0, 1 << 20};

Place place_of(const void* return_address) {
  const auto* at = static_cast<const unsigned char*>(return_address);
  return code_place | static_cast<u32>(at - 1 - &__ehdr_start);
}

bool own_stack(const void* pointer) {
  return reinterpret_cast<unsigned long>(pointer) - state.stack_low < state.stack_bytes;
}

void warp(WarpKind kind, u32 mask, u32 argument, u32* value, u32 words, int line) {
  const WarpCall call{kind, mask, argument, words, value};
  hooks->warp(hooks->self, &call, static_cast<Place>(line));
}
}  // namespace

// ---- what the compiler calls
extern "C" {

struct Index {
  unsigned long module, offset;
};
void* __tls_get_addr(Index* index) { return state.arena + index->offset; }

#define ACCESS(name, bytes, flags)                                                       \
  void name(void* pointer) {                                                             \
    if (own_stack(pointer)) return;                                                      \
    hooks->access(hooks->self, pointer, bytes, flags, place_of(__builtin_return_address(0))); \
  }
ACCESS(__tsan_read1, 1, 0)
ACCESS(__tsan_read2, 2, 0)
ACCESS(__tsan_read4, 4, 0)
ACCESS(__tsan_read8, 8, 0)
ACCESS(__tsan_read16, 16, 0)
ACCESS(__tsan_unaligned_read2, 2, access_unaligned)
ACCESS(__tsan_unaligned_read4, 4, access_unaligned)
ACCESS(__tsan_unaligned_read8, 8, access_unaligned)
ACCESS(__tsan_unaligned_read16, 16, access_unaligned)
ACCESS(__tsan_write1, 1, access_write)
ACCESS(__tsan_write2, 2, access_write)
ACCESS(__tsan_write4, 4, access_write)
ACCESS(__tsan_write8, 8, access_write)
ACCESS(__tsan_write16, 16, access_write)
ACCESS(__tsan_unaligned_write2, 2, access_write | access_unaligned)
ACCESS(__tsan_unaligned_write4, 4, access_write | access_unaligned)
ACCESS(__tsan_unaligned_write8, 8, access_write | access_unaligned)
ACCESS(__tsan_unaligned_write16, 16, access_write | access_unaligned)
#undef ACCESS

#define RANGE(name, flags)                                                          \
  void name(void* pointer, unsigned long bytes) {                                   \
    if (own_stack(pointer)) return;                                                 \
    hooks->access(hooks->self, pointer, static_cast<u32>(bytes), flags,             \
                  place_of(__builtin_return_address(0)));                           \
  }
RANGE(__tsan_read_range, access_unaligned)
RANGE(__tsan_write_range, access_write | access_unaligned)
#undef RANGE

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

void __sanitizer_cov_trace_pc() {
  if (--state.fuel < 0) {
    hooks->refuel(hooks->self, place_of(__builtin_return_address(0)));
  }
}

struct SourceLocation {
  const char* file;
  u32 line, column;
};
struct TypeMismatch {
  SourceLocation where;
};
void __ubsan_handle_type_mismatch_v1(TypeMismatch* mismatch, unsigned long pointer) {
  hooks->misaligned(hooks->self, reinterpret_cast<void*>(pointer), mismatch->where.line);
}
void __ubsan_handle_out_of_bounds(TypeMismatch* access, unsigned long index) {
  hooks->out_of_bounds(hooks->self, index, access->where.line);
}

__attribute__((visibility("default"))) void emulation_bind(const Hooks* table, Bound* bound) {
  hooks = table;
  state.arena = nullptr;  // a thread_local then has its offset as address
  bound->state = &state;
  bound->thread_index = &threadIdx;
  bound->block_index = &blockIdx;
  bound->block_size = &blockDim;
  bound->grid_size = &gridDim;
  bound->image_low = &__ehdr_start;
  bound->image_high = &_end;
  const unsigned char* volatile array = shared;
  bound->shared_offset = static_cast<u32>(reinterpret_cast<unsigned long>(array));
  bound->shared_capacity = sizeof(shared);
}

}  // extern "C"

// ---- what the text's prelude declares
u32 shared_address(const void* pointer) {
  return static_cast<u32>(static_cast<const unsigned char*>(pointer) - state.arena);
}

namespace device {
void warp_sync(u32 mask, int line) { warp(WarpKind::Sync, mask, 0, nullptr, 0, line); }
void shuffle(u32 kind, u32 mask, u32 argument, u32* value, u32 words, int line) {
  warp(static_cast<WarpKind>(kind), mask, argument, value, words, line);
}
void access(const void* pointer, u32 bytes, bool write, int line) {
  hooks->access(hooks->self, pointer, bytes, access_global | (write ? u32{access_write} : 0u),
                static_cast<Place>(line));
}
void copy(u32 to, const void* from, u32 bytes, u32 source_bytes, int line) {
  hooks->copy(hooks->self, to, from, bytes, source_bytes, static_cast<Place>(line));
}
void copy_wait(u32 pending, int line) {
  hooks->copy_wait(hooks->self, pending, static_cast<Place>(line));
}
}  // namespace device

int uniform(int value, int line) {
  u32 word = static_cast<u32>(value);
  warp(WarpKind::Uniform, 0xffffffffu, 0, &word, 1, line);
  return static_cast<int>(word);
}
bool elect_one(int line) {
  u32 chosen = 0;
  warp(WarpKind::Elect, 0xffffffffu, 0, &chosen, 1, line);
  return chosen != 0;
}
void sync_threads(int line) { hooks->sync_threads(hooks->self, static_cast<Place>(line)); }
void named_sync(int id, int threads, int line) {
  hooks->named(hooks->self, static_cast<u32>(id), static_cast<u32>(threads), true,
               static_cast<Place>(line));
}
void named_arrive(int id, int threads, int line) {
  hooks->named(hooks->self, static_cast<u32>(id), static_cast<u32>(threads), false,
               static_cast<Place>(line));
}
void cp_async_commit(int line) { hooks->copy_commit(hooks->self, static_cast<Place>(line)); }

void mbarrier_init(u32 barrier, int arrivals, int line) {
  hooks->mbarrier_init(hooks->self, barrier, static_cast<u32>(arrivals), static_cast<Place>(line));
}
void mbarrier_init_fence(int line) {
  hooks->mbarrier_init_fence(hooks->self, static_cast<Place>(line));
}
void mbarrier_arrive(u32 barrier, int line) {
  hooks->mbarrier_arrive(hooks->self, barrier, 0, static_cast<Place>(line));
}
void mbarrier_expect(u32 barrier, u32 bytes, int line) {
  hooks->mbarrier_arrive(hooks->self, barrier, bytes, static_cast<Place>(line));
}
void mbarrier_wait(u32 barrier, u32 parity, int line) {
  hooks->mbarrier_wait(hooks->self, barrier, parity, static_cast<Place>(line));
}
void fence_async_shared(int line) { hooks->fence_async(hooks->self, static_cast<Place>(line)); }
void bulk_load(u32 to, const void* from, u32 bytes, u32 barrier, int line) {
  hooks->bulk_load(hooks->self, to, from, bytes, barrier, static_cast<Place>(line));
}

namespace {
void load_matrix(WarpKind kind, u32& a, u32& b, u32& c, u32& d, u32 address, int line) {
  u32 words[4] = {address, 0, 0, 0};
  warp(kind, 0xffffffffu, 0, words, 4, line);
  a = words[0];
  b = words[1];
  c = words[2];
  d = words[3];
}
void mma(WarpKind kind, float& d0, float& d1, float& d2, float& d3, const u32 (&operands)[6],
         int line) {
  u32 words[warp_words];
  for (int i = 0; i < 6; ++i) words[i] = operands[i];
  const float accumulators[4] = {d0, d1, d2, d3};
  __builtin_memcpy(words + 6, accumulators, sizeof(accumulators));
  warp(kind, 0xffffffffu, 0, words, warp_words, line);
  float sums[4];
  __builtin_memcpy(sums, words, sizeof(sums));
  d0 = sums[0];
  d1 = sums[1];
  d2 = sums[2];
  d3 = sums[3];
}
}  // namespace

void load_matrix_x4(u32& a, u32& b, u32& c, u32& d, u32 address, int line) {
  load_matrix(WarpKind::LoadMatrix, a, b, c, d, address, line);
}
void load_matrix_x4_trans(u32& a, u32& b, u32& c, u32& d, u32 address, int line) {
  load_matrix(WarpKind::LoadMatrixTrans, a, b, c, d, address, line);
}
void store_matrix_x4(u32 address, u32 a, u32 b, u32 c, u32 d, int line) {
  u32 words[5] = {address, a, b, c, d};
  warp(WarpKind::StoreMatrix, 0xffffffffu, 0, words, 5, line);
}
void mma_m16n8k16_f16(float& d0, float& d1, float& d2, float& d3, u32 a0, u32 a1, u32 a2, u32 a3,
                      u32 b0, u32 b1, int line) {
  mma(WarpKind::MmaF16, d0, d1, d2, d3, {a0, a1, a2, a3, b0, b1}, line);
}
void mma_m16n8k16_bf16(float& d0, float& d1, float& d2, float& d3, u32 a0, u32 a1, u32 a2, u32 a3,
                       u32 b0, u32 b1, int line) {
  mma(WarpKind::MmaBf16, d0, d1, d2, d3, {a0, a1, a2, a3, b0, b1}, line);
}
