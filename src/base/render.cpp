// SPDX-License-Identifier: Apache-2.0
// One renderer of diagnostics, as text and as JSON.
#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

#include <parhelion/diagnostic.h>

#include <fmt/format.h>

#include <iterator>

namespace parhelion {

namespace {

std::string_view word(Severity severity) {
  switch (severity) {
    case Severity::Note: return "note";
    case Severity::Warning: return "warning";
    case Severity::Error: return "error";
  }
  return "error";
}

std::string place_text(const Place& p) {
  if (p.file.empty()) return {};
  if (p.line == 0) return p.file + ": ";
  if (p.column == 0) return fmt::format("{}:{}: ", p.file, p.line);
  return fmt::format("{}:{}:{}: ", p.file, p.line, p.column);
}

/// The line of the user's source and a caret under the column, if the file can be read.
std::string source_line(const Place& p) {
  if (p.file.empty() || p.line == 0) return {};
  const auto text = read_file(p.file);
  if (!text) return {};
  const auto lines = split(*text, '\n');
  if (static_cast<std::size_t>(p.line) > lines.size()) return {};
  const std::string_view line = lines[static_cast<std::size_t>(p.line - 1)];
  std::string result = fmt::format("  {}\n", line);
  if (p.column > 0 && static_cast<std::size_t>(p.column) <= line.size() + 1) {
    result += "  ";
    for (int i = 1; i < p.column; ++i) {
      result += line[static_cast<std::size_t>(i - 1)] == '\t' ? '\t' : ' ';
    }
    result += "^\n";
  }
  return result;
}

}  // namespace

std::string render_text(const Diagnostic& d, bool color) {
  const std::string_view on = !color                              ? ""
                              : d.severity == Severity::Error     ? "\033[31m"
                              : d.severity == Severity::Warning   ? "\033[33m"
                                                                  : "\033[36m";
  const std::string_view off = color ? "\033[0m" : "";
  std::string text = fmt::format("{}{}{}[PH{}]{}: {}\n", place_text(d.where), on, word(d.severity),
                                 d.code, off, d.message);
  text += source_line(d.where);
  for (const DiagnosticNote& n : d.notes) {
    text += fmt::format("  note: {}{}\n", place_text(n.where), n.message);
  }
  if (!d.help.empty()) text += fmt::format("  help: {}\n", d.help);
  return text;
}

std::string render_text(std::span<const Diagnostic> diagnostics, bool color) {
  std::string text;
  for (const Diagnostic& d : diagnostics) text += render_text(d, color);
  return text;
}

std::string render_json(std::span<const Diagnostic> diagnostics) {
  Json list = Json::array();
  for (const Diagnostic& d : diagnostics) {
    Json o = Json::object();
    o.set("code", fmt::format("PH{}", d.code));
    o.set("severity", word(d.severity));
    o.set("message", d.message);
    o.set("file", d.where.file);
    o.set("line", d.where.line);
    o.set("column", d.where.column);
    Json notes = Json::array();
    for (const DiagnosticNote& n : d.notes) {
      Json note = Json::object();
      note.set("message", n.message);
      note.set("file", n.where.file);
      note.set("line", n.where.line);
      notes.push(std::move(note));
    }
    o.set("notes", std::move(notes));
    o.set("help", d.help);
    list.push(std::move(o));
  }
  return list.dump(2);
}

Error::Error(Diagnostic diagnostic) : Error(Diagnostics{std::move(diagnostic)}) {}
Error::Error(Diagnostics diagnostics)
    : diagnostics_(std::move(diagnostics)), text_(render_text(diagnostics_)) {}

}  // namespace parhelion
