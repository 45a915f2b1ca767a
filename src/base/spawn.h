// SPDX-License-Identifier: Apache-2.0
// The part of a child process that run() and LineProcess share: pipes, posix_spawn, reaping.
#pragma once

#include "base/subprocess.h"

#include <array>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace parhelion::spawn {

/// Closed at the end of its life, or earlier.
class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { reset(); }
  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool open() const { return fd_ >= 0; }
  void reset();

 private:
  int fd_ = -1;
};

struct Child {
  pid_t pid = -1;
  Fd input, output, errors;  // our ends: its stdin, stdout, stderr
};

/// The child leads its own process group, so that it can be killed with what it started.
[[nodiscard]] Result<Child> start(const Command& command, const std::vector<int>& inherited);
void kill_group(pid_t pid);
/// Fills exit_code and signal.
void record_status(int status, Finished& finished);
/// Appends what is there; false at the end of the stream.
[[nodiscard]] bool drain(const Fd& fd, std::string& text);

}  // namespace parhelion::spawn
