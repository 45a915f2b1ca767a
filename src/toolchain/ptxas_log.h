// SPDX-License-Identifier: Apache-2.0
// What `ptxas -v` says about a kernel.
#pragma once

#include "artifact/artifact.h"

#include <string_view>

namespace parhelion::toolchain {

/// Registers, stack, spills and static shared memory: the largest of all entries of the file.
/// Warnings as "C7510: ..."; advice that names a code (performance notes) counts as one.
[[nodiscard]] artifact::CodeFacts parse_ptxas_log(std::string_view log);

}  // namespace parhelion::toolchain
