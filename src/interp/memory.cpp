// SPDX-License-Identifier: Apache-2.0
#include "interp/memory.h"

#include <bit>
#include <cstring>

#include "base/half.h"
#include "interp/numbers.h"

namespace parhelion::interp {

namespace {

template <class T>
T element_at(const TensorView& view, std::int64_t element) {
  T value;
  std::memcpy(
      &value,
      static_cast<const std::byte*>(view.data) + element * static_cast<std::int64_t>(sizeof(T)),
      sizeof(T));
  return value;
}

}  // namespace

double load_number(const TensorView& view, std::int64_t element) {
  switch (view.dtype) {
    case DType::F64: return element_at<double>(view, element);
    case DType::F32: return static_cast<double>(element_at<float>(view, element));
    case DType::F16: return static_cast<double>(element_at<_Float16>(view, element));
    case DType::BF16:
      return static_cast<double>(std::bit_cast<float>(
          static_cast<std::uint32_t>(element_at<std::uint16_t>(view, element)) << 16));
    case DType::F8E4M3:
    case DType::F8E5M2: return from_bits(element_at<std::uint8_t>(view, element), view.dtype);
    default: return integer_value(load_integer(view, element), view.dtype);
  }
}

std::int64_t load_integer(const TensorView& view, std::int64_t element) {
  switch (view.dtype) {
    case DType::Bool: return element_at<std::uint8_t>(view, element) != 0 ? 1 : 0;
    case DType::I8: return element_at<std::int8_t>(view, element);
    case DType::U8: return element_at<std::uint8_t>(view, element);
    case DType::I16: return element_at<std::int16_t>(view, element);
    case DType::U16: return element_at<std::uint16_t>(view, element);
    case DType::I32: return element_at<std::int32_t>(view, element);
    case DType::U32: return element_at<std::uint32_t>(view, element);
    default: return element_at<std::int64_t>(view, element);
  }
}

Storage::Storage(DType dtype, std::int64_t elements)
    : dtype_(dtype), elements_(elements), own_(true) {
  const auto n = static_cast<std::size_t>(elements);
  if (is_float(dtype)) {
    x_.resize(n);
  } else {
    i_.resize(n);
  }
  written_.resize(n);
  writer_.assign(n, nobody);
  reader_.assign(n, nobody);
  store_number_.resize(n);
}

void Storage::fill_from(const TensorView& view) {
  for (std::int64_t k = 0; k < elements_; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (is_float(dtype_)) {
      x_[at] = load_number(view, k);
    } else {
      i_[at] = load_integer(view, k);
    }
    written_[at] = 1;
  }
}

void Storage::fill(double value) {
  const double rounded = is_float(dtype_) ? round_number(value, dtype_) : 0;
  const std::int64_t integer = is_float(dtype_) ? 0 : to_integer(value, dtype_);
  x_.assign(x_.size(), rounded);
  i_.assign(i_.size(), integer);
  written_.assign(written_.size(), 1);
}

void Storage::begin_root() {
  writer_.assign(writer_.size(), nobody);
  reader_.assign(reader_.size(), nobody);
}

Cell Storage::peek(std::int64_t element) const {
  Cell cell;
  if (!own_) {
    if (is_float(dtype_)) {
      cell.x = load_number(view_, element);
    } else {
      cell.i = load_integer(view_, element);
    }
    return cell;
  }
  const auto at = static_cast<std::size_t>(element);
  if (is_float(dtype_)) {
    cell.x = x_[at];
    cell.error = error_.empty() ? 0 : error_[at];
  } else {
    cell.i = i_[at];
  }
  cell.unsure = !unsure_.empty() && unsure_[at] != 0;
  return cell;
}

bool Storage::is_written(std::int64_t element) const {
  return !own_ || written_[static_cast<std::size_t>(element)] != 0;
}

Cell Storage::load(std::int64_t element, std::int32_t program, Touch& touch) {
  const Cell cell = peek(element);
  touch = Touch::Fine;
  if (!own_) return cell;
  const auto at = static_cast<std::size_t>(element);
  if (written_[at] == 0) touch = Touch::Unwritten;
  if (writer_[at] != nobody && writer_[at] != program) touch = Touch::Race;
  std::int32_t& reader = reader_[at];
  reader = reader == nobody || reader == program ? program : several;
  return cell;
}

Storage::Touch Storage::store(std::int64_t element, const Cell& cell, std::int32_t program,
                              std::int64_t store_number) {
  const auto at = static_cast<std::size_t>(element);
  const Cell before = peek(element);
  const bool same = is_float(dtype_) ? std::bit_cast<std::uint64_t>(before.x) ==
                                           std::bit_cast<std::uint64_t>(cell.x)
                                     : before.i == cell.i;
  Touch touch = Touch::Fine;
  const auto elsewhere = [&](std::int32_t who) { return who != nobody && who != program; };
  if (!same && (elsewhere(writer_[at]) || elsewhere(reader_[at]))) touch = Touch::Race;
  if (touch == Touch::Fine && written_[at] != 0 && store_number_[at] == store_number && !same) {
    touch = Touch::Duplicate;
  }
  if (is_float(dtype_)) {
    x_[at] = cell.x;
    if (cell.error != 0 && error_.empty()) error_.resize(x_.size());
    if (!error_.empty()) error_[at] = cell.error;
  } else {
    i_[at] = cell.i;
  }
  if (cell.unsure && unsure_.empty()) unsure_.resize(written_.size());
  if (!unsure_.empty()) unsure_[at] = cell.unsure ? 1 : 0;
  written_[at] = 1;
  writer_[at] = program;
  store_number_[at] = store_number;
  return touch;
}

}  // namespace parhelion::interp
