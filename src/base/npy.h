// SPDX-License-Identifier: Apache-2.0
// Tensors in .npy files (format 1 to 3, little endian). bf16 and f8 have no name there: they are
// written as u16 and u8 bit patterns and read back by asking for them.
#pragma once

#include <parhelion/tensor.h>

#include "base/files.h"

#include <optional>
#include <string>

namespace parhelion {

/// PH8001 when the file cannot be read, PH8011 when it is no array that we know. `as` reads a u16
/// as bf16 or f16 and a u8 as f8; any other difference from the dtype of the file is PH8011 too.
[[nodiscard]] Result<Buffer> read_npy(const fs::path& path, std::optional<DType> as = {});
/// The value is a note for the user: empty, or how the dtype was stored.
[[nodiscard]] Result<std::string> write_npy(const fs::path& path, const TensorView& host);

}  // namespace parhelion
