// SPDX-License-Identifier: Apache-2.0
// A swizzled image: the order of a tile in shared memory that lets one layout write it and another
// one read it, both without bank conflicts.
#pragma once

#include <cstdint>

#include "layout/linear_layout.h"

namespace parhelion::layout {

enum class SharedAccess : std::uint8_t {
  Plain,        // ld.shared, st.shared of up to 16 bytes a lane
  Matrix,       // ldmatrix, stmatrix: 16-byte rows over lanes 0 and 1
  MatrixTrans,  // .trans: rows over lanes 2, 3, 4; 16-bit elements only
};

struct ImageSide {
  LinearLayout layout;
  SharedAccess access = SharedAccess::Plain;
};

struct SharedImage {
  LinearLayout image;     // offset in elements -> coordinate; a bijection of the atom
  int source_vector = 0;  // log2 of elements in one access of the writer, of the reader
  int target_vector = 0;
  /// Wavefronts of all warps, both ways; the bound is 2 * bytes / 128 where lines are full.
  int source_wavefronts = 0, target_wavefronts = 0;
};

/// Both sides have the same axes. `element_bytes` 1, 2, 4 or 8. Copies in registers are not stored.
[[nodiscard]] SharedImage swizzled_image(const ImageSide& source, const ImageSide& target,
                                         int element_bytes);

/// The row-major image that nothing swizzles: what a naive exchange costs.
[[nodiscard]] LinearLayout row_major_image(const LinearLayout& layout);

/// Wavefronts of all accesses of `side` to `image` with vectors of 2^vector elements.
[[nodiscard]] int count_wavefronts(const LinearLayout& image, const ImageSide& side, int vector,
                                   int element_bytes);

}  // namespace parhelion::layout
