// SPDX-License-Identifier: Apache-2.0
// The installed program and its client, with kernels that do what candidates of a search may do.
#include <doctest/doctest.h>

#include "../runtime/test_kernels.h"

#include "runtime/worker_client.h"

#include "artifact/file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <thread>

namespace parhelion::runtime {
namespace {

using namespace std::chrono_literals;

class Fixture {
 public:
  Fixture() {
    WorkerOptions options;
    options.threads = 1;
    options.pin = false;
    auto started = WorkerClient::start(options);
    if (!started) FAIL(started.error().text());
    client_.emplace(std::move(*started));
  }

 protected:
  WorkerClient& client() { return *client_; }

  fs::path write_kernel(const std::string& entry, std::vector<std::string> features = {},
                        artifact::Kind kind = artifact::Kind::CpuSharedObject) {
    artifact::Artifact a;
    a.kind = kind;
    a.kernel = entry;
    a.arch = "x86-64";
    a.features = std::move(features);
    const auto bytes = test_kernel_bytes();
    a.bytes.assign(bytes.begin(), bytes.end());
    a.launch = scale_facts(entry);
    const fs::path path = folder_.path() / (entry + ".artifact");
    REQUIRE(artifact::write_artifact(path, a).has_value());
    return path;
  }
  void load(int kernel, const std::string& entry) {
    const auto loaded = client().load(kernel, write_kernel(entry), 10s);
    if (!loaded) FAIL(loaded.error().text());
  }
  void make_tensors(std::int64_t n = 1000) {
    TensorsRequest request;
    request.tensors.resize(2);
    request.tensors[0].sizes = {n};
    request.tensors[0].distribution = Distribution::SmallIntegers;
    request.tensors[0].seed = 5;
    request.tensors[1].sizes = {n};
    request.tensors[1].distribution = Distribution::Poison;
    request.tensors[1].written = true;
    REQUIRE(client().tensors(request, 10s).has_value());
  }
  static RunRequest run_request(int kernel) {
    RunRequest request;
    request.kernel = kernel;
    request.scalars = {{true, 3, 3}};
    request.outputs = {{1, 0}};
    return request;
  }
  void check_outputs() {
    const Buffer x = Buffer::empty({1000}, DType::F32);
    fill(x, Distribution::SmallIntegers, 5, 0);
    std::vector<float> out(1000);
    std::memcpy(out.data(), client().shared().range(0, 4000).value().data(), 4000);
    for (std::size_t i = 0; i < out.size(); ++i) CHECK(out[i] == 3 * x.span<float>()[i]);
  }

