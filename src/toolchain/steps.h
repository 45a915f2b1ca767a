// SPDX-License-Identifier: Apache-2.0
// Running a tool as one step of a build.
#pragma once

#include "artifact/artifact.h"
#include "base/subprocess.h"
#include "toolchain/tools.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::toolchain {

/// A folder for the files of one build; in memory where the machine offers that.
class BuildFolder {
 public:
  [[nodiscard]] static Result<BuildFolder> make();  // PH8002
  BuildFolder(BuildFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  BuildFolder& operator=(BuildFolder&&) = delete;
  ~BuildFolder();
  [[nodiscard]] std::string file(std::string_view name) const { return (path_ / name).string(); }
  [[nodiscard]] const fs::path& path() const { return path_; }
  /// The folder's name replaced by "." in what is kept: it means nothing later.
  [[nodiscard]] std::string without_folder(std::string text) const;

 private:
  explicit BuildFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

struct StepResult {
  artifact::BuildStep step;
  bool ok = false;
};

/// Ends in a value whatever the text is: `ok` false is the tool's verdict on it. PH8003 when the
/// tool cannot be started; PH8102 when it ran out of time, was ended by a signal, or broke down.
[[nodiscard]] Result<StepResult> run_step(const BuildFolder& folder,
                                          std::vector<std::string> arguments, std::string input,
                                          std::chrono::milliseconds limit);

/// `compiler <flags> -x c++ -c - -o object`: C++ from stdin. The assembler of g++ runs beside it
/// (less time where a core is free); clang has its own inside.
[[nodiscard]] std::vector<std::string> compile_arguments(const Tool& compiler,
                                                         const std::vector<std::string>& flags,
                                                         const std::string& object);

/// "g++ 12.2.0"
[[nodiscard]] std::string tool_text(const Tool& tool);

}  // namespace parhelion::toolchain
