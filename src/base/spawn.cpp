// SPDX-License-Identifier: Apache-2.0
#include "base/spawn.h"

#include "base/diag.h"
#include "base/files.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace parhelion {

std::optional<std::string> find_program(std::string_view name) {
  if (name.contains('/')) {
    const std::string path(name);
    if (::access(path.c_str(), X_OK) == 0) return path;
    return std::nullopt;
  }
  const char* path = std::getenv("PATH");
  if (path == nullptr) return std::nullopt;
  for (const std::string_view folder : split(path, ':')) {
    const std::string candidate = fmt::format("{}/{}", folder, name);
    if (::access(candidate.c_str(), X_OK) == 0 && !fs::is_directory(candidate)) return candidate;
  }
  return std::nullopt;
}

namespace spawn {

void Fd::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

namespace {

/// Environment: ours, with the command's NAME=value replacing equal names.
std::vector<std::string> environment(const Command& command) {
  std::vector<std::string> list;
  for (char** e = environ; *e != nullptr; ++e) {
    const std::string_view entry = *e;
    const std::string_view name = entry.substr(0, entry.find('='));
    const bool replaced = std::ranges::any_of(command.environment, [&](const std::string& own) {
      return std::string_view(own).substr(0, own.find('=')) == name;
    });
    if (!replaced) list.emplace_back(entry);
  }
  list.insert(list.end(), command.environment.begin(), command.environment.end());
  return list;
}

std::vector<char*> pointers(std::vector<std::string>& list) {
  std::vector<char*> result;
  for (std::string& s : list) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

bool make_pipe(Fd& read, Fd& write) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  read = Fd(ends[0]);
  write = Fd(ends[1]);
  return true;
}

}  // namespace

Result<Child> start(const Command& command, const std::vector<int>& inherited) {
  const std::string name = command.arguments.empty() ? "" : command.arguments[0];
  const auto program = find_program(name);
  if (!program) {
    return fail(8003, fmt::format("cannot start '{}': no such program", name), {},
                "install it, or give its full path");
  }
  Child child;
  Fd in, out, err;
  if (!make_pipe(in, child.input) || !make_pipe(child.output, out) ||
      !make_pipe(child.errors, err)) {
    return fail(8003, fmt::format("cannot start '{}': {}", name, std::strerror(errno)), {},
                "too many open files?");
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.get(), 0);
  posix_spawn_file_actions_adddup2(&actions, out.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, err.get(), 2);
  // dup2 onto itself clears close-on-exec (POSIX.1-2017 TC of adddup2; glibc 2.29 and later).
  for (const int fd : inherited) posix_spawn_file_actions_adddup2(&actions, fd, fd);
  if (!command.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, command.directory.c_str());
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t defaults, none;
  sigemptyset(&defaults);
  sigemptyset(&none);
  sigaddset(&defaults, SIGPIPE);
  sigaddset(&defaults, SIGINT);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setsigmask(&attributes, &none);
  std::vector<std::string> arguments = command.arguments;
  std::vector<std::string> variables = environment(command);
  const int error = ::posix_spawn(&child.pid, program->c_str(), &actions, &attributes,
                                  pointers(arguments).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    return fail(8003, fmt::format("cannot start '{}': {}", name, std::strerror(error)), {},
                "check the program and the working folder");
  }
  for (const Fd* fd : {&child.input, &child.output, &child.errors}) {
    ::fcntl(fd->get(), F_SETFL, ::fcntl(fd->get(), F_GETFL) | O_NONBLOCK);
  }
  return child;
}

void kill_group(pid_t pid) {
  if (pid > 0) ::kill(-pid, SIGKILL);
}

void record_status(int status, Finished& finished) {
  if (WIFEXITED(status)) {
    finished.exit_code = WEXITSTATUS(status);
  } else if (WIFSIGNALED(status)) {
    finished.signal = WTERMSIG(status);
  }
}

bool drain(const Fd& fd, std::string& text) {
  char buffer[1 << 14];
  for (;;) {
    const ssize_t n = ::read(fd.get(), buffer, sizeof buffer);
    if (n > 0) {
      text.append(buffer, static_cast<std::size_t>(n));
      continue;
    }
    if (n == 0) return false;
    if (errno == EINTR) continue;
    return errno == EAGAIN || errno == EWOULDBLOCK;
  }
}

}  // namespace spawn
}  // namespace parhelion
