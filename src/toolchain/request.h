// SPDX-License-Identifier: Apache-2.0
// What is asked of the toolchain, as plain values.
#pragma once

#include "base/code_writer.h"
#include "base/launch.h"

#include <parhelion/config.h>

#include <chrono>
#include <string>
#include <vector>

namespace parhelion::toolchain {

struct SourceRequest {
  std::string kernel;  // its name, for people
  std::string text;
  LineTable lines;     // of the text
  LaunchFacts launch;
  Controls controls;   // settings of tools that do not take part are left alone
  Numerics numerics = Numerics::Bounded;  // settings that need more are refused
};

/// C++ for the CPU. The compiler is `compiler.name` of the controls; without it g++, or clang++
/// where there is no g++.
struct CpuRequest : SourceRequest {
  std::string arch = "x86-64-v3";
  std::vector<std::string> features;        // beyond the level, as feature_names() spells them
  std::vector<std::string> required_flags;  // without which the text does not mean what it says
};

struct HeaderText {
  std::string name, text;  // "prelude.cuh"
};

/// CUDA C++.
struct CudaRequest : SourceRequest {
  std::string arch = "sm_90a";
  std::vector<HeaderText> headers;  // of `#include "name"`, never read from a folder
};

struct RecipeUnit {
  std::string name, text;
  std::vector<std::string> flags;
  bool reused = false;  // the same text in many requests: its object is worth keeping
};

/// Several texts that make one library, as the emulation asks for.
struct RecipeRequest {
  std::string kernel;
  std::string text;  // what the user knows as the text; the units hold it in their own way
  LineTable lines;
  LaunchFacts launch;
  std::vector<RecipeUnit> units;
  std::vector<std::string> link_flags;
};

}  // namespace parhelion::toolchain
