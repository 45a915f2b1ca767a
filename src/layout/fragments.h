// SPDX-License-Identifier: Apache-2.0
// The register fragments of the matrix instructions as layouts. A is (m, k), B (k, n), C and D
// (m, n). These are facts of the hardware, compared element by element on a GPU.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "layout/linear_layout.h"

namespace parhelion::layout {

enum class Fragment : std::uint8_t {
  LdmatrixX4,  // 16-bit, axes r, c, j: matrix j, row r, column c
  LdmatrixX4Trans,
  LdmatrixRows,  // lane -> the 16-byte row that it gives the address of: axes r, j
  MmaM16N8K8Tf32A,
  MmaM16N8K8Tf32B,
  MmaM16N8K16A,
  MmaM16N8K16B,  // f16, bf16
  MmaM16N8K32A,
  MmaM16N8K32B,  // s8, e4m3
  MmaD,          // C and D of all of these: m16 n8
};

struct FragmentRow {
  Fragment fragment;
  std::string_view name;
  std::string_view text;  // as LinearLayout::text
};

[[nodiscard]] std::span<const FragmentRow> fragment_rows();
[[nodiscard]] const LinearLayout& layout_of(Fragment fragment);
/// Accumulator of wgmma m64nN: N a multiple of 8, 8 ... 256; four warps.
[[nodiscard]] LinearLayout wgmma_d(int n);

}  // namespace parhelion::layout
