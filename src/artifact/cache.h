// SPDX-License-Identifier: Apache-2.0
// Artifacts by what they were made from. Any number of processes and threads use one folder at
// once; whatever happens to the folder, a caller gets its artifact by compiling.
#pragma once

#include "artifact/artifact.h"
#include "artifact/file.h"
#include "artifact/why_miss.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <vector>

namespace parhelion::artifact {

/// Everything that decides the content, as JSON: texts by their hash, flags, digests of the tools.
struct CacheKey {
  Json origin;
  Hash hash;
  [[nodiscard]] static CacheKey of(Json origin);
};

struct CacheEntry {
  Hash key;
  Summary summary;
  std::int64_t file_bytes = 0;
  std::chrono::system_clock::time_point written;
};

struct CacheSize {
  std::int64_t entries = 0, bytes = 0;
  std::int64_t quarantined = 0, quarantined_bytes = 0;
};

struct CacheCheck {
  std::int64_t checked = 0;
  std::vector<Hash> damaged;  // set aside
};

class ArtifactCache {
 public:
  explicit ArtifactCache(fs::path directory) : directory_(std::move(directory)) {}

  /// Verified on reading. A damaged entry is moved to quarantine/ and is a miss.
  [[nodiscard]] std::optional<Artifact> get(const CacheKey& key);
  /// Whole or not at all. False: the folder cannot be written, which notices() tells once.
  bool put(const CacheKey& key, const Artifact& artifact);
  [[nodiscard]] fs::path path_of(const Hash& key) const;
  [[nodiscard]] const fs::path& directory() const { return directory_; }

  /// Sorted by key. Files that are no entries are left out.
  [[nodiscard]] std::vector<CacheEntry> list() const;
  [[nodiscard]] CacheSize size() const;
  /// Whether it was there; PH8002 when it cannot be removed.
  [[nodiscard]] Result<bool> erase(const Hash& key);
  /// Removes entries, quarantine and what killed writers left; gives the number of entries.
  [[nodiscard]] Result<std::int64_t> clear();
  /// Reads every entry; removes temporary files that killed writers left an hour ago or earlier.
  [[nodiscard]] CacheCheck verify();
  [[nodiscard]] WhyMiss why_miss(const Json& origin) const;

  /// What the user should hear, each once in the life of this object (PH8211, PH8212); taken away.
  [[nodiscard]] Diagnostics notices();

 private:
  void notice(Diagnostic diagnostic);
  void set_aside(const fs::path& path, const Diagnostics& reason);

  fs::path directory_;
  std::mutex mutex_;  // over notices_ and told_write_
  Diagnostics notices_;
  bool told_write_ = false;
};

}  // namespace parhelion::artifact
