// SPDX-License-Identifier: Apache-2.0
#include "emulation/guarded_memory.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <sys/mman.h>
#include <cstring>

namespace parhelion::emulation {

namespace {
// Address space only. Wider than a 32-bit offset gone wrong by a row or a tile; every access is
// checked before it is made, so nothing needs to fault.
constexpr std::size_t guard = std::size_t{64} << 20;
constexpr std::size_t page = 4096;

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
}  // namespace

GuardedMemory::GuardedMemory(const std::vector<Buffer>& buffers) {
  for (const Buffer& buffer : buffers) {
    // The copy keeps the alignment that the caller's pointer has, up to a page.
    const std::size_t skew = number(buffer.data) % page;
    const std::size_t body = (skew + buffer.bytes + page - 1) / page * page;
    const std::size_t bytes = body + 2 * guard;
    void* mapped =
        mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    PH_ASSERT(mapped != MAP_FAILED, "no address space for the emulated buffers");
    auto* base = static_cast<unsigned char*>(mapped);
    if (body != 0) mprotect(base + guard, body, PROT_READ | PROT_WRITE);
    regions_.push_back({base, bytes, base + guard + skew, buffer});
    if (buffer.bytes != 0) std::memcpy(regions_.back().begin, buffer.data, buffer.bytes);
  }
}

GuardedMemory::~GuardedMemory() {
  for (const Region& region : regions_) munmap(region.mapped, region.mapped_bytes);
}

unsigned char* GuardedMemory::address(int buffer) const {
  return regions_[static_cast<std::size_t>(buffer)].begin;
}

bool GuardedMemory::writable(int buffer) const {
  return regions_[static_cast<std::size_t>(buffer)].of.writable;
}

std::optional<int> GuardedMemory::find(const void* pointer, std::size_t bytes) {
  for (std::size_t tried = 0; tried < regions_.size(); ++tried) {
    const Region& region = regions_[last_];
    const std::uintptr_t offset = number(pointer) - number(region.begin);
    if (offset < region.of.bytes && bytes <= region.of.bytes - offset) {
      return static_cast<int>(last_);
    }
    last_ = last_ + 1 == regions_.size() ? 0 : last_ + 1;
  }
  return std::nullopt;
}

const std::string& GuardedMemory::describe(const void* pointer, std::size_t bytes) {
  description_ = fmt::format("{} bytes at {:#x}, which is in no buffer", bytes, number(pointer));
  for (std::size_t i = 0; i < regions_.size(); ++i) {
    const Region& region = regions_[i];
    if (number(pointer) - number(region.mapped) >= region.mapped_bytes) continue;
    description_ = fmt::format("{} bytes at offset {} of buffer {}, which has {} bytes", bytes,
                               static_cast<std::ptrdiff_t>(number(pointer) - number(region.begin)),
                               i, region.of.bytes);
  }
  return description_;
}

void GuardedMemory::copy_back() const {
  for (const Region& region : regions_) {
    if (region.of.writable && region.of.bytes != 0) {
      std::memcpy(region.of.data, region.begin, region.of.bytes);
    }
  }
}

}  // namespace parhelion::emulation
