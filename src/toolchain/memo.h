// SPDX-License-Identifier: Apache-2.0
// What was asked of installed tools before (their versions, the settings that they take), kept in
// one file: asking clang for its version costs 100 ms, more than a compilation.
#pragma once

#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"

#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace parhelion::toolchain {

class ToolMemo {
 public:
  /// Empty path: kept in memory only. A file that cannot be read is an empty one.
  explicit ToolMemo(fs::path file = {});
  [[nodiscard]] std::optional<std::string> find(const Hash& tool, std::string_view question) const;
  void keep(const Hash& tool, std::string_view question, std::string_view answer);
  /// Merges with what other processes wrote. A folder that cannot be written costs time, no more.
  void save();

 private:
  fs::path file_;
  mutable std::mutex mutex_;
  Json answers_;  // tool -> question -> answer
  bool changed_ = false;
};

}  // namespace parhelion::toolchain
