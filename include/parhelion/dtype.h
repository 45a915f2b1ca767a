// SPDX-License-Identifier: Apache-2.0
// Element types of tensors and tiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace parhelion {

enum class DType : std::uint8_t {
  Bool, I8, I16, I32, I64, U8, U16, U32, U64, F8E4M3, F8E5M2, F16, BF16, F32, F64,
};

inline constexpr DType boolean = DType::Bool;
inline constexpr DType i8 = DType::I8, i16 = DType::I16, i32 = DType::I32, i64 = DType::I64;
inline constexpr DType u8 = DType::U8, u16 = DType::U16, u32 = DType::U32, u64 = DType::U64;
inline constexpr DType f8e4m3 = DType::F8E4M3, f8e5m2 = DType::F8E5M2;
inline constexpr DType f16 = DType::F16, bf16 = DType::BF16, f32 = DType::F32, f64 = DType::F64;
inline constexpr int dtype_count = 15;

/// Bytes of one element.
[[nodiscard]] int size_bytes(DType dtype);
/// Canonical spelling: "bool", "i32", "bf16", "f8e4m3", ...
[[nodiscard]] std::string_view name(DType dtype);
[[nodiscard]] std::optional<DType> parse_dtype(std::string_view text);

[[nodiscard]] constexpr bool is_float(DType t) { return t >= DType::F8E4M3; }
[[nodiscard]] constexpr bool is_signed_integer(DType t) {
  return t >= DType::I8 && t <= DType::I64;
}
[[nodiscard]] constexpr bool is_unsigned_integer(DType t) {
  return t >= DType::U8 && t <= DType::U64;
}
/// Signed or unsigned; bool is not an integer here.
[[nodiscard]] constexpr bool is_integer(DType t) { return t >= DType::I8 && t <= DType::U64; }

}  // namespace parhelion
