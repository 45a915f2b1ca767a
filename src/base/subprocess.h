// SPDX-License-Identifier: Apache-2.0
// Child processes by posix_spawn: run to the end with a deadline, or talk over pipes.
#pragma once

#include <parhelion/diagnostic.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion {

struct Command {
  std::vector<std::string> arguments;        // [0] is the program, looked up in PATH
  std::string input;                         // written to its stdin
  std::string directory;                     // working folder; empty: ours
  std::vector<std::string> environment;      // NAME=value, added to ours
  std::optional<std::chrono::milliseconds> timeout;
};

struct Finished {
  int exit_code = -1;          // -1 when ended by a signal
  int signal = 0;              // 0 when it exited
  bool timed_out = false;
  std::string output, errors;  // stdout, stderr
  double wall_s = 0;
  [[nodiscard]] bool ok() const { return exit_code == 0 && !timed_out; }
};

/// PH8003 when the program cannot be started; any exit is a value.
[[nodiscard]] Result<Finished> run(const Command& command);

/// Full path of a program in PATH (or of a path with a slash that is executable).
[[nodiscard]] std::optional<std::string> find_program(std::string_view name);

/// A child that answers lines with lines (the worker protocol).
class LineProcess {
 public:
  enum class Status { Line, Timeout, Exited };
  /// `inherited` file descriptors stay open in the child under the same numbers.
  [[nodiscard]] static Result<LineProcess> start(const Command& command,
                                                 const std::vector<int>& inherited = {});
  LineProcess(LineProcess&&) noexcept;
  LineProcess& operator=(LineProcess&&) noexcept;
  ~LineProcess();                                          // kills and reaps
  [[nodiscard]] bool write_line(std::string_view line);    // false: the child is gone
  [[nodiscard]] Status read_line(std::string& line, std::chrono::milliseconds timeout);
  void kill();                                             // its whole process group, and reaps
  /// After Exited or kill(): how it ended, and the tail of its stderr.
  [[nodiscard]] Finished finished();
  [[nodiscard]] int pid() const;

 private:
  struct State;
  explicit LineProcess(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace parhelion
