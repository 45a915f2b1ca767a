// SPDX-License-Identifier: Apache-2.0
// Three whole kernels with their inputs and right answers: the texts that the mutants come from.
#pragma once

#include "unit/emulation/compiled_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace emulation_test {

struct Outcome {
  em::Report report;
  bool right_numbers = false;
  [[nodiscard]] bool caught() const { return !report.clean() || !right_numbers; }
};

struct Subject {
  const char* file;
  const char* kernel;
  Outcome (*run)(const CompiledText& compiled, em::Schedule schedule, std::uint64_t seed);
};

[[nodiscard]] std::vector<Subject> subjects();
[[nodiscard]] std::string text_of(const Subject& subject);

}  // namespace emulation_test
