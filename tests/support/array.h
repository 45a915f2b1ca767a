// SPDX-License-Identifier: Apache-2.0
// Host memory of a test: elements of any dtype, any strides, filled by number.
#pragma once

#include "base/half.h"
#include "base/rng.h"

#include <parhelion/tensor.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

namespace parhelion::test {

/// Writes `value` as an element of `dtype`; integers truncate.
inline void put_element(std::byte* at, DType dtype, double value) {
  const auto put = [at](auto number) { std::memcpy(at, &number, sizeof(number)); };
  const auto integer = static_cast<std::int64_t>(is_float(dtype) ? 0.0 : value);
  switch (dtype) {
    case DType::F64: return put(value);
    case DType::F32: return put(static_cast<float>(value));
    case DType::F16:
    case DType::BF16: return put(to_bits(value, dtype));
    case DType::F8E4M3:
    case DType::F8E5M2: return put(static_cast<std::uint8_t>(to_bits(value, dtype)));
    default: break;
  }
  switch (size_bytes(dtype)) {
    case 1: return put(static_cast<std::uint8_t>(integer));
    case 2: return put(static_cast<std::uint16_t>(integer));
    case 4: return put(static_cast<std::uint32_t>(integer));
    default: return put(integer);
  }
}

class Array {
 public:
  using Sizes = std::vector<std::int64_t>;
  Array(DType dtype, Sizes sizes) : Array(dtype, sizes, row_major(sizes)) {}
  Array(DType dtype, Sizes sizes, Sizes strides)
      : dtype_(dtype), sizes_(std::move(sizes)), strides_(std::move(strides)) {
    std::int64_t last = 0;
    bool empty = false;
    for (std::size_t d = 0; d < sizes_.size(); ++d) {
      empty = empty || sizes_[d] == 0;
      last += (sizes_[d] - 1) * strides_[d];
    }
    bytes_.resize(empty ? 0 : static_cast<std::size_t>((last + 1) * size_bytes(dtype_)));
  }

  /// Every element of memory, in order of addresses.
  Array& fill(const std::function<double()>& next) {
    const auto step = static_cast<std::size_t>(size_bytes(dtype_));
    for (std::size_t i = 0; i < bytes_.size(); i += step) {
      put_element(bytes_.data() + i, dtype_, next());
    }
    return *this;
  }
  Array& fill(std::initializer_list<double> values) {
    auto it = values.begin();
    return fill([&] { return it == values.end() ? 0.0 : *it++; });
  }
  /// |x| <= 2, whole: sums of them are exact in any order.
  Array& fill_small_integers(Rng& rng) {
    const std::int64_t low = is_unsigned_integer(dtype_) || dtype_ == DType::Bool ? 0 : -2;
    const std::int64_t high = dtype_ == DType::Bool ? 1 : 2;
    return fill([&] { return static_cast<double>(rng.between(low, high)); });
  }
  Array& fill_normal(Rng& rng) {
    return fill([&] { return is_float(dtype_) ? rng.normal() : std::floor(3 * rng.uniform()); });
  }

  [[nodiscard]] TensorView view() {
    return {bytes_.data(), dtype_, std::span<const std::int64_t>(sizes_),
            std::span<const std::int64_t>(strides_)};
  }
  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const Sizes& sizes() const { return sizes_; }
  [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }

  [[nodiscard]] static Sizes row_major(const Sizes& sizes) {
    Sizes strides(sizes.size(), 1);
    for (std::size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * sizes[d];
    return strides;
  }

 private:
  DType dtype_;
  Sizes sizes_, strides_;
  std::vector<std::byte> bytes_;
};

}  // namespace parhelion::test
