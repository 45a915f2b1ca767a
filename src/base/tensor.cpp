// SPDX-License-Identifier: Apache-2.0
#include <parhelion/tensor.h>

#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace parhelion {

std::string name(Device device) {
  return device.kind == Device::Kind::Cpu ? "cpu" : fmt::format("cuda:{}", device.index);
}

std::optional<Device> parse_device(std::string_view text) {
  if (text == "cpu") return Device{};
  if (text == "cuda") return Device{Device::Kind::Cuda, 0};
  if (!starts_with(text, "cuda:")) return std::nullopt;
  const auto index = parse_integer(text.substr(5));
  if (!index || *index < 0 || *index > 1023) return std::nullopt;
  return Device{Device::Kind::Cuda, static_cast<int>(*index)};
}

namespace {

int checked_rank(std::size_t rank) {
  if (rank > static_cast<std::size_t>(max_rank)) {
    throw Error(
        diag(6012, fmt::format("a tensor has rank {}, at most {} is possible", rank, max_rank)));
  }
  return static_cast<int>(rank);
}

std::string bracketed(std::span<const std::int64_t> numbers) {
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

std::span<const std::int64_t> first(const std::array<std::int64_t, max_rank>& numbers, int rank) {
  return std::span(numbers).first(static_cast<std::size_t>(rank));
}

}  // namespace

TensorView::TensorView(void* d, DType type, std::span<const std::int64_t> s, Device where)
    : data(d), dtype(type), device(where), rank(checked_rank(s.size())) {
  std::ranges::copy(s, sizes.begin());
  std::int64_t step = 1;
  for (int i = rank - 1; i >= 0; --i) {
    strides[static_cast<std::size_t>(i)] = step;
    step *= std::max<std::int64_t>(size(i), 1);
  }
}

TensorView::TensorView(void* d, DType type, std::span<const std::int64_t> s,
                       std::span<const std::int64_t> t, Device where)
    : data(d), dtype(type), device(where), rank(checked_rank(s.size())) {
  if (t.size() != s.size()) {
    throw Error(
        diag(6012, fmt::format("a tensor has {} sizes and {} strides", s.size(), t.size())));
  }
  std::ranges::copy(s, sizes.begin());
  std::ranges::copy(t, strides.begin());
}

std::int64_t TensorView::elements() const {
  std::int64_t count = 1;
  for (int i = 0; i < rank; ++i) count *= size(i);
  return count;
}

std::int64_t TensorView::span_bytes() const {
  std::int64_t last = 0;
  for (int i = 0; i < rank; ++i) {
    if (size(i) == 0) return 0;
    last += (size(i) - 1) * stride(i);
  }
  return (last + 1) * size_bytes(dtype);
}

bool TensorView::contiguous() const {
  std::int64_t step = 1;
  for (int i = rank - 1; i >= 0; --i) {
    // The stride of a dimension of one element is never used.
    if (size(i) != 1 && stride(i) != step) return elements() == 0;
    step *= size(i);
  }
  return true;
}

std::string layout_text(const TensorView& view) {
  std::string text = fmt::format("{}{}", name(view.dtype), bracketed(first(view.sizes, view.rank)));
  if (!view.contiguous()) {
    text += fmt::format(" strides {}", bracketed(first(view.strides, view.rank)));
  }
  return text;
}

Result<void> check_tensor(const TensorView& view, std::string_view what) {
  for (int i = 0; i < view.rank; ++i) {
    if (view.size(i) < 0) {
      return fail(6005, fmt::format("size {} of {} is {}", i, what, view.size(i)));
    }
    if (view.stride(i) < 0 && view.size(i) > 1) {
      return fail(6008, fmt::format("{} has stride {} in dimension {}", what, view.stride(i), i),
                  {}, "copy it first");
    }
  }
  const std::int64_t count = view.elements();
  if (view.data == nullptr && count > 0) {
    return fail(6004, fmt::format("{} is null with {} elements", what, count));
  }
  const auto address = reinterpret_cast<std::uintptr_t>(view.data);
  if (count > 0 && address % static_cast<std::uintptr_t>(size_bytes(view.dtype)) != 0) {
    return fail(
        6007, fmt::format("{} starts off the alignment of its element, {}", what, name(view.dtype)),
        {}, "copy it first");
  }
  return {};
}

}  // namespace parhelion
