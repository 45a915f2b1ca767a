// SPDX-License-Identifier: Apache-2.0
// Making diagnostics from the one table of codes, and the assertion for broken invariants.
#pragma once

#include <parhelion/diagnostic.h>

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace parhelion {

struct DiagRow {
  int code;
  Severity severity;
  std::string_view summary;  // what the code means, for docs/diagnostics.md
};

/// All rows of diag_codes.def, sorted by code.
[[nodiscard]] std::span<const DiagRow> diag_rows();

/// A diagnostic with the severity of its row; `code` must be in the table.
[[nodiscard]] Diagnostic diag(int code, std::string message, Place where = {},
                              std::string help = {});

/// The same as the error arm of a Result.
[[nodiscard]] std::unexpected<Diagnostics> fail(int code, std::string message, Place where = {},
                                                std::string help = {});

/// A broken invariant of Parhelion itself, never a mistake of the user.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void assertion_failed(const char* condition, const char* file, int line,
                                   const std::string& message);

}  // namespace parhelion

#define PH_ASSERT(condition, message)                                            \
  do {                                                                           \
    if (!(condition)) {                                                          \
      ::parhelion::assertion_failed(#condition, __FILE__, __LINE__, (message));  \
    }                                                                            \
  } while (false)
