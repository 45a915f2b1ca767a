// SPDX-License-Identifier: Apache-2.0
#include "base/subprocess.h"

#include "base/spawn.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace parhelion {

namespace {

using Clock = std::chrono::steady_clock;

/// For the rest of the output of a child that was killed.
constexpr std::chrono::milliseconds grace(500);

int milliseconds_until(std::optional<Clock::time_point> deadline) {
  if (!deadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
}

/// A write to a child that has gone must be an error value, not a signal. Blocked for this thread
/// only: other threads talk to their own children, and the process may have its own handler.
class BlockSigpipe {
 public:
  BlockSigpipe() {
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&only_);
    sigaddset(&only_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &only_, &old_);
  }
  ~BlockSigpipe() {
    const timespec at_once{};
    if (!was_pending_) {
      while (sigtimedwait(&only_, nullptr, &at_once) == -1 && errno == EINTR) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &old_, nullptr);
  }
  BlockSigpipe(const BlockSigpipe&) = delete;
  BlockSigpipe& operator=(const BlockSigpipe&) = delete;

 private:
  sigset_t only_, old_;
  bool was_pending_;
};

/// Feeds stdin and collects both outputs until they end or the time is up.
void communicate(spawn::Child& child, const Command& command, Finished& finished,
                 std::optional<Clock::time_point> deadline) {
  std::string_view input = command.input;
  if (input.empty()) child.input.reset();
  while (child.output.open() || child.errors.open()) {
    std::array<pollfd, 3> fds = {{{child.input.get(), POLLOUT, 0},
                                  {child.output.get(), POLLIN, 0},
                                  {child.errors.get(), POLLIN, 0}}};
    const int ready = ::poll(fds.data(), fds.size(), milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && finished.timed_out) return;  // a process that left the group holds our pipes
    if (ready == 0) {
      finished.timed_out = true;
      spawn::kill_group(child.pid);
      deadline = Clock::now() + grace;
      continue;
    }
    if (child.input.open() && fds[0].revents != 0) {
      const ssize_t n = ::write(child.input.get(), input.data(), input.size());
      if (n > 0) input.remove_prefix(static_cast<std::size_t>(n));
      if (n < 0 && errno != EAGAIN && errno != EINTR) input = {};
      if (input.empty()) child.input.reset();
    }
    if (fds[1].revents != 0 && !spawn::drain(child.output, finished.output)) child.output.reset();
    if (fds[2].revents != 0 && !spawn::drain(child.errors, finished.errors)) child.errors.reset();
  }
}

}  // namespace

Result<Finished> run(const Command& command) {
  const auto begin = Clock::now();
  Result<spawn::Child> child = spawn::start(command, {});
  if (!child) return std::unexpected(child.error());
  const BlockSigpipe guard;
  Finished finished;
  std::optional<Clock::time_point> deadline;
  if (command.timeout) deadline = begin + *command.timeout;
  communicate(*child, command, finished, deadline);
  int status = 0;
  while (::waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
  }
  spawn::record_status(status, finished);
  finished.wall_s = std::chrono::duration<double>(Clock::now() - begin).count();
  return finished;
}

struct LineProcess::State {
  spawn::Child child;
  std::string buffer;  // read, no whole line yet
  Finished finished;
  bool reaped = false;

  /// A child that closed its output may go on for ever: it is given a moment to end by itself.
  void reap_or_kill() {
    const auto deadline = Clock::now() + grace;
    while (!reaped && Clock::now() < deadline) {
      reap(false);
      if (!reaped) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (!reaped) spawn::kill_group(child.pid);
    reap(true);
  }

  void reap(bool wait) {
    if (reaped) return;
    int status = 0;
    const pid_t got = ::waitpid(child.pid, &status, wait ? 0 : WNOHANG);
    if (got != child.pid) return;
    reaped = true;
    spawn::record_status(status, finished);
    (void)spawn::drain(child.errors, finished.errors);
  }
};

LineProcess::LineProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
LineProcess::LineProcess(LineProcess&&) noexcept = default;
LineProcess& LineProcess::operator=(LineProcess&&) noexcept = default;
LineProcess::~LineProcess() {
  if (state_) kill();
}

Result<LineProcess> LineProcess::start(const Command& command, const std::vector<int>& inherited) {
  Result<spawn::Child> child = spawn::start(command, inherited);
  if (!child) return std::unexpected(child.error());
  auto state = std::make_unique<State>();
  state->child = std::move(*child);
  return LineProcess(std::move(state));
}

bool LineProcess::write_line(std::string_view line) {
  const BlockSigpipe guard;
  std::string text(line);
  text += '\n';
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t n = ::write(state_->child.input.get(), rest.data(), rest.size());
    if (n > 0) {
      rest.remove_prefix(static_cast<std::size_t>(n));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return false;
    pollfd fd{state_->child.input.get(), POLLOUT, 0};
    if (::poll(&fd, 1, 10000) <= 0) return false;
  }
  return true;
}

LineProcess::Status LineProcess::read_line(std::string& line, std::chrono::milliseconds timeout) {
  const auto deadline = Clock::now() + timeout;
  for (;;) {
    const std::size_t end = state_->buffer.find('\n');
    if (end != std::string::npos) {
      line = state_->buffer.substr(0, end);
      state_->buffer.erase(0, end + 1);
      return Status::Line;
    }
    std::array<pollfd, 2> fds = {{{state_->child.output.get(), POLLIN, 0},
                                  {state_->child.errors.get(), POLLIN, 0}}};
    const int ready = ::poll(fds.data(), fds.size(), milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Status::Timeout;
    if (fds[1].revents != 0 && !spawn::drain(state_->child.errors, state_->finished.errors)) {
      state_->child.errors.reset();
    }
    if (fds[0].revents != 0 && !spawn::drain(state_->child.output, state_->buffer)) {
      if (state_->buffer.contains('\n')) continue;
      state_->reap_or_kill();
      return Status::Exited;
    }
  }
}

void LineProcess::kill() {
  if (!state_ || state_->reaped) return;
  spawn::kill_group(state_->child.pid);
  state_->reap(true);
}

Finished LineProcess::finished() {
  state_->reap(false);
  constexpr std::size_t tail = 4096;
  Finished copy = state_->finished;
  if (copy.errors.size() > tail) copy.errors.erase(0, copy.errors.size() - tail);
  return copy;
}

int LineProcess::pid() const { return state_->child.pid; }

}  // namespace parhelion
