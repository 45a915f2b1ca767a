// SPDX-License-Identifier: Apache-2.0
#include "record/place.h"

#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

namespace parhelion::record {

namespace {

struct FileSystemRow {
  long type;
  std::string_view name;
};
constexpr FileSystemRow network[] = {
    {0x6969, "NFS"},      {0xff534d42, "CIFS"},   {0xfe534d42, "SMB2"},   {0x517b, "SMB"},
    {0x5346414f, "AFS"},  {0x73757245, "Coda"},   {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},
    {0x00c36400, "Ceph"}, {0x19830326, "BeeGFS"}, {0xaad7aaea, "PanFS"},
};

fs::path existing_above(fs::path path) {
  path = fs::absolute(path);
  std::error_code error;
  while (!fs::exists(path, error) && path.has_relative_path()) path = path.parent_path();
  return path;
}

/// The lock is void when the file was removed between opening and locking it.
bool still_there(int descriptor, const fs::path& path) {
  struct stat mine{}, named{};
  return fstat(descriptor, &mine) == 0 && stat(path.c_str(), &named) == 0 &&
         mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

std::string writer_of(int descriptor) {
  char text[32] = {};
  const ssize_t length = pread(descriptor, text, sizeof text - 1, 0);
  const auto pid = length > 0 ? parse_integer(trim(text)) : std::nullopt;
  return pid ? fmt::format("process {}", *pid) : std::string("another process");
}

}  // namespace

std::optional<std::string_view> network_file_system(long type) {
  for (const FileSystemRow& row : network) {
    if (row.type == (type & 0xffffffffL)) return row.name;
  }
  return std::nullopt;
}

Result<void> check_file_system(const fs::path& path, long type) {
  const auto name = network_file_system(type);
  if (!name) return {};
  return fail(9005,
              fmt::format("record {} lies on a network file system ({})", path.string(), *name), {},
              "SQLite's locks do not hold there: use a local folder (--record, "
              "PARHELION_CACHE_DIR) and copy the file afterwards");
}

Result<void> check_local(const fs::path& path) {
  struct statfs state{};
  if (statfs(existing_above(path).c_str(), &state) != 0) return {};
  return check_file_system(path, state.f_type);
}

bool writable(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::absolute(path).parent_path();
  // SQLite makes files beside the record: the folder counts too.
  const bool folder_ok = faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) == 0;
  if (!fs::exists(path, error)) return folder_ok;
  return folder_ok && faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

Result<WriterLock> WriterLock::take(const fs::path& record) {
  WriterLock lock;
  lock.path_ = fs::path(record.string() + "-writer");
  for (;;) {
    const int descriptor = open(lock.path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      return fail(9007, fmt::format("record {} cannot be written: {}: {}", record.string(),
                                    lock.path_.string(), std::strerror(errno)));
    }
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      const std::string writer = writer_of(descriptor);
      close(descriptor);
      return fail(9006, fmt::format("{} writes record {}", writer, record.string()), {},
                  "wait for it, or give --record another file");
    }
    if (still_there(descriptor, lock.path_)) {
      lock.descriptor_ = descriptor;
      break;
    }
    close(descriptor);
  }
  const std::string pid = fmt::format("{}\n", getpid());
  if (ftruncate(lock.descriptor_, 0) != 0 ||
      pwrite(lock.descriptor_, pid.data(), pid.size(), 0) < 0) {
    return fail(9007, fmt::format("record {} cannot be written: {}", record.string(),
                                  std::strerror(errno)));
  }
  return lock;
}

WriterLock::WriterLock(WriterLock&& other) noexcept { *this = std::move(other); }

WriterLock& WriterLock::operator=(WriterLock&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

WriterLock::~WriterLock() {
  if (descriptor_ < 0) return;
  unlink(path_.c_str());  // while still locked: see still_there
  close(descriptor_);
}

}  // namespace parhelion::record
