// SPDX-License-Identifier: Apache-2.0
// Objects -> shared object, by the linker itself.
#pragma once

#include "artifact/artifact.h"
#include "toolchain/steps.h"

#include <chrono>
#include <string>
#include <vector>

namespace parhelion::toolchain {

/// Fills bytes, code hash and facts of `made`, and adds the step. PH8109 when the linker refuses.
[[nodiscard]] Result<void> link_library(const BuildFolder& folder, const Tool& linker,
                                        const std::vector<std::string>& objects,
                                        const std::vector<std::string>& flags,
                                        std::chrono::milliseconds limit,
                                        artifact::Artifact& made);

}  // namespace parhelion::toolchain
