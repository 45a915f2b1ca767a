// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace parhelion {

namespace {

constexpr DiagRow table[] = {
#define PH_DIAG(code, severity, summary) {code, Severity::severity, summary},
#include "base/diag_codes.def"
#undef PH_DIAG
};

}  // namespace

std::span<const DiagRow> diag_rows() { return table; }

Diagnostic diag(int code, std::string message, Place where, std::string help) {
  const auto it = std::ranges::find(table, code, &DiagRow::code);
  PH_ASSERT(it != std::end(table), fmt::format("PH{} is no row of diag_codes.def", code));
  Diagnostic d;
  d.code = code;
  d.severity = it->severity;
  d.message = std::move(message);
  d.where = std::move(where);
  d.help = std::move(help);
  return d;
}

std::unexpected<Diagnostics> fail(int code, std::string message, Place where, std::string help) {
  return std::unexpected(
      Diagnostics{diag(code, std::move(message), std::move(where), std::move(help))});
}

void assertion_failed(const char* condition, const char* file, int line,
                      const std::string& message) {
  throw InternalError(
      fmt::format("internal error at {}:{}: {} ({})", file, line, message, condition));
}

}  // namespace parhelion
