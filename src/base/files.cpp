// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace parhelion {

namespace {

std::string reason(int error) { return std::strerror(error); }

/// Owns a descriptor; close errors of written files are reported by fsync before.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

bool write_all(int fd, std::string_view content) {
  while (!content.empty()) {
    const ssize_t n = ::write(fd, content.data(), content.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

std::string write_help(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT: return "free some disk space, or point PARHELION_CACHE_DIR elsewhere";
    case EROFS:
    case EACCES: return "choose a folder that you may write";
    default: return "check the path";
  }
}

}  // namespace

Result<std::string> read_file(const fs::path& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0) {
    return fail(8001, fmt::format("cannot read '{}': {}", path.string(), reason(errno)), {},
                "check the path");
  }
  std::string content;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(file.fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      return fail(8001, fmt::format("cannot read '{}': {}", path.string(), reason(errno)), {},
                  "check the path");
    }
    if (n == 0) return content;
    content.append(buffer, static_cast<std::size_t>(n));
  }
}

Result<void> write_file(const fs::path& path, std::string_view content) {
  std::string temporary = path.string() + ".XXXXXX";
  const auto failed = [&](int error, bool made) -> Result<void> {
    if (made) ::unlink(temporary.c_str());
    return fail(8002, fmt::format("cannot write '{}': {}", path.string(), reason(error)), {},
                write_help(error));
  };
  const Descriptor file{::mkostemp(temporary.data(), O_CLOEXEC)};
  if (file.fd < 0) return failed(errno, false);
  ::fchmod(file.fd, 0644);
  if (!write_all(file.fd, content) || ::fsync(file.fd) != 0) return failed(errno, true);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return failed(errno, true);
  return {};
}

Result<void> make_directories(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) {
    return fail(8002, fmt::format("cannot make the folder '{}': {}", path.string(),
                                  error.message()),
                {}, write_help(error.value()));
  }
  return {};
}

fs::path cache_directory() {
  const auto variable = [](const char* name) -> fs::path {
    const char* v = std::getenv(name);
    return v != nullptr ? v : "";
  };
  if (const fs::path own = variable("PARHELION_CACHE_DIR"); !own.empty()) return own;
  if (const fs::path xdg = variable("XDG_CACHE_HOME"); !xdg.empty()) return xdg / "parhelion";
  const fs::path home = variable("HOME");
  return (home.empty() ? fs::temp_directory_path() : home / ".cache") / "parhelion";
}

TemporaryDirectory::TemporaryDirectory(std::string_view prefix) {
  std::string name = (fs::temp_directory_path() / fmt::format("{}-XXXXXX", prefix)).string();
  PH_ASSERT(::mkdtemp(name.data()) != nullptr, "no temporary folder: " + reason(errno));
  path_ = name;
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace parhelion
