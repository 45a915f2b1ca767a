// SPDX-License-Identifier: Apache-2.0
// Tensors of a call: TensorView looks at memory of the caller, Buffer shares memory of a pool.
#pragma once

#include <parhelion/diagnostic.h>
#include <parhelion/dtype.h>

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace parhelion {

inline constexpr int max_rank = 8;

struct Device {
  enum class Kind : std::uint8_t { Cpu, Cuda };
  Kind kind = Kind::Cpu;
  int index = 0;
  bool operator==(const Device&) const = default;
};
/// "cpu", "cuda:0".
[[nodiscard]] std::string name(Device device);
[[nodiscard]] std::optional<Device> parse_device(std::string_view text);

template <class T>
concept Element =
    std::same_as<T, bool> || std::same_as<T, std::int8_t> || std::same_as<T, std::int16_t> ||
    std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> ||
    std::same_as<T, std::uint8_t> || std::same_as<T, std::uint16_t> ||
    std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t> || std::same_as<T, _Float16> ||
    std::same_as<T, float> || std::same_as<T, double>;

/// The dtype of a C++ element type. bf16 and f8 have none: they travel as U16 and U8.
template <Element T>
[[nodiscard]] constexpr DType dtype_of() {
  if constexpr (std::same_as<T, bool>) return DType::Bool;
  if constexpr (std::same_as<T, std::int8_t>) return DType::I8;
  if constexpr (std::same_as<T, std::int16_t>) return DType::I16;
  if constexpr (std::same_as<T, std::int32_t>) return DType::I32;
  if constexpr (std::same_as<T, std::int64_t>) return DType::I64;
  if constexpr (std::same_as<T, std::uint8_t>) return DType::U8;
  if constexpr (std::same_as<T, std::uint16_t>) return DType::U16;
  if constexpr (std::same_as<T, std::uint32_t>) return DType::U32;
  if constexpr (std::same_as<T, std::uint64_t>) return DType::U64;
  if constexpr (std::same_as<T, _Float16>) return DType::F16;
  if constexpr (std::same_as<T, float>) return DType::F32;
  if constexpr (std::same_as<T, double>) return DType::F64;
}

namespace dlpack {  // the wire structs of DLPack 1.x, declared here: no header of it is needed
struct Device {
  std::int32_t type = 1;  // 1 CPU, 2 CUDA, 3 CUDA host memory
  std::int32_t index = 0;
};
struct DataType {
  std::uint8_t code = 0;  // 0 int, 1 uint, 2 float, 4 bfloat, 6 bool, 10 e4m3fn, 12 e5m2
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;
};
struct Tensor {
  void* data = nullptr;
  Device device;
  std::int32_t ndim = 0;
  DataType dtype;
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;  // null: row-major
  std::uint64_t byte_offset = 0;
};
struct Version {
  std::uint32_t major = 1, minor = 0;
};
inline constexpr std::uint64_t flag_read_only = 1;
struct ManagedTensor {  // DLManagedTensorVersioned
  Version version;
  void* context = nullptr;
  void (*deleter)(ManagedTensor*) = nullptr;
  std::uint64_t flags = 0;
  Tensor tensor;
};
}  // namespace dlpack

/// Non-owning; strides in elements. Making one allocates nothing.
struct TensorView {
  void* data = nullptr;
  DType dtype = DType::F32;
  Device device;
  bool read_only = false;
  int rank = 0;
  std::array<std::int64_t, max_rank> sizes{}, strides{};

  TensorView() = default;
  // Row-major without strides. A rank over 8 throws PH6012.
  TensorView(void* data, DType dtype, std::span<const std::int64_t> sizes, Device device = {});
  TensorView(void* data, DType dtype, std::span<const std::int64_t> sizes,
             std::span<const std::int64_t> strides, Device device = {});
  TensorView(void* data, DType dtype, std::initializer_list<std::int64_t> sizes, Device device = {})
      : TensorView(data, dtype, std::span(sizes.begin(), sizes.size()), device) {}
  TensorView(void* data, DType dtype, std::initializer_list<std::int64_t> sizes,
             std::initializer_list<std::int64_t> strides, Device device = {})
      : TensorView(data, dtype, std::span(sizes.begin(), sizes.size()),
                   std::span(strides.begin(), strides.size()), device) {}
  template <class T>
    requires Element<std::remove_const_t<T>>
  TensorView(T* data, std::initializer_list<std::int64_t> sizes)
      : TensorView(const_cast<std::remove_const_t<T>*>(data), dtype_of<std::remove_const_t<T>>(),
                   sizes) {
    read_only = std::is_const_v<T>;
  }
  template <class T>
    requires Element<std::remove_const_t<T>>
  explicit TensorView(std::span<T> values)
      : TensorView(values.data(), {static_cast<std::int64_t>(values.size())}) {}

  [[nodiscard]] std::int64_t size(int dimension) const {
    return sizes[static_cast<std::size_t>(dimension)];
  }
  [[nodiscard]] std::int64_t stride(int dimension) const {
    return strides[static_cast<std::size_t>(dimension)];
  }
  [[nodiscard]] std::int64_t elements() const;
  /// From the first to one past the last byte that an element occupies; 0 without elements.
  [[nodiscard]] std::int64_t span_bytes() const;
  [[nodiscard]] bool contiguous() const;  // row-major without gaps
  [[nodiscard]] TensorView as_read_only() const {
    TensorView view = *this;
    view.read_only = true;
    return view;
  }
  bool operator==(const TensorView&) const = default;
};

/// "f32[2,3]", with strides where they are not row-major: "f32[2,3] strides [4,1]".
[[nodiscard]] std::string layout_text(const TensorView& view);
/// What a call refuses on its own: PH6004 (null data), PH6005 (negative size), PH6007 (off its
/// element alignment), PH6008 (negative stride). `what` names the tensor in the message.
[[nodiscard]] Result<void> check_tensor(const TensorView& view, std::string_view what);
/// PH6010: a dtype code, lane count or device that Parhelion does not know.
[[nodiscard]] Result<TensorView> view_of(const dlpack::Tensor& tensor, bool read_only = false);

/// Counted memory behind Buffers. Pools derive from it to get their memory back.
class Storage {
 public:
  void* data = nullptr;
  std::size_t bytes = 0;
  Device device;
  std::atomic<std::uint32_t> owners{0};
  virtual void release() noexcept = 0;  // the last owner has gone

 protected:
  ~Storage() = default;
};

/// Where Buffers take memory from, and how its bytes reach the host.
class MemoryPool {
 public:
  virtual ~MemoryPool() = default;
  [[nodiscard]] virtual Device device() const = 0;
  /// At least `bytes`, aligned to 64; nullptr when memory is exhausted. Content is unspecified.
  [[nodiscard]] virtual Storage* take(std::size_t bytes) = 0;
  virtual Result<void> read(void* host, const void* source, std::size_t bytes) = 0;
  virtual Result<void> write(void* destination, const void* host, std::size_t bytes) = 0;
  virtual Result<void> zero(void* destination, std::size_t bytes) = 0;
};

/// A shared, row-major tensor. Copying shares the memory; the last owner gives it back. Functions
/// that allocate throw PH6013 when memory is exhausted; `pool` null means plain host memory.
class Buffer {
 public:
  Buffer() = default;
  [[nodiscard]] static Buffer empty(std::span<const std::int64_t> sizes, DType dtype,
                                    MemoryPool* pool = nullptr);
  [[nodiscard]] static Buffer empty(std::initializer_list<std::int64_t> sizes, DType dtype,
                                    MemoryPool* pool = nullptr) {
    return empty(std::span(sizes.begin(), sizes.size()), dtype, pool);
  }
  [[nodiscard]] static Buffer zeros(std::span<const std::int64_t> sizes, DType dtype,
                                    MemoryPool* pool = nullptr);
  [[nodiscard]] static Buffer zeros(std::initializer_list<std::int64_t> sizes, DType dtype,
                                    MemoryPool* pool = nullptr) {
    return zeros(std::span(sizes.begin(), sizes.size()), dtype, pool);
  }
  /// A copy of `values`, which are `sizes` in row-major order (PH6012 when the counts differ).
  template <class T>
    requires Element<std::remove_const_t<T>>
  [[nodiscard]] static Buffer from(std::span<T> values, std::span<const std::int64_t> sizes,
                                   MemoryPool* pool = nullptr) {
    return from_bytes(std::as_bytes(values), dtype_of<std::remove_const_t<T>>(), sizes, pool);
  }
  template <Element T>
  [[nodiscard]] static Buffer from(std::initializer_list<T> values,
                                   std::initializer_list<std::int64_t> sizes,
                                   MemoryPool* pool = nullptr) {
    return from(std::span(values.begin(), values.size()), std::span(sizes.begin(), sizes.size()),
                pool);
  }
  [[nodiscard]] static Buffer from_bytes(std::span<const std::byte> bytes, DType dtype,
                                         std::span<const std::int64_t> sizes,
                                         MemoryPool* pool = nullptr);
  /// A row-major copy of a host view.
  [[nodiscard]] static Buffer copy_of(const TensorView& host, MemoryPool* pool = nullptr);
  /// Takes over `tensor`: its deleter runs with the last owner (at once on an error).
  [[nodiscard]] static Result<Buffer> from_dlpack(dlpack::ManagedTensor* tensor);
  /// Memory of a pool, laid out row-major; `storage` must hold it.
  Buffer(Storage* storage, DType dtype, std::span<const std::int64_t> sizes);

  Buffer(const Buffer& other) noexcept : storage_(other.storage_), view_(other.view_) { retain(); }
  Buffer(Buffer&& other) noexcept
      : storage_(std::exchange(other.storage_, nullptr)),
        view_(std::exchange(other.view_, TensorView())) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(storage_, other.storage_);
    std::swap(view_, other.view_);
    return *this;
  }
  ~Buffer() { drop(); }

  operator TensorView() const { return view_; }
  [[nodiscard]] const TensorView& view() const { return view_; }
  [[nodiscard]] bool valid() const { return storage_ != nullptr; }
  [[nodiscard]] DType dtype() const { return view_.dtype; }
  [[nodiscard]] int rank() const { return view_.rank; }
  [[nodiscard]] std::int64_t size(int dimension) const { return view_.size(dimension); }
  [[nodiscard]] std::int64_t elements() const { return view_.elements(); }
  [[nodiscard]] void* data() const { return view_.data; }
  /// The elements of a host buffer; T is the buffer's dtype, or its raw width (PH6012 otherwise).
  template <Element T>
  [[nodiscard]] std::span<T> span() const {
    check_span(dtype_of<T>());
    return {static_cast<T*>(view_.data), static_cast<std::size_t>(view_.elements())};
  }
  /// Into a contiguous host view of the same dtype and count; `pool` is the one it came from.
  [[nodiscard]] Result<void> copy_to(const TensorView& host, MemoryPool* pool = nullptr) const;
  /// For a consumer that calls the deleter. The memory stays shared with this buffer.
  [[nodiscard]] dlpack::ManagedTensor* to_dlpack() const;

 private:
  void retain() noexcept {
    if (storage_ != nullptr) storage_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  void drop() noexcept {
    if (storage_ != nullptr && storage_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      storage_->release();
    }
  }
  void check_span(DType wanted) const;

  Storage* storage_ = nullptr;
  TensorView view_;
};

}  // namespace parhelion
