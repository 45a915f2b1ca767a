// SPDX-License-Identifier: Apache-2.0
// Ordinary accesses. A wrong address ends the run before the access is made.
#include "emulation/execution.h"

#include <fmt/format.h>

namespace parhelion::emulation {

namespace {
std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
const char* verb(bool write) { return write ? "store" : "load"; }
}  // namespace

void Execution::access(const void* pointer, u32 bytes, u32 flags, Place place) {
  ++accesses_;
  const bool write = (flags & access_write) != 0;
  if ((flags & access_unaligned) == 0 && number(pointer) % bytes != 0) misaligned(pointer, place);
  const std::uintptr_t offset = number(pointer) - number(arena_.get());
  if (offset < arena_bytes_) {
    if ((flags & access_global) != 0) {
      fatal(Kind::Bounds, place, "a global access to an address of shared memory");
    }
    shared_access(*current_, static_cast<u32>(offset), bytes, write, place);
    return;
  }
  if (const auto buffer = memory_.find(pointer, bytes)) {
    if (write && !memory_.writable(*buffer)) {
      fatal(Kind::ReadOnly, place, fmt::format("store to buffer {}, an input", *buffer));
    }
    return;
  }
  if (number(pointer) - number(bound_.image_low) <
      number(bound_.image_high) - number(bound_.image_low)) {
    if (write) fatal(Kind::ReadOnly, place, "store to a constant of the text");
    return;
  }
  fatal(Kind::Bounds, place,
        fmt::format("{} of {}", verb(write), memory_.describe(pointer, bytes)));
}

void Execution::misaligned(const void* pointer, Place place) {
  fatal(Kind::Misaligned, place,
        fmt::format("address ending in {:#x} is not aligned to the access", number(pointer) % 256));
}

void Execution::out_of_bounds(u64 index, Place place) {
  fatal(Kind::Bounds, place, fmt::format("index {} is outside the array", static_cast<i64>(index)));
}

// Shared addresses: the kernel's variables, and of the dynamic array as much as was launched with.
void Execution::check_shared_range(const Thread& thread, u32 at, u32 bytes, u32 alignment,
                                   Place place) {
  if (at % alignment != 0) {
    fatal(Kind::Misaligned, place,
          fmt::format("{} of thread {} is not a multiple of {}", findings_.image().shared_name(at),
                      thread.index(), alignment));
  }
  const u64 end = u64{at} + bytes, array = bound_.shared_offset;
  const u64 launched = array + launch_.dynamic_shared_bytes, after = array + bound_.shared_capacity;
  const bool in_variables = end <= array || (at >= after && end <= arena_bytes_);
  if (in_variables || (at >= array && end <= launched)) return;
  fatal(Kind::Bounds, place,
        fmt::format("{} bytes at {} of thread {}: the launch has {} bytes of dynamic shared memory",
                    bytes, findings_.image().shared_name(at), thread.index(),
                    launch_.dynamic_shared_bytes));
}

void Execution::shared_access(const Thread& thread, u32 at, u32 bytes, bool write, Place place) {
  check_shared_range(thread, at, bytes, 1, place);
  if (write) {
    shadow_.write(thread.accessor, at, bytes, place);
  } else {
    shadow_.read(thread.accessor, at, bytes, place);
  }
}

const unsigned char* Execution::check_global_source(const void* global, u32 bytes, u32 alignment,
                                                    Place place) {
  if (number(global) % alignment != 0) misaligned(global, place);
  if (bytes != 0 && !memory_.find(global, bytes)) {
    fatal(Kind::Bounds, place, fmt::format("copy of {}", memory_.describe(global, bytes)));
  }
  return static_cast<const unsigned char*>(global);
}

}  // namespace parhelion::emulation
