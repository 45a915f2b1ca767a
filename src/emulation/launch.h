// SPDX-License-Identifier: Apache-2.0
// What is run and what is found: a launch of an emulated kernel, and the report of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::emulation {

/// Order of threads and moment at which asynchronous copies land. ProducerLate with a random seed
/// caught every mutant of the target texts that any schedule caught; all of them at night.
enum class Schedule : std::uint8_t {
  RoundRobinEarly,
  RoundRobinLate,  // first come, first run
  Random1,
  Random2,  // random picks and yields, random landings
  ProducerLate,
  ConsumerEarly,  // threads that issued a load run first / last
  StarveEarly,
  StarveLate,  // one warp runs only if nothing else can
};
[[nodiscard]] std::span<const Schedule> all_schedules();
[[nodiscard]] std::string_view name(Schedule schedule);

struct Buffer {
  void* data = nullptr;  // of the caller; the kernel works on a guarded copy
  std::size_t bytes = 0;
  bool writable = false;  // copied back after the run
};

/// One kernel parameter: an address inside a buffer, or the bits of a number.
struct Argument {
  int buffer = -1;
  std::int64_t value = 0;  // byte offset, or the bits

  [[nodiscard]] static Argument pointer(int buffer, std::int64_t offset_bytes = 0) {
    return {buffer, offset_bytes};
  }
  [[nodiscard]] static Argument integer(std::int64_t value) { return {-1, value}; }
  [[nodiscard]] static Argument number(float value);
  [[nodiscard]] static Argument number(double value);
};

struct Launch {
  int grid_x = 1;
  int threads = 32;  // whole warps
  std::size_t dynamic_shared_bytes = 0;
  std::vector<Argument> arguments;
  std::vector<Buffer> buffers;
  std::vector<int> blocks;  // those to run; empty: all of the grid
  Schedule schedule = Schedule::ProducerLate;
  std::uint64_t seed = 1;
  double time_limit_s = 60;  // of processor time
};

enum class Kind : std::uint8_t {
  Race,            // two accesses of shared memory that no barrier orders
  Proxy,           // ordered, but without fence_async_shared between ordinary and bulk accesses
  NotWaited,       // touches the target of an asynchronous copy that was not waited for
  Uninitialised,   // reads shared memory that nobody wrote
  Bounds,          // outside every buffer, shared array or register array; ends the run
  ReadOnly,        // store to an input or a constant; ends the run
  Misaligned,      // address not a multiple of the access; ends the run
  Divergent,       // lanes of a warp, or threads of a block, at different collective operations
  Deadlock,        // nobody can go on
  BarrierCount,    // named barrier: id, count, whole warps, arriving twice
  CopyPending,     // cp_async not committed or not waited for at the thread's end
  StalePhase,      // a thread passes an mbarrier twice on one phase
  MbarrierInit,    // used before initialisation is ordered or fenced, or initialised twice
  MbarrierAccess,  // ordinary access to the bytes of an mbarrier
  MbarrierCount,   // more arrivals than the barrier counts
  ExpectBytes,     // bytes that land are not the bytes that were expected
  TimeLimit,       // still running; ends the run
};
[[nodiscard]] std::string_view name(Kind kind);

struct Finding {
  Kind kind = Kind::Race;
  std::string message;
  int line = 0;        // of the CUDA text; 0: none
  int other_line = 0;  // of the earlier access, where there is one
  int block = 0;
  std::vector<int> threads;  // of the block; the one that was running first
};

struct Report {
  std::vector<Finding> findings;  // each (kind, line, other line) once, in order of discovery
  std::int64_t accesses = 0, switches = 0;
  int blocks = 0;
  double wall_s = 0;
  [[nodiscard]] bool clean() const { return findings.empty(); }
  [[nodiscard]] bool has(Kind kind) const;
};

/// `race at line 12 (block 0, threads 5, 33): ...`, one finding a line.
[[nodiscard]] std::string text(const Report& report);

}  // namespace parhelion::emulation
