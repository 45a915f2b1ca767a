// SPDX-License-Identifier: Apache-2.0
// A CUDA text compiled by its recipe and run: what the tests of the emulation share.
#pragma once

#include "emulation/recipe.h"
#include "emulation/run.h"

#include <string>
#include <string_view>
#include <vector>

namespace emulation_test {

namespace em = parhelion::emulation;

class CompiledText {
 public:
  /// Throws with the compiler's words if the text does not compile.
  CompiledText(std::string_view text, std::string_view kernel);
  [[nodiscard]] em::Report run(const em::Launch& launch) const;
  [[nodiscard]] const parhelion::DynamicLibrary& library() const { return library_; }

 private:
  parhelion::DynamicLibrary library_;
};

/// Line of the first occurrence of `what` in `text`, from 1; 0 if absent.
[[nodiscard]] int line_of(std::string_view text, std::string_view what);

template <class T>
em::Buffer buffer(std::vector<T>& elements, bool writable) {
  return {elements.data(), elements.size() * sizeof(T), writable};
}

}  // namespace emulation_test
