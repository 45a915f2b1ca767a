// SPDX-License-Identifier: Apache-2.0
// Emitted CPU texts compiled and loaded, with g++ and with clang where there is one.
#pragma once

#include "base/dynamic_library.h"
#include "base/files.h"
#include "base/subprocess.h"
#include "emit/cpu/emitter.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace parhelion::test {

/// What every entry of a CPU text looks like.
using CpuEntry = void (*)(const void* arguments, std::int64_t first, std::int64_t last, int worker);

/// g++ and, where it is installed, a clang that knows the builtins of the prelude.
inline std::vector<std::string> cpu_compilers() {
  std::vector<std::string> found{"g++"};
  for (const char* name : {"clang++-19", "clang++"}) {
    if (!find_program(name)) continue;
    found.emplace_back(name);
    break;
  }
  return found;
}

inline bool runs_on_this_cpu(const std::string& march) {
  if (march == "x86-64-v4") {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
  if (march != "x86-64-v3") return true;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

/// A text as a loaded library; compiling must not print a word.
class CompiledText {
 public:
  CompiledText(const std::string& text, const std::string& compiler, const std::string& march) {
    const std::string source = (folder_.path() / "text.cpp").string();
    const std::string library = (folder_.path() / "text.so").string();
    REQUIRE(write_file(source, text).has_value());
    Command command;
    command.arguments = {compiler, "-O2",     "-Wall",          "-Wextra",
                         "-fPIC",  "-shared", "-march=" + march};
    for (const std::string& flag : emit::cpu::required_flags()) command.arguments.push_back(flag);
    command.arguments.insert(command.arguments.end(), {source, "-o", library, "-lm"});
    const Result<Finished> finished = run(command);
    REQUIRE(finished.has_value());
    const std::string said = finished->errors;
    REQUIRE_MESSAGE(finished->ok(), compiler << " " << march << "\n" << said);
    CHECK_MESSAGE(said.empty(), compiler << " " << march << "\n" << said);
    if (!runs_on_this_cpu(march)) return;
    Result<DynamicLibrary> opened = DynamicLibrary::open(library);
    REQUIRE(opened.has_value());
    library_ = std::move(*opened);
  }
  /// False where the CPU lacks the instructions: the text was compiled only.
  [[nodiscard]] bool runs() const { return library_.loaded(); }
  [[nodiscard]] CpuEntry entry(const char* name) const {
    void* symbol = library_.symbol(name);
    REQUIRE_MESSAGE(symbol != nullptr, name);
    return reinterpret_cast<CpuEntry>(symbol);
  }

 private:
  TemporaryDirectory folder_{"parhelion-text"};
  DynamicLibrary library_;
};

}  // namespace parhelion::test
