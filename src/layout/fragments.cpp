// SPDX-License-Identifier: Apache-2.0
#include "layout/fragments.h"

#include <fmt/format.h>

#include <array>
#include <bit>

#include "base/diag.h"

namespace parhelion::layout {
namespace {

constexpr std::array rows = {
    FragmentRow{Fragment::LdmatrixX4, "ldmatrix.x4",
                "r:8 c:8 j:4 | register c:1 j:1 j:2 | lane c:2 c:4 r:1 r:2 r:4"},
    FragmentRow{Fragment::LdmatrixX4Trans, "ldmatrix.x4.trans",
                "r:8 c:8 j:4 | register r:1 j:1 j:2 | lane r:2 r:4 c:1 c:2 c:4"},
    FragmentRow{Fragment::LdmatrixRows, "ldmatrix rows", "r:8 j:4 | lane r:1 r:2 r:4 j:1 j:2"},
    FragmentRow{Fragment::MmaM16N8K8Tf32A, "mma.m16n8k8.tf32 A",
                "m:16 k:8 | register m:8 k:4 | lane k:1 k:2 m:1 m:2 m:4"},
    FragmentRow{Fragment::MmaM16N8K8Tf32B, "mma.m16n8k8.tf32 B",
                "k:8 n:8 | register k:4 | lane k:1 k:2 n:1 n:2 n:4"},
    FragmentRow{Fragment::MmaM16N8K16A, "mma.m16n8k16 A",
                "m:16 k:16 | register k:1 m:8 k:8 | lane k:2 k:4 m:1 m:2 m:4"},
    FragmentRow{Fragment::MmaM16N8K16B, "mma.m16n8k16 B",
                "k:16 n:8 | register k:1 k:8 | lane k:2 k:4 n:1 n:2 n:4"},
    FragmentRow{Fragment::MmaM16N8K32A, "mma.m16n8k32 A",
                "m:16 k:32 | register k:1 k:2 m:8 k:16 | lane k:4 k:8 m:1 m:2 m:4"},
    FragmentRow{Fragment::MmaM16N8K32B, "mma.m16n8k32 B",
                "k:32 n:8 | register k:1 k:2 k:16 | lane k:4 k:8 n:1 n:2 n:4"},
    FragmentRow{Fragment::MmaD, "mma D", "m:16 n:8 | register n:1 m:8 | lane n:2 n:4 m:1 m:2 m:4"},
};

std::array<LinearLayout, rows.size()> parse_rows() {
  std::array<LinearLayout, rows.size()> layouts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto layout = LinearLayout::parse(rows[i].text);
    PH_ASSERT(layout.has_value(), "fragment table: " + std::string(rows[i].name));
    layouts[i] = *layout;
  }
  return layouts;
}

}  // namespace

std::span<const FragmentRow> fragment_rows() { return rows; }

const LinearLayout& layout_of(Fragment fragment) {
  static const auto layouts = parse_rows();
  return layouts[static_cast<std::size_t>(fragment)];
}

LinearLayout wgmma_d(int n) {
  PH_ASSERT(n >= 8 && n <= 256 && n % 8 == 0, fmt::format("wgmma has no N = {}", n));
  const int bits = std::countr_zero(static_cast<unsigned>(n));
  LinearLayout layout({{"m", 6, 1}, {"n", bits, n >> bits}});
  layout.add(Input::Register, "n", 0).add(Input::Register, "m", 3);
  for (int b = 3; b < bits; ++b) layout.add(Input::Register, "n", b);
  layout.add(Input::Lane, "n", 1).add(Input::Lane, "n", 2);
  for (int b = 0; b < 3; ++b) layout.add(Input::Lane, "m", b);
  layout.add(Input::Warp, "m", 4).add(Input::Warp, "m", 5);
  return layout;
}

}  // namespace parhelion::layout
