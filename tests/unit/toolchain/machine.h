// SPDX-License-Identifier: Apache-2.0
// The toolchain of this machine, found once for all cases of a program.
#pragma once

#include "toolchain/toolchain.h"

namespace toolchain_test {

inline const parhelion::toolchain::Toolchain& machine() {
  static const parhelion::toolchain::Toolchain toolchain(parhelion::fs::path{});
  return toolchain;
}

inline bool has(parhelion::toolchain::ToolKind kind) {
  return machine().tools().find(kind) != nullptr;
}

}  // namespace toolchain_test
