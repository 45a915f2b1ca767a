// SPDX-License-Identifier: Apache-2.0
// Files: whole reads, atomic writes (temporary name, fsync, rename), locks, temporary folders.
#pragma once

#include <parhelion/diagnostic.h>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion {

namespace fs = std::filesystem;

[[nodiscard]] Result<std::string> read_file(const fs::path& path);  // PH8001
/// Nothing half-written: the old content stays until the new one is on disk. PH8002 names the cause
/// (disk full, read-only, no permission).
[[nodiscard]] Result<void> write_file(const fs::path& path, std::string_view content);
[[nodiscard]] Result<void> make_directories(const fs::path& path);

/// PARHELION_CACHE_DIR, else XDG_CACHE_HOME/parhelion, else ~/.cache/parhelion.
[[nodiscard]] fs::path cache_directory();

/// Removed with its content at the end of its life.
class TemporaryDirectory {
 public:
  explicit TemporaryDirectory(std::string_view prefix = "parhelion");
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

}  // namespace parhelion
