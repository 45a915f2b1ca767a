// SPDX-License-Identifier: Apache-2.0
#include "compiled_text.h"

#include <doctest/doctest.h>

using namespace emulation_test;

namespace {

constexpr std::string_view counting = R"(#include "prelude.cuh"
extern "C" __global__ void counting(int* out, long long first, float step, double wide) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int sum = static_cast<int>(first) + static_cast<int>(wide) + gridDim.x;
  out[i] = sum + static_cast<int>(step * i);
}
)";

em::Launch launch_of(std::vector<int>& out) {
  em::Launch launch;
  launch.grid_x = 4;
  launch.buffers = {buffer(out, true)};
  launch.arguments = {em::Argument::pointer(0), em::Argument::integer(1ll << 20),
                      em::Argument::number(0.5f), em::Argument::number(1e6)};
  return launch;
}

int code_of(const parhelion::Diagnostics& diagnostics) { return diagnostics.front().code; }

}  // namespace

TEST_CASE("arguments of every width, and a subset of the blocks") {
  const CompiledText compiled(counting, "counting");
  std::vector<int> out(128, -1);
  em::Launch launch = launch_of(out);
  launch.blocks = {1, 3};
  const em::Report report = compiled.run(launch);
  REQUIRE_MESSAGE(report.clean(), em::text(report));
  CHECK(report.blocks == 2);
  CHECK(report.accesses == 64);
  for (int i = 0; i < 128; ++i) {
    const bool ran = i / 32 % 2 == 1;
    CHECK(out[static_cast<std::size_t>(i)] == (ran ? (1 << 20) + i / 2 + 1000000 + 4 : -1));
  }
}

TEST_CASE("the same seed gives the same run") {
  const CompiledText compiled(counting, "counting");
  std::vector<int> out(128);
  em::Launch launch = launch_of(out);
  launch.schedule = em::Schedule::Random1;
  const em::Report first = compiled.run(launch), second = compiled.run(launch);
  CHECK(first.switches == second.switches);
}

TEST_CASE("launches that no device would take are refused") {
  const CompiledText compiled(counting, "counting");
  std::vector<int> out(128);
  const auto refused = [&](auto change) {
    em::Launch launch = launch_of(out);
    change(launch);
    const auto report = em::run(compiled.library(), launch);
    REQUIRE(!report);
    CHECK(code_of(report.error()) == 8043);
    return report.error().front().message;
  };
  CHECK(refused([](em::Launch& l) { l.threads = 40; }) ==
        "40 threads a block: whole warps, 1024 at most");
  CHECK(refused([](em::Launch& l) { l.threads = 2048; }) ==
        "2048 threads a block: whole warps, 1024 at most");
  CHECK(refused([](em::Launch& l) { l.dynamic_shared_bytes = 300000; }) ==
        "300000 bytes of dynamic shared memory: 232448 at most");
  CHECK(refused([](em::Launch& l) { l.blocks = {4}; }) == "block 4 of a grid of 4");
  CHECK(refused([](em::Launch& l) { l.arguments[0] = em::Argument::pointer(1); }) ==
        "an argument in buffer 1 of 1");
}

TEST_CASE("a library of something else") {
  const auto library = parhelion::DynamicLibrary::open("libm.so.6");
  REQUIRE(library);
  const auto report = em::run(*library, {});
  REQUIRE(!report);
  CHECK(code_of(report.error()) == 8042);
  CHECK(report.error().front().message == "the library has no emulation_bind and emulation_call");
}

TEST_CASE("texts that cannot be emulated") {
  const auto standalone = em::recipe("extern \"C\" __global__ void k() {}\n", "k");
  REQUIRE(!standalone);
  CHECK(code_of(standalone.error()) == 8041);
  CHECK(standalone.error().front().message == "the CUDA text does not include \"prelude.cuh\"");
  const auto nameless = em::recipe(counting, "count_down");
  REQUIRE(!nameless);
  CHECK(code_of(nameless.error()) == 8041);
  CHECK(nameless.error().front().message == "the CUDA text has no kernel count_down");
}

TEST_CASE("a finding says where, who and what") {
  constexpr std::string_view text = R"(#include "prelude.cuh"
extern "C" __global__ void neighbours(int* out) {
  extern __shared__ unsigned char shared[];
  __shared__ float warp_part[2];
  if (lane_id() == 0) warp_part[threadIdx.x / 32] = 1.0f;
  reinterpret_cast<int*>(shared)[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = static_cast<int>(warp_part[1]) + reinterpret_cast<int*>(shared)[0];
}
)";
  const CompiledText compiled(text, "neighbours");
  std::vector<int> out(64);
  em::Launch launch;
  launch.threads = 64;
  launch.dynamic_shared_bytes = 256;
  launch.schedule = em::Schedule::RoundRobinEarly;
  launch.buffers = {buffer(out, true)};
  launch.arguments = {em::Argument::pointer(0)};
  CHECK(em::text(compiled.run(launch)) ==
        "uninitialised at line 7 (block 0, thread 0): read of warp_part+4 by thread 0: never "
        "written\n"
        "race at line 7 (block 0, threads 1, 0): read of shared+0 by thread 1: not ordered after "
        "the write by thread 0 at line 6\n"
        "race at line 5 (block 0, threads 32, 0): write of warp_part+4 by thread 32: not ordered "
        "after the read by thread 0 at line 7\n"
        "race at line 7 (block 0, threads 33, 32): read of warp_part+4 by thread 33: not ordered "
        "after the write by thread 32 at line 5\n");
}
