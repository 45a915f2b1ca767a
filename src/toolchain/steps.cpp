// SPDX-License-Identifier: Apache-2.0
#include "toolchain/steps.h"

#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace parhelion::toolchain {

namespace {

/// Quoted as a shell needs it.
std::string quoted(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// Compilers that break down exit like after any error, but say so.
bool broke_down(const Finished& finished) {
  return finished.errors.contains("internal compiler error") ||
         finished.errors.contains("PLEASE submit a bug report") ||
         finished.errors.contains("Internal error");
}

std::string what_happened(const Finished& finished, std::chrono::milliseconds limit) {
  if (finished.timed_out) return fmt::format("took longer than {} ms", limit.count());
  if (finished.signal != 0) {
    return fmt::format("was ended by a signal: {}", ::strsignal(finished.signal));
  }
  return "broke down (an internal error of its own)";
}

}  // namespace

Result<BuildFolder> BuildFolder::make() {
  int error = 0;
  for (const fs::path& base : {fs::path("/dev/shm"), fs::temp_directory_path()}) {
    std::string name = (base / "parhelion-build-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) return BuildFolder(name);
    error = errno;
  }
  return fail(8002, fmt::format("cannot make a temporary folder: {}", std::strerror(error)), {},
              "make the folder that TMPDIR names, or /tmp, writable");
}

BuildFolder::~BuildFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

std::string BuildFolder::without_folder(std::string text) const {
  const std::string name = path_.string();
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
    text.replace(at, name.size(), ".");
  }
  return text;
}

Result<StepResult> run_step(const BuildFolder& folder, std::vector<std::string> arguments,
                            std::string input, std::chrono::milliseconds limit) {
  Command command;
  command.arguments = std::move(arguments);
  command.input = std::move(input);
  // TMPDIR: what compilers keep between their passes goes where the build does.
  command.environment = {"LC_ALL=C", "TMPDIR=" + folder.path().string()};
  command.timeout = limit;
  const Result<Finished> finished = run(command);
  if (!finished) return std::unexpected(finished.error());
  std::vector<std::string> words;
  std::ranges::transform(command.arguments, std::back_inserter(words), quoted);
  StepResult result;
  result.step = {folder.without_folder(join(words, " ")),
                 folder.without_folder(finished->output + finished->errors), finished->wall_s};
  result.ok = finished->ok();
  if (finished->timed_out || finished->signal != 0 || (!result.ok && broke_down(*finished))) {
    Diagnostic d = diag(8102, fmt::format("{} {}",
                                          fs::path(command.arguments[0]).filename().string(),
                                          what_happened(*finished, limit)),
                        {}, "another configuration or other controls may avoid it");
    d.notes.push_back({"command: " + result.step.command, {}});
    if (const auto said = trim(result.step.output); !said.empty()) {
      d.notes.push_back({std::string(said.substr(0, 500)), {}});
    }
    return std::unexpected(Diagnostics{std::move(d)});
  }
  return result;
}

std::vector<std::string> compile_arguments(const Tool& compiler,
                                           const std::vector<std::string>& flags,
                                           const std::string& object) {
  std::vector<std::string> arguments = {compiler.path};
  arguments.insert(arguments.end(), flags.begin(), flags.end());
  if (compiler.kind == ToolKind::Gxx) arguments.emplace_back("-pipe");
  for (const char* last : {"-x", "c++", "-c", "-", "-o"}) arguments.emplace_back(last);
  arguments.push_back(object);
  return arguments;
}

std::string tool_text(const Tool& tool) {
  return fmt::format("{} {}", name(tool.kind), tool.version);
}

}  // namespace parhelion::toolchain
