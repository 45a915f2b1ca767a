// SPDX-License-Identifier: Apache-2.0
#include "artifact/cache.h"

#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unistd.h>

namespace parhelion::artifact {

namespace {

constexpr std::string_view extension = ".phart";

struct EntryFile {
  Hash key;
  fs::path path;
};

/// Every file below the folder; a folder that is not there is an empty one.
void for_each_file(const fs::path& folder, const std::function<void(const fs::path&)>& visit) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code gone;  // other processes move and remove files
    if (at->is_regular_file(gone)) visit(at->path());
  }
}

std::vector<EntryFile> entry_files(const fs::path& entries) {
  std::vector<EntryFile> files;
  for_each_file(entries, [&](const fs::path& path) {
    if (path.extension() != extension) return;
    if (const auto key = Hash::parse(path.stem().string())) files.push_back({*key, path});
  });
  std::ranges::sort(files, {}, &EntryFile::key);
  return files;
}

std::int64_t bytes_of(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);
  return error ? 0 : static_cast<std::int64_t>(size);
}

std::chrono::system_clock::time_point time_of(const fs::path& path) {
  std::error_code error;
  const auto written = fs::last_write_time(path, error);
  if (error) return {};
  return std::chrono::time_point_cast<std::chrono::system_clock::duration>(
      std::chrono::file_clock::to_sys(written));
}

/// Another version's entry is sound: it is left to that version.
bool of_newer_version(const Diagnostics& reason) { return reason.front().code == 8202; }

/// Temporary names of write_file: an entry's name and six more characters.
bool is_leftover(const fs::path& path) {
  return path.filename().string().contains(std::string(extension) + ".");
}

}  // namespace

CacheKey CacheKey::of(Json origin) {
  const Hash hash = hash_text(origin.dump());
  return {std::move(origin), hash};
}

fs::path ArtifactCache::path_of(const Hash& key) const {
  const std::string hex = key.hex();
  return directory_ / "entries" / hex.substr(0, 2) / (hex + std::string(extension));
}

void ArtifactCache::notice(Diagnostic diagnostic) {
  const std::lock_guard lock(mutex_);
  if (std::ranges::find(notices_, diagnostic) == notices_.end()) {
    notices_.push_back(std::move(diagnostic));
  }
}

Diagnostics ArtifactCache::notices() {
  const std::lock_guard lock(mutex_);
  return std::exchange(notices_, {});
}

void ArtifactCache::set_aside(const fs::path& path, const Diagnostics& reason) {
  const fs::path folder = directory_ / "quarantine";
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path target = folder / fmt::format("{}.{}", path.stem().string(), ::getpid());
  fs::rename(path, target, error);  // fails where another process was first, or nothing may move
  Diagnostic told = diag(8212, fmt::format("the cache had a damaged entry {}: {}",
                                           path.stem().string(), reason.front().message),
                         {}, "nothing is lost: it is compiled again");
  if (!error) told.notes.push_back({fmt::format("it lies in '{}'", target.string()), {}});
  notice(std::move(told));
}

std::optional<Artifact> ArtifactCache::get(const CacheKey& key) {
  const fs::path path = path_of(key.hash);
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return std::nullopt;
  Result<Artifact> artifact = deserialize(*bytes);
  if (artifact) return std::move(*artifact);
  if (!of_newer_version(artifact.error())) set_aside(path, artifact.error());
  return std::nullopt;
}

bool ArtifactCache::put(const CacheKey& key, const Artifact& artifact) {
  const fs::path path = path_of(key.hash);
  Result<void> written = make_directories(path.parent_path());
  if (written) written = write_file(path, serialize(artifact, key.origin));
  if (written) return true;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(told_write_, true)) return false;
  }
  const Diagnostic& cause = written.error().front();
  notice(diag(8211, fmt::format("going on without the artifact cache: {}", cause.message), {},
              cause.help));
  return false;
}

std::vector<CacheEntry> ArtifactCache::list() const {
  std::vector<CacheEntry> entries;
  for (const EntryFile& file : entry_files(directory_ / "entries")) {
    Result<Summary> summary = read_summary(file.path);
    if (!summary) continue;
    entries.push_back(
        {file.key, std::move(*summary), bytes_of(file.path), time_of(file.path)});
  }
  return entries;
}

CacheSize ArtifactCache::size() const {
  CacheSize total;
  for (const EntryFile& file : entry_files(directory_ / "entries")) {
    ++total.entries;
    total.bytes += bytes_of(file.path);
  }
  for_each_file(directory_ / "quarantine", [&](const fs::path& path) {
    ++total.quarantined;
    total.quarantined_bytes += bytes_of(path);
  });
  return total;
}

Result<bool> ArtifactCache::erase(const Hash& key) {
  std::error_code error;
  const bool there = fs::remove(path_of(key), error);
  if (error) {
    return fail(8002, fmt::format("cannot remove '{}': {}", path_of(key).string(),
                                  error.message()),
                {}, "check that you may write to the folder");
  }
  return there;
}

Result<std::int64_t> ArtifactCache::clear() {
  const auto entries = static_cast<std::int64_t>(entry_files(directory_ / "entries").size());
  for (const char* part : {"entries", "quarantine"}) {
    std::error_code error;
    fs::remove_all(directory_ / part, error);
    if (error) {
      return fail(8002, fmt::format("cannot remove '{}': {}", (directory_ / part).string(),
                                    error.message()),
                  {}, "check that you may write to the folder");
    }
  }
  return entries;
}

CacheCheck ArtifactCache::verify() {
  CacheCheck check;
  for (const EntryFile& file : entry_files(directory_ / "entries")) {
    const Result<std::string> bytes = read_file(file.path);
    if (!bytes) continue;  // erased meanwhile
    ++check.checked;
    const Result<Artifact> artifact = deserialize(*bytes);
    if (artifact || of_newer_version(artifact.error())) continue;
    check.damaged.push_back(file.key);
    set_aside(file.path, artifact.error());
  }
  const auto long_ago = std::chrono::system_clock::now() - std::chrono::hours(1);
  for_each_file(directory_ / "entries", [&](const fs::path& path) {
    std::error_code ignored;
    if (is_leftover(path) && time_of(path) < long_ago) fs::remove(path, ignored);
  });
  return check;
}

WhyMiss ArtifactCache::why_miss(const Json& origin) const {
  WhyMiss best;
  for (const EntryFile& file : entry_files(directory_ / "entries")) {
    const Result<Summary> summary = read_summary(file.path);
    if (!summary) continue;
    std::vector<Difference> found = differences(origin, summary->origin);
    if (best.nearest && found.size() >= best.differences.size()) continue;
    best = {file.key, std::move(found)};
  }
  return best;
}

}  // namespace parhelion::artifact
