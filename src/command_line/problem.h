// SPDX-License-Identifier: Apache-2.0
// A kernel with concrete arguments, made from the options.
#pragma once

#include "command_line/options.h"
#include "session/state.h"

#include <span>
#include <string>
#include <vector>

namespace parhelion::command_line_detail {

struct Problem {
  session::Source source;
  const ProgramKernel* kernel = nullptr;  // null: a .ph file
  Shape shape;
  DType dtype = DType::F32;
  std::vector<ArgumentSpec> specs;
  std::vector<Buffer> tensors;      // inputs, filled
  std::vector<Argument> arguments;  // of the call
};

/// PH9501 for an unknown kernel, PH9502 for an extent or dtype, PH9503 for an argument.
[[nodiscard]] Result<Problem> make_problem(const Options& options,
                                           std::span<const ProgramKernel> kernels);
[[nodiscard]] std::string shape_text(const Problem& problem);
[[nodiscard]] Result<Config> parse_config(const Options& options);
[[nodiscard]] Result<Controls> parse_controls(const Options& options);
[[nodiscard]] Result<SessionOptions> session_options(const Options& options);

}  // namespace parhelion::command_line_detail
