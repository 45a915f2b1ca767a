// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include "base/dynamic_library.h"
#include "support/skip.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <optional>
#include <sys/mount.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace parhelion;

namespace {

std::size_t count_files(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

Diagnostic failed(const auto& result) {
  REQUIRE_FALSE(result);
  return result.error().front();
}

/// Sets an environment variable for one scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* v = std::getenv(name)) old_ = v;
    if (value != nullptr) ::setenv(name, value, 1);
    else ::unsetenv(name);
  }
  ~Variable() {
    if (old_) ::setenv(name_, old_->c_str(), 1);
    else ::unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

}  // namespace

TEST_CASE("a file is written whole and read whole") {
  const TemporaryDirectory folder("parhelion-files");
  const fs::path file = folder.path() / "f";
  const std::string content("a\0b\n", 4);
  REQUIRE(write_file(file, content));
  CHECK(read_file(file) == content);
  REQUIRE(write_file(file, ""));
  CHECK(read_file(file) == "");
  CHECK(count_files(folder.path()) == 1);
  const std::string large(3 << 20, 'x');
  REQUIRE(write_file(file, large));
  CHECK(read_file(file) == large);
}

TEST_CASE("what cannot be read: PH8001") {
  const Diagnostic d = failed(read_file("/nonexistent/file"));
  CHECK(d.code == 8001);
  CHECK(d.message == "cannot read '/nonexistent/file': No such file or directory");
  CHECK(failed(read_file("/")).code == 8001);
}

TEST_CASE("what cannot be written leaves the old content, and nothing else: PH8002") {
  const TemporaryDirectory folder("parhelion-files");
  const Diagnostic d = failed(write_file(folder.path() / "none" / "f", "x"));
  CHECK(d.code == 8002);
  CHECK(d.message.ends_with("No such file or directory"));
  fs::create_directory(folder.path() / "in_the_way");
  CHECK(failed(write_file(folder.path() / "in_the_way", "x")).code == 8002);
  CHECK(count_files(folder.path()) == 1);
  REQUIRE(write_file(folder.path() / "file", "x"));
  CHECK(failed(make_directories(folder.path() / "file" / "below")).code == 8002);
  CHECK(make_directories(folder.path() / "a" / "b"));
  CHECK(make_directories(folder.path() / "a" / "b"));
}

TEST_CASE("a full disk keeps the old content") {
  const TemporaryDirectory folder("parhelion-files");
  if (::mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=64k") != 0) {
    PH_SKIP("mounting a small file system needs root");
  }
  const fs::path file = folder.path() / "f";
  CHECK(write_file(file, "old"));
  const Diagnostic d = failed(write_file(file, std::string(1 << 20, 'x')));
  CHECK(d.code == 8002);
  CHECK(d.message.ends_with("No space left on device"));
  CHECK(d.help == "free some disk space, or point PARHELION_CACHE_DIR elsewhere");
  CHECK(read_file(file) == "old");
  CHECK(count_files(folder.path()) == 1);
  ::umount2(folder.path().c_str(), MNT_DETACH);
}

TEST_CASE("writers of one file at once leave one whole content") {
  const TemporaryDirectory folder("parhelion-files");
  const fs::path file = folder.path() / "f";
  REQUIRE(write_file(file, std::string(5000, 'a')));
  bool whole = true;
  {
    std::vector<std::jthread> writers;
    for (const char c : {'a', 'b', 'c'}) {
      writers.emplace_back([&file, c] {
        for (int i = 0; i < 20; ++i) (void)write_file(file, std::string(5000, c));
      });
    }
    for (int i = 0; i < 50; ++i) {
      const auto content = read_file(file);
      whole = whole && content && *content == std::string(5000, content->front());
    }
  }
  CHECK(whole);
  CHECK(count_files(folder.path()) == 1);
}

TEST_CASE("the place of the cache") {
  const Variable own("PARHELION_CACHE_DIR", "/own"), xdg("XDG_CACHE_HOME", "/xdg");
  const Variable home("HOME", "/home/u");
  CHECK(cache_directory() == "/own");
  const Variable no_own("PARHELION_CACHE_DIR", nullptr);
  CHECK(cache_directory() == "/xdg/parhelion");
  const Variable no_xdg("XDG_CACHE_HOME", nullptr);
  CHECK(cache_directory() == "/home/u/.cache/parhelion");
  const Variable no_home("HOME", nullptr);
  CHECK(cache_directory() == fs::temp_directory_path() / "parhelion");
}

TEST_CASE("a temporary folder goes with its content") {
  fs::path path;
  {
    const TemporaryDirectory folder("parhelion-files");
    path = folder.path();
    REQUIRE(write_file(path / "f", "x"));
  }
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("a library that is not there is an ordinary answer: PH8004") {
  const Diagnostic d = failed(DynamicLibrary::open("libnot_there.so.1"));
  CHECK(d.code == 8004);
  CHECK(d.message.starts_with("cannot load 'libnot_there.so.1': "));
  auto math = DynamicLibrary::open("libm.so.6");
  REQUIRE(math);
  CHECK(math->loaded());
  CHECK(math->symbol("not_a_function") == nullptr);
  using Function = double (*)(double);
  const auto root = reinterpret_cast<Function>(math->symbol("sqrt"));
  CHECK(root(9) == 3);
  DynamicLibrary moved = std::move(*math);
  CHECK(moved.loaded());
  CHECK(DynamicLibrary().symbol("sqrt") == nullptr);
}
