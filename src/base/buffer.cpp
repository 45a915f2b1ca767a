// SPDX-License-Identifier: Apache-2.0
#include <parhelion/tensor.h>

#include "base/diag.h"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace parhelion {

namespace {

constexpr std::size_t alignment = 64;  // of a cache line and of the widest vector

class HostStorage final : public Storage {
 public:
  [[nodiscard]] static HostStorage* make(std::size_t bytes) {
    // aligned_alloc wants a multiple of the alignment, and an address also for 0 bytes.
    const std::size_t rounded = (bytes / alignment + 1) * alignment;
    if (rounded < bytes) return nullptr;
    void* memory = std::aligned_alloc(alignment, rounded);
    if (memory == nullptr) return nullptr;
    auto* storage = new HostStorage;
    storage->data = memory;
    storage->bytes = rounded;
    return storage;
  }
  void release() noexcept override {
    std::free(data);
    delete this;
  }
};

std::size_t bytes_of(std::span<const std::int64_t> sizes, DType dtype) {
  std::int64_t bytes = size_bytes(dtype);
  for (const std::int64_t size : sizes) {
    if (size < 0) throw Error(diag(6005, fmt::format("size {} of a tensor", size)));
    if (__builtin_mul_overflow(bytes, size, &bytes)) {
      throw Error(diag(6013, fmt::format("a tensor {}[{}] has more than 2^63 bytes", name(dtype),
                                         fmt::join(sizes, ","))));
    }
  }
  return static_cast<std::size_t>(bytes);
}

void throw_if_failed(const Result<void>& result) {
  if (!result) throw Error(result.error());
}

Result<void> write_bytes(void* target, const void* source, std::size_t bytes, MemoryPool* pool) {
  if (pool != nullptr) return pool->write(target, source, bytes);
  if (bytes > 0) std::memcpy(target, source, bytes);
  return {};
}

/// Copies any strided view into dense memory, innermost runs at once.
void pack(const TensorView& view, int dimension, const std::byte* source, std::byte*& target) {
  const auto element = static_cast<std::size_t>(size_bytes(view.dtype));
  if (dimension == view.rank) {
    std::memcpy(target, source, element);
    target += element;
    return;
  }
  const std::int64_t count = view.size(dimension);
  const std::int64_t step = view.stride(dimension) * static_cast<std::int64_t>(element);
  if (dimension == view.rank - 1 && view.stride(dimension) == 1) {
    std::memcpy(target, source, static_cast<std::size_t>(count) * element);
    target += static_cast<std::size_t>(count) * element;
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) pack(view, dimension + 1, source + i * step, target);
}

std::span<const std::int64_t> sizes_of(const TensorView& view) {
  return std::span(view.sizes).first(static_cast<std::size_t>(view.rank));
}

}  // namespace

Buffer::Buffer(Storage* storage, DType dtype, std::span<const std::int64_t> sizes)
    : storage_(storage), view_(storage->data, dtype, sizes, storage->device) {
  PH_ASSERT(bytes_of(sizes, dtype) <= storage->bytes, "the storage is too small for the tensor");
  retain();
}

Buffer Buffer::empty(std::span<const std::int64_t> sizes, DType dtype, MemoryPool* pool) {
  const std::size_t bytes = bytes_of(sizes, dtype);
  Storage* storage = pool != nullptr ? pool->take(bytes) : HostStorage::make(bytes);
  if (storage == nullptr) {
    throw Error(diag(6013, fmt::format("no memory for a tensor of {} bytes", bytes)));
  }
  return Buffer(storage, dtype, sizes);
}

Buffer Buffer::zeros(std::span<const std::int64_t> sizes, DType dtype, MemoryPool* pool) {
  Buffer buffer = empty(sizes, dtype, pool);
  const std::size_t bytes = bytes_of(sizes, dtype);
  if (pool != nullptr) {
    throw_if_failed(pool->zero(buffer.data(), bytes));
  } else {
    std::memset(buffer.data(), 0, bytes);
  }
  return buffer;
}

Buffer Buffer::from_bytes(std::span<const std::byte> bytes, DType dtype,
                          std::span<const std::int64_t> sizes, MemoryPool* pool) {
  if (bytes.size() != bytes_of(sizes, dtype)) {
    throw Error(diag(6012, fmt::format("{} bytes given for a tensor {}[{}]", bytes.size(),
                                       name(dtype), fmt::join(sizes, ","))));
  }
  Buffer buffer = empty(sizes, dtype, pool);
  throw_if_failed(write_bytes(buffer.data(), bytes.data(), bytes.size(), pool));
  return buffer;
}

Buffer Buffer::copy_of(const TensorView& host, MemoryPool* pool) {
  const auto sizes = sizes_of(host);
  const std::size_t bytes = bytes_of(sizes, host.dtype);
  const auto* source = static_cast<const std::byte*>(host.data);
  if (bytes == 0) return empty(sizes, host.dtype, pool);
  if (host.contiguous()) return from_bytes({source, bytes}, host.dtype, sizes, pool);
  Buffer packed = empty(sizes, host.dtype);
  auto* target = static_cast<std::byte*>(packed.data());
  pack(host, 0, source, target);
  if (pool == nullptr) return packed;
  const auto* dense = static_cast<const std::byte*>(packed.data());
  return from_bytes({dense, bytes}, host.dtype, sizes, pool);
}

void Buffer::check_span(DType wanted) const {
  const bool raw = (wanted == DType::U16 && view_.dtype == DType::BF16) ||
                   (wanted == DType::U8 && size_bytes(view_.dtype) == 1);
  if (view_.device.kind != Device::Kind::Cpu) {
    throw Error(diag(
        6012,
        fmt::format("the elements of a buffer on {} cannot be read in place", name(view_.device)),
        {}, "copy it to the host"));
  }
  if (wanted != view_.dtype && !raw) {
    throw Error(
        diag(6012, fmt::format("a buffer of {} is read as {}", name(view_.dtype), name(wanted))));
  }
}

Result<void> Buffer::copy_to(const TensorView& host, MemoryPool* pool) const {
  if (host.dtype != view_.dtype || host.elements() != elements() || !host.contiguous() ||
      host.device.kind != Device::Kind::Cpu) {
    return fail(6012,
                fmt::format("a buffer {} is copied into {}", layout_text(view_), layout_text(host)),
                {}, "give a contiguous host tensor of the same dtype and size");
  }
  if (host.read_only) return fail(6009, "the target of a copy is read-only");
  const auto bytes = static_cast<std::size_t>(elements() * size_bytes(dtype()));
  if (pool != nullptr) return pool->read(host.data, view_.data, bytes);
  if (view_.device.kind != Device::Kind::Cpu) {
    return fail(6012, fmt::format("a buffer on {} is copied without its pool", name(view_.device)));
  }
  if (bytes > 0) std::memcpy(host.data, view_.data, bytes);
  return {};
}

}  // namespace parhelion
