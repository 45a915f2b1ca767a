// SPDX-License-Identifier: Apache-2.0
#include "base/subprocess.h"

#include "base/files.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace parhelion;
using namespace std::chrono_literals;

namespace {

Command shell(const std::string& script) {
  Command command;
  command.arguments = {"sh", "-c", script};
  return command;
}

Finished finish(const Command& command) {
  const auto finished = run(command);
  REQUIRE(finished);
  return *finished;
}

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("output, errors, exit code, input, folder, environment") {
  Command command = shell("cat; echo err >&2; pwd; echo $PH_TEST; exit 3");
  command.input = "in ";
  command.directory = "/";
  command.environment = {"PH_TEST=value"};
  const Finished f = finish(command);
  CHECK(f.output == "in /\nvalue\n");
  CHECK(f.errors == "err\n");
  CHECK(f.exit_code == 3);
  CHECK(f.signal == 0);
  CHECK_FALSE(f.ok());
  CHECK(finish(shell("exit 0")).ok());
}

TEST_CASE("more than a pipe holds, both ways") {
  Command command = shell("cat");
  command.input = std::string(3 << 20, 'x') + "end";
  CHECK(finish(command).output == command.input);
}

TEST_CASE("a child that does not read its input does no harm") {
  Command command = shell("exit 0");
  command.input = std::string(1 << 20, 'x');
  CHECK(finish(command).ok());
}

TEST_CASE("a signal is told apart from an exit") {
  const Finished f = finish(shell("kill -SEGV $$"));
  CHECK(f.signal == SIGSEGV);
  CHECK(f.exit_code == -1);
  CHECK_FALSE(f.timed_out);
}

TEST_CASE("time runs out for a child and all that it started") {
  Command command = shell("echo begun; (sleep 60; echo late) & sleep 60");
  command.timeout = 300ms;
  Finished f;
  CHECK(seconds_of([&] { f = finish(command); }) < 30);
  CHECK(f.timed_out);
  CHECK(f.signal == SIGKILL);
  CHECK(f.output == "begun\n");
  // One that left its group keeps the pipe open, but not us.
  command = shell("setsid sleep 5 & sleep 60");
  command.timeout = 200ms;
  CHECK(seconds_of([&] { f = finish(command); }) < 4.5);
  CHECK(f.timed_out);
}

TEST_CASE("a program that cannot be started: PH8003") {
  Command command;
  command.arguments = {"no_such_program"};
  const auto missing = run(command);
  REQUIRE_FALSE(missing);
  CHECK(missing.error().front().code == 8003);
  CHECK(missing.error().front().message == "cannot start 'no_such_program': no such program");
  command = shell("true");
  command.directory = "/no/such/folder";
  CHECK(run(command).error().front().code == 8003);
  CHECK_FALSE(find_program("no_such_program"));
  CHECK(find_program("sh").has_value());
  CHECK(find_program("/bin/sh") == "/bin/sh");
  CHECK_FALSE(find_program("/etc/passwd"));
}

TEST_CASE("many threads run children at once, some of which go before they have read") {
  std::atomic<int> good = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&good] {
        for (int i = 0; i < 10; ++i) {
          Command command = shell(i % 2 == 0 ? "exit 0" : "cat >/dev/null");
          command.input = std::string(200000, 'x');
          const auto finished = run(command);
          good += finished && finished->ok() ? 1 : 0;
        }
      });
    }
  }
  CHECK(good == 40);
}

TEST_CASE("a line process answers line by line") {
  auto process = LineProcess::start(shell("while read x; do echo \"<$x>\"; done; echo bye"));
  REQUIRE(process);
  std::string line;
  for (const char* word : {"one", "two", ""}) {
    CHECK(process->write_line(word));
    CHECK(process->read_line(line, 20s) == LineProcess::Status::Line);
    CHECK(line == "<" + std::string(word) + ">");
  }
  CHECK(process->read_line(line, 30ms) == LineProcess::Status::Timeout);
  CHECK(process->pid() > 0);
  process->kill();
  CHECK(process->finished().signal == SIGKILL);
}

TEST_CASE("a line process that ends, crashes, or stops talking") {
  std::string line;
  auto process = LineProcess::start(shell("echo last; echo why >&2; exit 5"));
  REQUIRE(process);
  CHECK(process->read_line(line, 20s) == LineProcess::Status::Line);
  CHECK(process->read_line(line, 20s) == LineProcess::Status::Exited);
  CHECK(process->finished().exit_code == 5);
  CHECK(process->finished().errors == "why\n");
  CHECK_FALSE(process->write_line(std::string(1 << 17, 'x')));

  process = LineProcess::start(shell("kill -ABRT $$"));
  CHECK(process->read_line(line, 20s) == LineProcess::Status::Exited);
  CHECK(process->finished().signal == SIGABRT);

  process = LineProcess::start(shell("exec >&-; sleep 60"));
  CHECK(seconds_of([&] {
          CHECK(process->read_line(line, 20s) == LineProcess::Status::Exited);
        }) < 15);
  CHECK(process->finished().signal == SIGKILL);
}

TEST_CASE("descriptors are inherited where asked, and only there") {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  const std::string script = "echo through >&" + std::to_string(ends[1]);
  {
    auto process = LineProcess::start(shell(script), {ends[1]});
    REQUIRE(process);
    char buffer[16] = {};
    CHECK(::read(ends[0], buffer, sizeof buffer) == 8);
    CHECK(std::string(buffer) == "through\n");
  }
  CHECK_FALSE(finish(shell(script + " 2>/dev/null")).ok());
  ::close(ends[0]);
  ::close(ends[1]);
}