 private:
  TemporaryDirectory folder_;
  std::optional<WorkerClient> client_;
};

TEST_CASE_FIXTURE(Fixture, "a kernel runs in the worker and its numbers come back") {
  CHECK(client().hello().pid > 0);
  CHECK(client().hello().pid != getpid());
  CHECK(client().hello().target == name(Target(host_cpu())));
  CHECK(client().hello().environment.integer_or("threads", 0) == 1);
  load(0, "scale");
  make_tensors();
  const auto ran = client().run(run_request(0), 10s);
  REQUIRE(ran.has_value());
  CHECK(ran->damage.empty());
  check_outputs();
  TimeRequest time;
  time.kernels = {0};
  time.scalars = {{true, 3, 3}};
  time.rounds = 3;
  const auto timed = client().time(time, 30s);
  REQUIRE(timed.has_value());
  CHECK(timed->samples[0].size() == 3);
  CHECK(client().clock(10s).value().mhz.value() > 100);
}

TEST_CASE_FIXTURE(Fixture, "each way to die is a value, and a fresh worker goes on") {
  make_tensors();
  struct Death {
    std::string entry;
    int signal;
  };
  for (const Death& death :
       {Death{"crash", SIGSEGV}, Death{"overrun", SIGSEGV}, Death{"illegal", SIGILL}}) {
    CAPTURE(death.entry);
    load(0, death.entry);
    const auto ran = client().run(run_request(0), 10s);
    REQUIRE_FALSE(ran.has_value());
    CHECK(ran.error().kind == WorkerFailure::Kind::Crashed);
    CHECK(ran.error().signal == death.signal);
    CHECK_FALSE(client().alive());
    const auto ended = client().clock(1s);
    CHECK(ended.error().kind == WorkerFailure::Kind::NotStarted);
    CHECK(ended.error().diagnostics[0].code == 8701);
    REQUIRE(client().restart().has_value());
    // The tensors are there again, the kernels are not.
    CHECK(client().run(run_request(0), 10s).error().kind == WorkerFailure::Kind::Refused);
    load(0, "scale");
    REQUIRE(client().run(run_request(0), 10s).has_value());
    check_outputs();
  }
}

TEST_CASE_FIXTURE(Fixture, "a hang ends at the deadline") {
  make_tensors();
  load(0, "hang");
  const auto start = std::chrono::steady_clock::now();
  const auto ran = client().run(run_request(0), 100ms);
  REQUIRE_FALSE(ran.has_value());
  CHECK(ran.error().kind == WorkerFailure::Kind::TimedOut);
  CHECK(ran.error().signal == 0);
  CHECK(ran.error().text() == "timed out");
  CHECK(std::chrono::steady_clock::now() - start < 10s);
  CHECK(client().restart().has_value());
}

TEST_CASE_FIXTURE(Fixture, "what the worker refuses leaves it alive") {
  make_tensors();
  const auto none = client().run(run_request(3), 10s);
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().kind == WorkerFailure::Kind::Refused);
  CHECK(none.error().text() == "refused: there is no kernel 3");
  CHECK(client().load(0, "/absent.artifact", 10s).error().diagnostics[0].code == 8001);
  // Every CPU lacks what no CPU has: the feature list is closed, so AMX stands for it where absent.
  if (!host_cpu().features.amx_tile) {
    const auto wide = client().load(0, write_kernel("scale", {"amx_tile"}), 10s);
    REQUIRE_FALSE(wide.has_value());
    CHECK(wide.error().diagnostics[0].code == 8402);
  }
  const auto cubin = client().load(0, write_kernel("scale", {}, artifact::Kind::Cubin), 10s);
  REQUIRE_FALSE(cubin.has_value());
  CHECK(cubin.error().diagnostics[0].message ==
        "kernel 'scale' is a cubin, which the CPU does not load");
  CHECK(client().alive());
  load(0, "scale");
  CHECK(client().unload(0, 10s).has_value());
  CHECK(client().run(run_request(0), 10s).error().diagnostics[0].code == 8703);
}

TEST_CASE_FIXTURE(Fixture, "tensors larger than the first shared file go through it") {
  REQUIRE(client().shared().grow(8 << 20).has_value());
  std::vector<float> x(1 << 20, 1.5f);
  std::memcpy(client().shared().range(4 << 20, 4 << 20).value().data(), x.data(), 4 << 20);
  TensorsRequest request;
  request.tensors.resize(2);
  request.tensors[0].sizes = request.tensors[1].sizes = {1 << 20};
  request.tensors[0].shared_offset = 4 << 20;
  request.tensors[1].written = true;
  REQUIRE(client().tensors(request, 10s).has_value());
  load(0, "scale");
  REQUIRE(client().run(run_request(0), 10s).has_value());
  float last = 0;
  std::memcpy(&last, client().shared().range((4 << 20) - 4, 4).value().data(), 4);
  CHECK(last == 4.5f);
}

TEST_CASE("the worker ends with its coordinator, inside a kernel too") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t coordinator = fork();
  if (coordinator == 0) {
    WorkerOptions options;
    options.threads = 1;
    auto client = WorkerClient::start(options);
    const int pid = client ? client->hello().pid : 0;
    if (write(ends[1], &pid, sizeof pid) != sizeof pid) _exit(1);
    pause();
    _exit(0);
  }
  int worker = 0;
  REQUIRE(read(ends[0], &worker, sizeof worker) == sizeof worker);
  REQUIRE(worker > 0);
  CHECK(kill(worker, 0) == 0);
  kill(coordinator, SIGKILL);
  waitpid(coordinator, nullptr, 0);
  bool gone = false;
  for (int i = 0; i < 500 && !gone; ++i) {
    std::this_thread::sleep_for(10ms);
    // A zombie until somebody reaps it: its state tells.
    const auto state = read_file("/proc/" + std::to_string(worker) + "/stat");
    gone = !state || state->find(") Z ") != std::string::npos;
  }
  CHECK(gone);
  close(ends[0]);
  close(ends[1]);
}

TEST_CASE("a worker that cannot start is a value") {
  WorkerOptions options;
  options.program = "/absent/parhelion-worker";
  const auto absent = WorkerClient::start(options);
  REQUIRE_FALSE(absent.has_value());
  CHECK(absent.error().kind == WorkerFailure::Kind::NotStarted);
  CHECK(absent.error().diagnostics[0].code == 8003);
  options.program = "/bin/cat";  // answers every request with the request
  const auto cat = WorkerClient::start(options);
  REQUIRE_FALSE(cat.has_value());
  options.program.clear();
  options.device = {Device::Kind::Cuda, 9};  // no driver, or no such GPU
  const auto gpu = WorkerClient::start(options);
  REQUIRE_FALSE(gpu.has_value());
  CHECK(gpu.error().kind == WorkerFailure::Kind::NotStarted);
  REQUIRE_FALSE(gpu.error().diagnostics.empty());
  CHECK((gpu.error().diagnostics[0].code == 8601 || gpu.error().diagnostics[0].code == 8603));
}

TEST_CASE("the memory limit of a worker holds") {
  WorkerOptions options;
  options.threads = 1;
  options.memory_limit_bytes = std::int64_t{2} << 30;
  auto client = WorkerClient::start(options).value();
  TensorsRequest request;
  request.tensors.resize(1);
  request.tensors[0].sizes = {std::int64_t{1} << 30};
  const auto huge = client.tensors(request, 20s);
  REQUIRE_FALSE(huge.has_value());
}

}  // namespace
}  // namespace parhelion::runtime
