// SPDX-License-Identifier: Apache-2.0
// One function a verb; each returns the exit status.
#pragma once

#include "command_line/options.h"

#include <parhelion/command_line.h>

#include <span>

namespace parhelion::command_line_detail {

using Kernels = std::span<const ProgramKernel>;

int verb_list(const Options& options, Kernels kernels);
int verb_explain(const Options& options, Kernels kernels);
int verb_emit(const Options& options, Kernels kernels);
int verb_compile(const Options& options, Kernels kernels);
int verb_run(const Options& options, Kernels kernels);
int verb_bench(const Options& options, Kernels kernels);
int verb_cache(const Options& options);
int verb_doctor(const Options& options);

}  // namespace parhelion::command_line_detail
