// SPDX-License-Identifier: Apache-2.0
#include "toolchain/messages.h"

#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace parhelion::toolchain {

namespace {

constexpr std::size_t most_notes = 6;

int number_at(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return static_cast<int>(parse_integer(text.substr(0, end)).value_or(0));
}

/// Where "error" or "warning" begins, and what follows its colon.
struct Verdict {
  std::size_t at;
  bool error;
  std::string_view text;
};

std::optional<Verdict> verdict(std::string_view line) {
  struct Word {
    std::string_view word;
    bool error;
  };
  constexpr Word words[] = {{"fatal error", true}, {"catastrophic error", true}, {"error", true},
                            {"fatal", true},       {"warning", false}};
  for (const auto& [word, error] : words) {
    const std::size_t at = line.find(word);
    if (at == std::string_view::npos) continue;
    // "error #20:" of nvcc, "error   :" of ptxas.
    const std::size_t colon = line.find(':', at + word.size());
    if (colon == std::string_view::npos) continue;
    const std::string_view between = trim(line.substr(at + word.size(), colon - at - word.size()));
    if (!between.empty() && between.front() != '#') continue;
    return Verdict{at, error, trim(line.substr(colon + 1))};
  }
  return std::nullopt;
}

/// The numbers in front of the verdict: ":12:5: ", "(12): ", ", line 12; ".
void find_line(std::string_view head, Message& message) {
  if (const std::size_t word = head.rfind("line "); word != std::string_view::npos) {
    message.line = number_at(head.substr(word + 5));
    return;
  }
  if (const std::size_t open = head.rfind('('); open != std::string_view::npos) {
    message.line = number_at(head.substr(open + 1));
    return;
  }
  const std::vector<std::string_view> parts = split(head, ':');
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const int number = number_at(parts[i]);
    if (number == 0) continue;
    (message.line == 0 ? message.line : message.column) = number;
  }
}

std::string_view line_of(std::string_view text, int number) {
  const std::vector<std::string_view> lines = split(text, '\n');
  const auto index = static_cast<std::size_t>(number) - 1;
  return number > 0 && index < lines.size() ? trim(lines[index]) : std::string_view();
}

Place place_of(const LineTable& lines, int line) {
  const LineTable::Entry* entry = line > 0 ? lines.find(line) : nullptr;
  return entry != nullptr ? Place{entry->file, entry->user_line, entry->user_column} : Place{};
}

/// The line in which a tool says that it does not know a flag or its value; empty if none.
std::string_view refused_flag(std::string_view log) {
  for (const std::string_view line : split(log, '\n')) {
    for (const char* words : {"unrecognized command-line option", "unrecognized argument in option",
                              "bad value (", "unknown argument", "Unknown command line argument",
                              "Cannot find option named", "unsupported argument",
                              "Unknown option", "unrecognized option", "is not defined for option",
                              "Unable to parse"}) {
      if (line.contains(words)) return trim(line);
    }
  }
  return {};
}

}  // namespace

std::vector<Message> parse_messages(std::string_view log) {
  std::vector<Message> messages;
  for (const std::string_view line : split(log, '\n')) {
    const auto found = verdict(line);
    if (!found) continue;
    Message message;
    message.error = found->error;
    message.text = found->text;
    find_line(line.substr(0, found->at), message);
    messages.push_back(std::move(message));
  }
  return messages;
}

std::vector<std::string> warnings_of(std::string_view log) {
  std::vector<std::string> warnings;
  for (const Message& m : parse_messages(log)) {
    if (!m.error) warnings.push_back(m.text);
  }
  return warnings;
}

Diagnostic refused(std::string_view tool, std::string_view kernel, std::string_view log,
                   std::string_view text, const LineTable& lines) {
  if (const auto said = refused_flag(log); !said.empty()) {
    return diag(8106, fmt::format("{} does not take a flag: {}", tool, said), {},
                "leave the setting out, or use a version of the tool that takes it");
  }
  std::vector<Message> errors = parse_messages(log);
  std::erase_if(errors, [](const Message& m) { return !m.error; });
  if (errors.empty()) errors.push_back({0, 0, true, std::string(trim(log.substr(0, 500)))});
  const auto at_line = [&](const Message& m) {
    return m.line > 0 ? fmt::format("line {} of the text: {}", m.line, m.text) : m.text;
  };
  Diagnostic d = diag(8101, fmt::format("{} refuses the text of {}: {}", tool, kernel,
                                        at_line(errors.front())),
                      place_of(lines, errors.front().line),
                      "the text is Parhelion's own: please report it, with the kernel");
  if (const auto source = line_of(text, errors.front().line); !source.empty()) {
    d.notes.push_back({fmt::format("in the text: {}", source), {}});
  }
  for (std::size_t i = 1; i < std::min(errors.size(), most_notes); ++i) {
    d.notes.push_back({at_line(errors[i]), place_of(lines, errors[i].line)});
  }
  return d;
}

}  // namespace parhelion::toolchain
