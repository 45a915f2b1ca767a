// SPDX-License-Identifier: Apache-2.0
// What compilers print about a text, led back to the user's line.
#pragma once

#include "base/code_writer.h"

#include <parhelion/diagnostic.h>

#include <string>
#include <string_view>
#include <vector>

namespace parhelion::toolchain {

struct Message {
  int line = 0, column = 0;  // of the compiled text; 0: none
  bool error = false;
  std::string text;
};

/// "name:12:5: error: x" of g++ and clang, "name(12): error: x" of NVRTC and nvcc,
/// "ptxas name, line 12; error : x". Other lines are left out.
[[nodiscard]] std::vector<Message> parse_messages(std::string_view log);

/// PH8106 when the tool refused a flag, else PH8101 for the text: the first error, at the user's
/// line; the others as notes, with the line of the text itself. `tool` is "g++ 12.2.0".
[[nodiscard]] Diagnostic refused(std::string_view tool, std::string_view kernel,
                                 std::string_view log, std::string_view text,
                                 const LineTable& lines);
/// The texts of the warnings.
[[nodiscard]] std::vector<std::string> warnings_of(std::string_view log);

}  // namespace parhelion::toolchain
