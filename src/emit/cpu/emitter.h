// SPDX-License-Identifier: Apache-2.0
// Kernel IR of the CPU -> header-free C++ on GNU vector types, the same for g++ and clang.
#pragma once

#include "emit/common/c_family.h"
#include "ir/kernel/module.h"

namespace parhelion::emit::cpu {

/// One text with all functions of the module. Entries are
/// `extern "C" void NAME(const Arguments* args, i64 first, i64 last, int worker)`, Arguments being
/// the launch parameters in order, eight bytes each. The module must verify.
[[nodiscard]] SourceText print(const ir::kernel::Module& module, Options options = {});

/// Flags without which the text does not mean what it says (with them g++ and clang agree in every
/// bit): the standard, no contraction of a * b + c.
[[nodiscard]] std::vector<std::string> required_flags();

/// Whether a name is taken by the prelude or the language, so that no entry may have it.
[[nodiscard]] bool is_reserved(const std::string& name);

}  // namespace parhelion::emit::cpu
