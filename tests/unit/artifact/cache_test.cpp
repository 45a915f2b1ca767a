// SPDX-License-Identifier: Apache-2.0
#include "sample.h"

#include "artifact/cache.h"
#include "support/skip.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sys/mount.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace parhelion;
using artifact::ArtifactCache;
using artifact::CacheKey;
using artifact_test::origin;
using artifact_test::sample;

namespace {

CacheKey key(const std::string& text, const std::string& flag = "-O2") {
  return CacheKey::of(origin(text, flag));
}

void overwrite(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

std::size_t files_in(const fs::path& folder) {
  std::size_t count = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; ++at) {
    if (at->is_regular_file()) ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("what was put is found again, by any object over the folder") {
  const TemporaryDirectory folder("parhelion-cache");
  ArtifactCache cache(folder.path());
  CHECK_FALSE(cache.get(key("a")));
  CHECK(cache.put(key("a"), sample("a")));
  CHECK(cache.put(key("b"), sample("b")));
  ArtifactCache again(folder.path());
  const auto found = again.get(key("a"));
  REQUIRE(found);
  CHECK(*found == sample("a"));
  CHECK_FALSE(again.get(key("c")));
  CHECK(again.notices().empty());

  const auto entries = again.list();
  REQUIRE(entries.size() == 2);
  CHECK(std::ranges::is_sorted(entries, {}, &artifact::CacheEntry::key));
  CHECK(entries[0].summary.kernel == "softmax");
  const auto size = again.size();
  CHECK(size.entries == 2);
  CHECK(size.bytes == entries[0].file_bytes + entries[1].file_bytes);
  CHECK(size.quarantined == 0);

  CHECK(again.erase(key("a").hash).value());
  CHECK_FALSE(again.erase(key("a").hash).value());
  CHECK_FALSE(again.get(key("a")));
  CHECK(again.clear().value() == 1);
  CHECK(again.size().entries == 0);
  CHECK(again.clear().value() == 0);
}

TEST_CASE("a damaged entry is a miss, set aside, and told once: PH8212") {
  const TemporaryDirectory folder("parhelion-cache");
  ArtifactCache cache(folder.path());
  CHECK(cache.put(key("a"), sample("a")));
  const fs::path path = cache.path_of(key("a").hash);
  overwrite(path, read_file(path)->substr(0, 100));
  CHECK_FALSE(cache.get(key("a")));
  CHECK_FALSE(fs::exists(path));
  CHECK(cache.size().quarantined == 1);
  CHECK_FALSE(cache.get(key("a")));
  const Diagnostics told = cache.notices();
  REQUIRE(told.size() == 1);
  CHECK(told[0].code == 8212);
  CHECK(told[0].severity == Severity::Warning);
  CHECK(told[0].message == "the cache had a damaged entry " + key("a").hash.hex() +
                               ": a damaged artifact: its checksum does not fit");
  CHECK(told[0].help == "nothing is lost: it is compiled again");
  CHECK(cache.put(key("a"), sample("a")));
  CHECK(cache.get(key("a")));
}

TEST_CASE("an entry of a newer version is left to that version") {
  const TemporaryDirectory folder("parhelion-cache");
  ArtifactCache cache(folder.path());
  CHECK(cache.put(key("a"), sample("a")));
  const fs::path path = cache.path_of(key("a").hash);
  std::string bytes = *read_file(path);
  bytes[24] = 9;
  overwrite(path, bytes);
  CHECK_FALSE(cache.get(key("a")));
  CHECK(cache.verify().damaged.empty());
  CHECK(fs::exists(path));
}

TEST_CASE("verify reads everything, and removes what killed writers left long ago") {
  const TemporaryDirectory folder("parhelion-cache");
  ArtifactCache cache(folder.path());
  CHECK(cache.put(key("a"), sample("a")));
  CHECK(cache.put(key("b"), sample("b")));
  const fs::path path = cache.path_of(key("b").hash);
  overwrite(path, "nonsense");
  const fs::path old_one = path.string() + ".Ab12Cd", young = path.string() + ".Zz99Zz";
  overwrite(old_one, "half");
  overwrite(young, "half");
  fs::last_write_time(old_one, fs::file_time_type::clock::now() - std::chrono::hours(3));
  const auto check = cache.verify();
  CHECK(check.checked == 2);
  REQUIRE(check.damaged.size() == 1);
  CHECK(check.damaged[0] == key("b").hash);
  CHECK_FALSE(fs::exists(old_one));
  CHECK(fs::exists(young));
  CHECK(cache.list().size() == 1);
  CHECK(cache.clear().value() == 1);
  CHECK(files_in(folder.path()) == 0);
}

TEST_CASE("a folder that cannot be written is told once, and nothing is lost: PH8211") {
  const TemporaryDirectory folder("parhelion-cache");
  const fs::path file = folder.path() / "in_the_way";
  overwrite(file, "a file where the folder should be");
  ArtifactCache cache(file);
  CHECK_FALSE(cache.put(key("a"), sample("a")));
  CHECK_FALSE(cache.put(key("b"), sample("b")));
  CHECK_FALSE(cache.get(key("a")));
  CHECK(cache.list().empty());
  const Diagnostics told = cache.notices();
  REQUIRE(told.size() == 1);
  CHECK(told[0].code == 8211);
  CHECK(told[0].severity == Severity::Warning);
  CHECK(told[0].message.starts_with("going on without the artifact cache: cannot make the folder"));
  CHECK_FALSE(told[0].help.empty());
  CHECK(cache.notices().empty());
}

TEST_CASE("a full disk: told, and no half entry stays") {
  const TemporaryDirectory folder("parhelion-cache");
  const bool mounted =
      ::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") == 0;
  if (!mounted) PH_SKIP("mounting a small file system needs root");
  {
    ArtifactCache cache(folder.path());
    artifact::Artifact large = sample("x");
    for (std::uint32_t i = 0, v = 1; i < 400000; ++i) {  // does not compress
      v = v * 1664525u + 1013904223u;
      large.bytes.push_back(static_cast<std::byte>(v >> 24));
    }
    CHECK(cache.put(key("small"), sample("small")));
    CHECK_FALSE(cache.put(key("large"), large));
    const Diagnostics told = cache.notices();
    REQUIRE(told.size() == 1);
    CHECK(told[0].message.ends_with("No space left on device"));
    CHECK(told[0].help == "free some disk space, or point PARHELION_CACHE_DIR elsewhere");
    CHECK(files_in(folder.path()) == 1);
    CHECK(cache.get(key("small")));
    ::mount("tmpfs", folder.path().c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64k");
    ArtifactCache reader(folder.path());
    CHECK(reader.get(key("small")));
    CHECK_FALSE(reader.put(key("other"), sample("other")));
    CHECK(reader.notices().front().message.ends_with("Read-only file system"));
  }
  ::umount2(folder.path().c_str(), MNT_DETACH);
}

TEST_CASE("many processes and threads on one folder") {
  const TemporaryDirectory folder("parhelion-cache");
  constexpr int processes = 4, keys = 12, rounds = 5;
  const auto work = [&](ArtifactCache& cache, int who) {
    for (int i = 0; i < rounds * keys; ++i) {
      const std::string text = std::to_string((i * 5 + who) % keys);
      const auto found = cache.get(key(text));
      if (found && *found != sample(text)) return false;
      if (!found && !cache.put(key(text), sample(text))) return false;
      if (i % 17 == who) (void)cache.erase(key(text).hash);
    }
    return cache.notices().empty();
  };
  std::vector<pid_t> children;
  for (int who = 0; who < processes; ++who) {
    const pid_t child = ::fork();
    if (child == 0) {
      ArtifactCache cache(folder.path());
      bool good = true;
      std::thread other([&] { good = work(cache, who + processes); });
      const bool mine = work(cache, who);
      other.join();
      ::_exit(good && mine ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  ArtifactCache cache(folder.path());
  CHECK(cache.verify().damaged.empty());
  CHECK(files_in(folder.path()) == static_cast<std::size_t>(cache.size().entries));
}

TEST_CASE("why_miss names the fields of the nearest entry that differ") {
  const TemporaryDirectory folder("parhelion-cache");
  ArtifactCache cache(folder.path());
  CHECK(artifact::text(cache.why_miss(origin("a"))) ==
        "the cache holds nothing to compare with");
  CHECK(cache.put(key("a"), sample("a")));
  CHECK(cache.put(key("b", "-O3"), sample("b")));
  const auto why = cache.why_miss(origin("a", "-O1"));
  CHECK(why.nearest == key("a").hash);
  REQUIRE(why.differences.size() == 1);
  CHECK(why.differences[0] == artifact::Difference{"flags[1]", "\"-O1\"", "\"-O2\""});
  CHECK(artifact::text(why) == "the nearest entry is " + key("a").hash.hex() +
                                   "; it differs in\n  flags[1]: \"-O1\" wanted, \"-O2\" stored");
  CHECK(artifact::text(cache.why_miss(origin("a"))) == key("a").hash.hex() + " is there");
  Json more = origin("a");
  more.set("extra", 1);
  const auto longer = artifact::differences(more, origin("a"));
  REQUIRE(longer.size() == 1);
  CHECK(longer[0] == artifact::Difference{"extra", "1", ""});
  CHECK(artifact::differences(origin("a"), more).front() ==
        artifact::Difference{"extra", "", "1"});
}

TEST_CASE("a key is its pre-image") {
  CHECK(key("a").hash == key("a").hash);
  CHECK(key("a").hash != key("b").hash);
  CHECK(key("a", "-O1").hash != key("a", "-O2").hash);
}
