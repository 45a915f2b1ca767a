// SPDX-License-Identifier: Apache-2.0
// A vendor's control file for ptxas: handed on, never opened for its content.
#pragma once

#include "toolchain/tools.h"

#include <parhelion/config.h>

#include <string>
#include <vector>

namespace parhelion::toolchain {

/// The flags that hand it to `ptxas`; none without a payload. PH8110 when the assembler is too old
/// for it, or the file is not there or not the one that its hash names.
[[nodiscard]] Result<std::vector<std::string>> control_file_flags(const Controls& controls,
                                                                  const Tool& ptxas);

}  // namespace parhelion::toolchain
