// SPDX-License-Identifier: Apache-2.0
// The programs and libraries that turn text into machine code, as installed on this machine.
#pragma once

#include "base/files.h"
#include "base/hash.h"
#include "toolchain/memo.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::toolchain {

enum class ToolKind : std::uint8_t { Gxx, Clang, Linker, Nvrtc, Nvcc, Ptxas };
inline constexpr int tool_kind_count = 6;

/// One row per kind: what it is for, and how it comes onto a Debian machine.
struct ToolRow {
  ToolKind kind;
  std::string_view name;      // as Controls and texts say it: "g++", "clang++", "ptxas"
  std::string_view minimum;   // oldest version that is used
  std::string_view brings;    // what works with it that does not without
  std::string_view install;
};
[[nodiscard]] std::span<const ToolRow> tool_rows();
[[nodiscard]] std::string_view name(ToolKind kind);

struct Tool {
  ToolKind kind = ToolKind::Gxx;
  std::string path;     // of the program, or of the library (NVRTC)
  std::string version;  // "12.2.0"
  Hash digest;          // of path, size, time and version: names the tool in cache keys
  bool operator==(const Tool&) const = default;
};

/// A tool that is not there, or only in a version that is too old.
struct MissingTool {
  ToolKind kind;
  std::string reason;
};

/// Folders that are looked through, in this order.
struct ToolPlaces {
  std::vector<fs::path> programs, libraries;
  /// PATH, and where CUDA toolkits and NVIDIA's Python packages are installed.
  [[nodiscard]] static ToolPlaces standard();
};

struct Tools {
  std::vector<Tool> found;  // by kind; of one kind the preferred first
  std::vector<MissingTool> missing;
  /// The preferred one whose version meets the requirement; nullptr if none.
  [[nodiscard]] const Tool* find(ToolKind kind, std::string_view requirement = {}) const;
};

/// Starts a program only for a version that `memo` does not know.
[[nodiscard]] Tools find_tools(ToolMemo& memo, const ToolPlaces& places = ToolPlaces::standard());

/// PH8103 with what the tool would bring and how to install it.
[[nodiscard]] std::unexpected<Diagnostics> missing_tool(ToolKind kind, const Tools& tools,
                                                        std::string_view requirement = {});

}  // namespace parhelion::toolchain
