// SPDX-License-Identifier: Apache-2.0
// The device prelude as text: whole, for `#include "prelude.cuh"` resolved in memory, or only the
// wrappers that a kernel uses, for a text that is taken away.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace parhelion::emit {

/// One overload of one wrapper, with the comment in front of it.
struct Wrapper {
  std::string_view name;
  std::string_view text;  // ends in a newline
};

/// The content of `prelude.cuh`: all parts in order of use, without includes between them.
[[nodiscard]] std::string_view prelude_text();

/// All wrappers in the order of the text; overloads of a name follow each other.
[[nodiscard]] std::span<const Wrapper> prelude_wrappers();

/// The type names, then every wrapper that `kernel_text` names and those that they name in turn.
[[nodiscard]] std::string prelude_used_by(std::string_view kernel_text);

}  // namespace parhelion::emit
