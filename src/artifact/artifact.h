// SPDX-License-Identifier: Apache-2.0
// A compiled kernel as a value.
#pragma once

#include "base/code_writer.h"
#include "base/hash.h"
#include "base/launch.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::artifact {

enum class Kind : std::uint8_t { CpuSharedObject, Cubin, Ptx, EmulatedSharedObject };
[[nodiscard]] std::string_view name(Kind kind);  // "cpu-so", "cubin", "ptx", "emulated-so"
[[nodiscard]] std::optional<Kind> parse_kind(std::string_view text);

/// One program (or library call) that took part in the build.
struct BuildStep {
  std::string command;  // as a user would type it
  std::string output;   // what it printed
  double wall_s = 0;
  bool operator==(const BuildStep&) const = default;
};

/// Read from the code or the tool's log, never estimated. What no tool told is unknown.
struct CodeFacts {
  std::optional<std::int64_t> registers;     // of one thread
  std::optional<std::int64_t> stack_bytes;   // of one thread
  std::optional<std::int64_t> spill_store_bytes, spill_load_bytes;
  std::optional<std::int64_t> shared_bytes;  // static shared memory of one block
  std::optional<std::int64_t> code_bytes;    // machine instructions
  std::vector<std::string> warnings;         // of the last tool: "C7510: ..."
  bool operator==(const CodeFacts&) const = default;
};

struct Artifact {
  Kind kind = Kind::CpuSharedObject;
  std::string kernel;                 // its name, for people
  std::string arch;                   // "x86-64-v3", "sm_90a"
  std::vector<std::string> features;  // what the CPU needs beyond the level of `arch`
  std::vector<std::byte> bytes;
  LaunchFacts launch;
  std::string text;                   // the source that was compiled
  LineTable lines;                    // of `text`
  std::vector<BuildStep> steps;
  CodeFacts facts;
  Hash code_hash;                     // of the machine code alone; see code.h
  bool operator==(const Artifact&) const = default;
};

[[nodiscard]] inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] std::vector<std::byte> as_bytes(std::string_view text);

}  // namespace parhelion::artifact
