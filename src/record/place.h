// SPDX-License-Identifier: Apache-2.0
// Where a record lies, and who may write it.
#pragma once

#include "base/files.h"

#include <optional>
#include <string_view>

namespace parhelion::record {

/// Name of a file system that is known to be reached over a network, by statfs' f_type: SQLite's
/// locks and shared memory do not hold there. FUSE and 9p are let through: both also serve local
/// disks (containers), and nothing tells which.
[[nodiscard]] std::optional<std::string_view> network_file_system(long type);
/// PH9005 when `type` is one of them.
[[nodiscard]] Result<void> check_file_system(const fs::path& path, long type);
/// PH9005 when `path` (or the nearest folder above it that exists) lies on one.
[[nodiscard]] Result<void> check_local(const fs::path& path);
/// Whether this process could write the file, or make it.
[[nodiscard]] bool writable(const fs::path& path);

/// The right to write a record, held by one process at a time: a locked file beside it, which goes
/// when the writer goes, by a crash too (its name may stay behind, its lock does not).
class WriterLock {
 public:
  WriterLock() = default;
  [[nodiscard]] static Result<WriterLock> take(const fs::path& record);  // PH9006, PH9007
  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&& other) noexcept;
  ~WriterLock();

 private:
  fs::path path_;
  int descriptor_ = -1;
};

}  // namespace parhelion::record
