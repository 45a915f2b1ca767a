// SPDX-License-Identifier: Apache-2.0
// The resource records of a cubin (.nv.info), which the driver reads too.
#pragma once

#include "artifact/elf.h"

#include <cstdint>
#include <optional>

namespace parhelion::artifact {

struct CubinResources {
  std::optional<std::int64_t> registers;     // the largest of all kernels
  std::optional<std::int64_t> stack_bytes;   // likewise: frame of the kernel itself
};
[[nodiscard]] CubinResources cubin_resources(const ElfFile& cubin);

}  // namespace parhelion::artifact
