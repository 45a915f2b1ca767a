// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "test_kernels.h"

#include "runtime/cpu/cpu_engine.h"
#include "runtime/worker_server.h"

#include "base/diag.h"

#include <cstring>

namespace parhelion::runtime {
namespace {

/// A file named after an entry of the test kernels stands for that kernel.
Result<KernelImage> read_by_entry(const fs::path& file) {
  if (file.extension() == ".absent") return fail(8001, "no such file");
  const auto bytes = test_kernel_bytes();
  return KernelImage{file.string(), {bytes.begin(), bytes.end()}, scale_facts(file.string())};
}

struct Fixture {
  SharedMemory shared = SharedMemory::create(1 << 16).value();
  WorkerServer server{cpu::make_cpu_engine({.threads = 1}),
                      SharedMemory::attach(shared.descriptor()).value(), read_by_entry};

  template <class T>
  T get(const Request& request) {
    Answer answer = server.answer(request);
    if (auto* errors = std::get_if<Diagnostics>(&answer)) FAIL((*errors)[0].message);
    return std::get<T>(std::move(answer));
  }
  Diagnostic refusal(const Request& request) {
    return std::get<Diagnostics>(server.answer(request))[0];
  }
  /// x of n small integers, out poisoned.
  void make_set(int set, std::int64_t n, int copies = 1) {
    TensorsRequest request;
    request.set = set;
    request.copies = copies;
    request.tensors.resize(2);
    request.tensors[0].sizes = {n};
    request.tensors[0].distribution = Distribution::SmallIntegers;
    request.tensors[1].sizes = {n};
    request.tensors[1].distribution = Distribution::Poison;
    request.tensors[1].written = true;
    get<DoneAnswer>(request);
  }
  RunAnswer run(int kernel, int set) {
    RunRequest request;
    request.kernel = kernel;
    request.set = set;
    request.scalars = {{true, 3, 3}};
    request.outputs = {{1, 0}};
    return get<RunAnswer>(request);
  }
};

TEST_CASE_FIXTURE(Fixture, "a run gives the outputs and finds nothing wrong") {
  get<DoneAnswer>(LoadRequest{0, "scale"});
  make_set(0, 100);
  const RunAnswer answer = run(0, 0);
  CHECK(answer.damage.empty());
  CHECK(answer.changed_inputs.empty());
  const Buffer x = Buffer::empty({100}, DType::F32);
  fill(x, Distribution::SmallIntegers, 0, 0);
  float out[100];
  std::memcpy(out, shared.range(0, 400).value().data(), 400);
  for (std::size_t i = 0; i < 100; ++i) CHECK(out[i] == 3 * x.span<float>()[i]);
}

TEST_CASE_FIXTURE(Fixture, "contents can be sent instead of drawn") {
  get<DoneAnswer>(LoadRequest{0, "scale"});
  const float sent[3] = {1, 2, 4};
  std::memcpy(shared.range(4096, 12).value().data(), sent, 12);
  TensorsRequest request;
  request.tensors.resize(2);
  request.tensors[0].sizes = request.tensors[1].sizes = {3};
  request.tensors[0].shared_offset = 4096;
  request.tensors[1].written = true;
  get<DoneAnswer>(request);
  run(0, 0);
  float out[3];
  std::memcpy(out, shared.range(0, 12).value().data(), 12);
  CHECK(out[2] == 12);
}

TEST_CASE_FIXTURE(Fixture, "writes outside and into inputs are reported") {
  get<DoneAnswer>(LoadRequest{0, "underrun"});
  get<DoneAnswer>(LoadRequest{1, "write_input"});
  get<DoneAnswer>(LoadRequest{2, "scale"});
  make_set(0, 100);
  CHECK(run(1, 0).changed_inputs == std::vector<int>{0});
  make_set(0, 100);
  CHECK(run(0, 0).damage ==
        std::vector<std::string>{"tensor 1: byte 4 before the start was written"});
  make_set(0, 100);
  CHECK(run(2, 0).damage.empty());
}

TEST_CASE_FIXTURE(Fixture, "written tensors are restored before each run") {
  get<DoneAnswer>(LoadRequest{0, "scale"});
  get<DoneAnswer>(LoadRequest{1, "store_nothing"});
  make_set(0, 8);
  run(0, 0);
  // A kernel that stores nothing must not pass with the numbers of the one before.
  run(1, 0);
  float out[8];
  std::memcpy(out, shared.range(0, 32).value().data(), 32);
  for (const float v : out) CHECK(v != v);
}

TEST_CASE_FIXTURE(Fixture, "kernels are timed in pairs under each protocol") {
  get<DoneAnswer>(LoadRequest{0, "scale"});
  get<DoneAnswer>(LoadRequest{1, "scale_slowly"});
  make_set(0, 64, 3);
  TimeRequest request;
  request.kernels = {0, 1};
  request.scalars = {{true, 3, 3}};
  request.rounds = 4;
  request.min_sample_us = 20;
  for (const Protocol protocol : {Protocol::Warm, Protocol::Cold, Protocol::Rotate}) {
    request.protocol = protocol;
    const auto answer = get<TimeAnswer>(request);
    REQUIRE(answer.samples.size() == 2);
    CHECK(answer.samples[0].size() == 4);
    CHECK(answer.clock_mhz.size() == 2);
    CHECK(answer.clock_mhz[0] > 100);
    // 64 * 2000 pauses against 64 multiplications: a factor of thousands.
    for (std::size_t r = 0; r < 4; ++r) CHECK(answer.samples[1][r] > answer.samples[0][r]);
  }
}

TEST_CASE_FIXTURE(Fixture, "requests that cannot be met are refused with the reason") {
  CHECK(refusal(RunRequest{}).message == "there is no tensor set 0");
  make_set(0, 8);
  CHECK(refusal(RunRequest{}).message == "there is no kernel 0");
  CHECK(refusal(RunRequest{}).code == 8703);
  CHECK(refusal(LoadRequest{0, "x.absent"}).code == 8001);
  CHECK(refusal(LoadRequest{0, "absent_entry"}).code == 8502);
  get<DoneAnswer>(LoadRequest{0, "scale"});
  CHECK(refusal(RunRequest{}).code == 8503);  // without its scalar
  RunRequest outside;
  outside.scalars = {{true, 1, 1}};
  outside.outputs = {{1, 1 << 20}};
  CHECK(refusal(outside).code == 8704);
  outside.outputs = {{5, 0}};
  CHECK(refusal(outside).message == "output 5 is not a tensor of the set");
  get<DoneAnswer>(UnloadRequest{0});
  CHECK(refusal(RunRequest{}).message == "there is no kernel 0");
  TensorsRequest negative;
  negative.tensors.resize(1);
  negative.tensors[0].sizes = {-1};
  CHECK(refusal(negative).code == 6005);
  CHECK(refusal(HelloRequest{99}).code == 8702);
  CHECK(get<HelloAnswer>(HelloRequest{}).version == worker_protocol_version);
  CHECK(get<ClockAnswer>(ClockRequest{}).mhz.value() > 100);
}

}  // namespace
}  // namespace parhelion::runtime
