// SPDX-License-Identifier: Apache-2.0
// How a CUDA text becomes a library that the emulation can run: texts and flags as plain values,
// for whoever drives a compiler.
#pragma once

#include <parhelion/diagnostic.h>

#include <string>
#include <string_view>
#include <vector>

namespace parhelion::emulation {

struct RecipeUnit {
  std::string name;                // "text", "stub": the stub is the same for all texts
  std::string text;                // C++, fed by stdin
  std::vector<std::string> flags;  // of g++, before `-x c++ -c - -o <object>`
};

struct Recipe {
  std::vector<RecipeUnit> units;
  std::vector<std::string> link_flags;  // of `ld <flags> <objects> -o <library>`, or of g++
};

/// `cuda_text` includes "prelude.cuh" and nothing else, and defines the kernel `kernel_name` as
/// extern "C". PH8041 if it does not. Lines of the text keep their numbers.
[[nodiscard]] Result<Recipe> recipe(std::string_view cuda_text, std::string_view kernel_name);

/// The emulated prelude as text, for the test against target/prelude.def.
[[nodiscard]] std::string_view prelude_text();

}  // namespace parhelion::emulation
