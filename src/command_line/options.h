// SPDX-License-Identifier: Apache-2.0
// What a command line said, as values.
#pragma once

#include <parhelion/command_line.h>
#include <parhelion/diagnostic.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::command_line_detail {

enum class Verb { List, Explain, Emit, Compile, Run, Bench, Cache, Doctor };

struct Options {
  Verb verb = Verb::List;
  std::string kernel;              // a name, or a .ph file
  std::vector<std::string> shape;  // "M=2048"
  std::string dtype;
  std::vector<std::string> arguments;  // "x=bf16[2048,4096]", "x=@x.npy"
  std::vector<std::string> outputs;    // "out=y.npy"
  std::string target = "cpu";
  std::string config, controls;
  std::string cache;            // folder, or "none"
  std::string stage = "text";   // emit: tile, kernel, text
  std::string keep;             // folder for generated files
  std::string action = "size";  // cache: size, list, clear, verify
  std::uint64_t seed = 1;
  int threads = 0;
  int samples = 50;
  bool json = false;
};

/// Parsed, or the exit status where there is nothing more to do (--help, a usage error).
struct Parsed {
  std::optional<Options> options;
  int status = 0;
};
[[nodiscard]] Parsed parse(int argc, const char* const* argv);

}  // namespace parhelion::command_line_detail
