// SPDX-License-Identifier: Apache-2.0
// A problem as the compiler takes it, for verbs that run nothing.
#pragma once

#include "command_line/problem.h"
#include "driver/pipeline.h"

#include <memory>

namespace parhelion::command_line_detail {

struct Subject {
  Problem problem;
  std::shared_ptr<const ir::Function> function;
  ir::Specialization specialization;
  Target target;
  Config config;
  Controls controls;
  [[nodiscard]] driver::Candidate candidate() const {
    return {*function, specialization, target, config, controls, problem.source.numerics};
  }
};

[[nodiscard]] Result<Subject> make_subject(const Options& options,
                                           std::span<const ProgramKernel> kernels);

}  // namespace parhelion::command_line_detail
