// SPDX-License-Identifier: Apache-2.0
// Kernels by hand, built as a shared object beside the tests, and their launch facts.
#pragma once

#include "base/files.h"
#include "base/launch.h"

#include <cstddef>
#include <span>
#include <string>

namespace parhelion::runtime {

inline std::span<const std::byte> test_kernel_bytes() {
  static const std::string bytes = read_file(PH_TEST_KERNELS).value();
  return std::as_bytes(std::span(bytes));
}

inline SizeProgram size_program(std::string_view text) { return SizeProgram::parse(text).value(); }

inline LaunchParameter tensor_parameter(std::string name, DType dtype, int tensor, bool written) {
  return {.kind = LaunchParameter::Kind::Pointer,
          .name = std::move(name),
          .dtype = dtype,
          .tensor = tensor,
          .written = written,
          .value = SizeProgram::constant(0)};
}

/// out[i] = x[i] * factor, and its variants that go wrong: the same parameters, another entry.
inline LaunchFacts scale_facts(std::string entry = "scale") {
  LaunchFacts facts;
  facts.symbols = {{CallSymbol::Kind::Size, 0, 0}};
  facts.parameters = {tensor_parameter("x", DType::F32, 0, false),
                      tensor_parameter("out", DType::F32, 1, true),
                      {.kind = LaunchParameter::Kind::Scalar,
                       .name = "factor",
                       .dtype = DType::F32,
                       .value = SizeProgram::constant(0)}};
  facts.phases = {{.entry = std::move(entry), .programs = size_program("s0")}};
  return facts;
}

/// workspace[i] = i * i by way of scratch; then out[i] = workspace[i] + 1.
inline LaunchFacts phase_facts() {
  LaunchFacts facts;
  facts.symbols = {{CallSymbol::Kind::Size, 0, 0}};
  facts.parameters = {tensor_parameter("out", DType::I64, 0, true),
                      {.kind = LaunchParameter::Kind::Workspace,
                       .name = "workspace",
                       .value = SizeProgram::constant(0)},
                      {.kind = LaunchParameter::Kind::Scratch,
                       .name = "scratch",
                       .value = SizeProgram::constant(0)}};
  facts.phases = {{.entry = "squares", .programs = size_program("s0"), .chunk = 3},
                  {.entry = "plus_one", .programs = size_program("s0")}};
  facts.workspace_bytes = size_program("s0 8 *");
  facts.scratch_bytes = SizeProgram::constant(64);
  return facts;
}

/// out[0] = how often this library ran it.
inline LaunchFacts count_facts() {
  LaunchFacts facts;
  facts.parameters = {tensor_parameter("out", DType::I64, 0, true)};
  facts.phases = {{.entry = "count_runs", .programs = SizeProgram::constant(1)}};
  return facts;
}

}  // namespace parhelion::runtime
