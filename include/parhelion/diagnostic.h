// SPDX-License-Identifier: Apache-2.0
// What a user is told: code, the line of the user's source, notes, and one thing to do next.
#pragma once

#include <exception>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion {

/// A position in the user's source; `line` 0 means "no line known". Lines and columns count from 1.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
  bool operator==(const Place&) const = default;
};

enum class Severity { Note, Warning, Error };

struct DiagnosticNote {
  std::string message;
  Place where;
  bool operator==(const DiagnosticNote&) const = default;
};

/// `code` is a row of base/diag_codes.def (docs/diagnostics.md): 1xxx-6xxx front end, 7xxx
/// configuration and plan, 8xxx toolchain and artifacts, 90xx record and search, 95xx command line.
struct Diagnostic {
  int code = 0;
  Severity severity = Severity::Error;
  std::string message;
  Place where;
  std::vector<DiagnosticNote> notes;
  std::string help;
  bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

/// Ordinary failures are values.
template <class T>
using Result = std::expected<T, Diagnostics>;

/// `softmax.cpp:41:18: error[PH7101]: ...`, then the source line with a caret if the file can be
/// read, then notes and help.
[[nodiscard]] std::string render_text(const Diagnostic& diagnostic, bool color = false);
[[nodiscard]] std::string render_text(std::span<const Diagnostic> diagnostics, bool color = false);
/// A JSON array of objects {code, severity, message, file, line, column, notes, help}.
[[nodiscard]] std::string render_json(std::span<const Diagnostic> diagnostics);

/// Thrown for a mistake of the user while a kernel is traced or called.
class Error : public std::exception {
 public:
  explicit Error(Diagnostic diagnostic);
  explicit Error(Diagnostics diagnostics);
  [[nodiscard]] const Diagnostics& diagnostics() const noexcept { return diagnostics_; }
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  Diagnostics diagnostics_;
  std::string text_;
};

}  // namespace parhelion
