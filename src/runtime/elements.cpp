// SPDX-License-Identifier: Apache-2.0
#include "runtime/elements.h"

#include "base/half.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace parhelion::runtime {

namespace {

template <class T>
T load_as(const void* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void store_as(void* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

template <class T>
void store_integer(void* at, double value) {
  using Limits = std::numeric_limits<T>;
  const double rounded = std::nearbyint(value);
  T result = 0;  // of a NaN
  if (rounded >= static_cast<double>(Limits::max())) {
    result = Limits::max();
  } else if (rounded <= static_cast<double>(Limits::min())) {
    result = Limits::min();
  } else if (rounded == rounded) {
    result = static_cast<T>(rounded);
  }
  store_as(at, result);
}

}  // namespace

double load_element(const void* at, DType dtype) {
  switch (dtype) {
    case DType::Bool: return load_as<std::uint8_t>(at) != 0 ? 1 : 0;
    case DType::I8: return load_as<std::int8_t>(at);
    case DType::I16: return load_as<std::int16_t>(at);
    case DType::I32: return load_as<std::int32_t>(at);
    case DType::I64: return static_cast<double>(load_as<std::int64_t>(at));
    case DType::U8: return load_as<std::uint8_t>(at);
    case DType::U16: return load_as<std::uint16_t>(at);
    case DType::U32: return load_as<std::uint32_t>(at);
    case DType::U64: return static_cast<double>(load_as<std::uint64_t>(at));
    case DType::F8E4M3:
    case DType::F8E5M2: return from_bits(load_as<std::uint8_t>(at), dtype);
    case DType::F16:
    case DType::BF16: return from_bits(load_as<std::uint16_t>(at), dtype);
    case DType::F32: return load_as<float>(at);
    case DType::F64: return load_as<double>(at);
  }
  return 0;
}

void store_element(void* at, DType dtype, double value) {
  switch (dtype) {
    case DType::Bool: return store_as<std::uint8_t>(at, value != 0 ? 1 : 0);
    case DType::I8: return store_integer<std::int8_t>(at, value);
    case DType::I16: return store_integer<std::int16_t>(at, value);
    case DType::I32: return store_integer<std::int32_t>(at, value);
    case DType::I64: return store_integer<std::int64_t>(at, value);
    case DType::U8: return store_integer<std::uint8_t>(at, value);
    case DType::U16: return store_integer<std::uint16_t>(at, value);
    case DType::U32: return store_integer<std::uint32_t>(at, value);
    case DType::U64: return store_integer<std::uint64_t>(at, value);
    case DType::F8E4M3:
    case DType::F8E5M2: return store_as(at, static_cast<std::uint8_t>(to_bits(value, dtype)));
    case DType::F16:
    case DType::BF16: return store_as(at, to_bits(value, dtype));
    case DType::F32: return store_as(at, static_cast<float>(value));
    case DType::F64: return store_as(at, value);
  }
}

}  // namespace parhelion::runtime
