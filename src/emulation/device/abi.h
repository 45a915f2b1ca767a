// SPDX-License-Identifier: Apache-2.0
// What passes between a compiled text and the emulation: two tables of pointers, and no symbol. The
// host includes this file; the stub that every text is linked with is compiled from the same bytes.
#pragma once

namespace parhelion::emulation {

using u32 = unsigned int;
using u64 = unsigned long long;
using i64 = long long;

/// A place in the text: a line, or with the top bit an offset of code in the library.
using Place = u32;
inline constexpr Place code_place = 0x80000000u;

enum AccessFlag : u32 {
  access_write = 1,
  access_global = 2,     // must be global memory (load_once, store_once)
  access_unaligned = 4,  // the access itself demands no alignment
};

/// What the lanes of a warp do together. The first row orders memory; the rest does not.
enum class WarpKind : u32 {
  Sync,
  ShuffleIdx, ShuffleUp, ShuffleDown, ShuffleXor,
  Uniform, Elect, VoteAny, VoteAll, Ballot,
  LoadMatrix, LoadMatrixTrans, StoreMatrix,
  MmaF16, MmaBf16,
};
inline constexpr u32 warp_words = 10;  // most 32-bit words that a lane brings or takes

struct WarpCall {
  WarpKind kind;
  u32 mask;
  u32 argument;  // step and width of a shuffle: equal in all lanes
  u32 words;     // of `value` that are in use
  u32* value;    // in: the lane's operands; out: its results
};

struct Position {
  u32 x, y, z;
};

/// Functions of the emulation; `self` is the running launch.
struct Hooks {
  void* self;
  void (*access)(void* self, const void* pointer, u32 bytes, u32 flags, Place place);
  void (*misaligned)(void* self, const void* pointer, Place place);
  void (*out_of_bounds)(void* self, u64 index, Place place);
  void (*refuel)(void* self, Place place);
  void (*warp)(void* self, const WarpCall* call, Place place);
  void (*sync_threads)(void* self, Place place);
  void (*named)(void* self, u32 id, u32 threads, bool wait, Place place);
  void (*copy)(void* self, u32 shared, const void* global, u32 bytes, u32 source_bytes,
               Place place);
  void (*copy_commit)(void* self, Place place);
  void (*copy_wait)(void* self, u32 pending, Place place);
  void (*mbarrier_init)(void* self, u32 barrier, u32 arrivals, Place place);
  void (*mbarrier_init_fence)(void* self, Place place);
  void (*mbarrier_arrive)(void* self, u32 barrier, u32 expected_bytes, Place place);
  void (*mbarrier_wait)(void* self, u32 barrier, u32 parity, Place place);
  void (*fence_async)(void* self, Place place);
  void (*bulk_load)(void* self, u32 shared, const void* global, u32 bytes, u32 barrier,
                    Place place);
};

/// Variables of the library that the scheduler writes before it lets a thread go on.
struct State {
  unsigned char* arena;           // shared memory of the running thread's block
  unsigned long stack_low;        // accesses to the thread's own stack are not reported
  unsigned long stack_bytes;
  i64 fuel;                       // basic blocks until `refuel` is called
};

/// What the library tells when it is bound.
struct Bound {
  State* state;
  Position *thread_index, *block_index, *block_size, *grid_size;
  const unsigned char *image_low, *image_high;  // code, constants and statics of the library
  u32 shared_offset;                            // of the dynamic array in the arena
  u32 shared_capacity;                          // its size in the library
};

using BindFunction = void(const Hooks* hooks, Bound* bound);
using CallFunction = void(void** arguments);

}  // namespace parhelion::emulation
