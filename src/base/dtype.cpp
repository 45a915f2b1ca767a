// SPDX-License-Identifier: Apache-2.0
#include <parhelion/dtype.h>

#include <array>
#include <cstddef>

namespace parhelion {

namespace {

struct Row {
  std::string_view name;
  int bytes;
};

constexpr std::array<Row, dtype_count> rows = {{
    {"bool", 1}, {"i8", 1}, {"i16", 2}, {"i32", 4}, {"i64", 8}, {"u8", 1}, {"u16", 2}, {"u32", 4},
    {"u64", 8}, {"f8e4m3", 1}, {"f8e5m2", 1}, {"f16", 2}, {"bf16", 2}, {"f32", 4}, {"f64", 8},
}};

}  // namespace

int size_bytes(DType dtype) { return rows[static_cast<std::size_t>(dtype)].bytes; }

std::string_view name(DType dtype) { return rows[static_cast<std::size_t>(dtype)].name; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].name == text) return static_cast<DType>(i);
  }
  return std::nullopt;
}

}  // namespace parhelion
