// SPDX-License-Identifier: Apache-2.0
#include "runtime/shared_memory.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace parhelion::runtime {

namespace {
std::unexpected<Diagnostics> refuse(std::string_view what) {
  return fail(8704, fmt::format("shared memory: {}: {}", what, std::strerror(errno)));
}
}  // namespace

Result<SharedMemory> SharedMemory::create(std::size_t bytes) {
  SharedMemory memory;
  memory.descriptor_ = memfd_create("parhelion-tensors", MFD_CLOEXEC);
  memory.owned_ = true;
  if (memory.descriptor_ < 0) return refuse("no memory file can be made");
  if (auto grown = memory.grow(bytes); !grown) return std::unexpected(grown.error());
  return memory;
}

Result<SharedMemory> SharedMemory::attach(int descriptor) {
  SharedMemory memory;
  memory.descriptor_ = descriptor;
  if (auto mapped = memory.map(); !mapped) return std::unexpected(mapped.error());
  return memory;
}

SharedMemory::SharedMemory(SharedMemory&& other) noexcept { *this = std::move(other); }

SharedMemory& SharedMemory::operator=(SharedMemory&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(owned_, other.owned_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedMemory::~SharedMemory() {
  unmap();
  if (owned_ && descriptor_ >= 0) close(descriptor_);
}

void SharedMemory::unmap() {
  if (data_ != nullptr) munmap(data_, bytes_);
  data_ = nullptr;
  bytes_ = 0;
}

Result<void> SharedMemory::map() {
  struct stat state{};
  if (fstat(descriptor_, &state) != 0) return refuse("its size cannot be read");
  unmap();
  const auto size = static_cast<std::size_t>(state.st_size);
  if (size == 0) return {};
  void* mapped = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (mapped == MAP_FAILED) return refuse("it cannot be mapped");
  data_ = static_cast<std::byte*>(mapped);
  bytes_ = size;
  return {};
}

Result<void> SharedMemory::grow(std::size_t bytes) {
  if (bytes <= bytes_) return {};
  // Allocated now: touching a hole when memory is exhausted would be a SIGBUS.
  const int error = posix_fallocate(descriptor_, 0, static_cast<off_t>(bytes));
  if (error != 0) {
    errno = error;
    return refuse(fmt::format("it cannot grow to {} bytes", bytes));
  }
  return map();
}

Result<std::span<std::byte>> SharedMemory::range(std::int64_t offset, std::int64_t bytes) {
  const auto inside = [&] {
    return offset >= 0 && bytes >= 0 && static_cast<std::size_t>(offset) <= bytes_ &&
           static_cast<std::size_t>(bytes) <= bytes_ - static_cast<std::size_t>(offset);
  };
  if (!inside()) {
    if (auto mapped = map(); !mapped) return std::unexpected(mapped.error());
  }
  if (!inside()) {
    return fail(8704, fmt::format("shared memory: bytes {} to {} lie outside its {}", offset,
                                  offset + bytes, bytes_));
  }
  return std::span(data_ + offset, static_cast<std::size_t>(bytes));
}

}  // namespace parhelion::runtime
