// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "test_kernels.h"

#include "runtime/cpu/cpu_kernel.h"

#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace parhelion::runtime::cpu {
namespace {

CpuKernel load(const LaunchFacts& facts) {
  return CpuKernel::load(test_kernel_bytes(), facts, "test").value();
}

TEST_CASE("a kernel runs over its programs") {
  CpuDevice device({.threads = 2});
  std::vector<float> x(1000), out(1000);
  std::iota(x.begin(), x.end(), 0.f);
  const std::array tensors = {TensorView(x.data(), {1000}), TensorView(out.data(), {1000})};
  const std::array scalars = {ScalarValue{true, 0.5, 0}};
  auto prepared = Prepared::make(device, load(scale_facts()), tensors, scalars);
  REQUIRE(prepared.has_value());
  prepared->launch();
  for (std::size_t i = 0; i < x.size(); ++i) CHECK(out[i] == x[i] * 0.5f);
}

TEST_CASE("a prepared call moves to other addresses") {
  CpuDevice device({.threads = 1});
  std::vector<float> x(8, 1.f), y(8, 3.f), out(8), other(8);
  const std::array tensors = {TensorView(x.data(), {8}), TensorView(out.data(), {8})};
  const std::array scalars = {ScalarValue{true, 2, 0}};
  auto prepared = Prepared::make(device, load(scale_facts()), tensors, scalars).value();
  const std::array<void*, 2> data = {y.data(), other.data()};
  prepared.launch(data);
  CHECK(other[7] == 6);
  CHECK(out[7] == 0);
  prepared.launch();
  CHECK(out[7] == 2);
}

TEST_CASE("phases share the workspace, workers have scratch of their own") {
  CpuDevice device({.threads = 3});
  std::vector<std::int64_t> out(64);
  const std::array tensors = {TensorView(out.data(), {64})};
  auto prepared = Prepared::make(device, load(phase_facts()), tensors).value();
  for (int run = 0; run < 3; ++run) {
    prepared.launch();
    for (std::int64_t i = 0; i < 64; ++i) CHECK(out[static_cast<std::size_t>(i)] == i * i + 1);
  }
}

TEST_CASE("little work stays on the caller, much is spread") {
  CpuDevice device({.threads = 2});
  std::vector<float> x(64), out(64);
  const std::array small = {TensorView(x.data(), {64}), TensorView(out.data(), {64})};
  const std::array scalars = {ScalarValue{true, 1, 0}};
  auto prepared = Prepared::make(device, load(scale_facts()), small, scalars).value();
  CHECK_FALSE(prepared.serial());
  for (int i = 0; i < 6; ++i) prepared.launch();
  std::vector<float> large_x(1 << 23), large_out(1 << 23);
  const std::array large = {TensorView(large_x.data(), {1 << 23}),
                            TensorView(large_out.data(), {1 << 23})};
  auto spread = Prepared::make(device, load(scale_facts()), large, scalars).value();
  for (int i = 0; i < 6; ++i) spread.launch();
  CHECK_FALSE(spread.serial());
}

TEST_CASE("calls of several threads follow one another") {
  CpuDevice device({.threads = 2});
  std::vector<std::int64_t> a(64), b(64);
  const CpuKernel kernel = load(phase_facts());
  const auto repeat = [&](std::vector<std::int64_t>& out) {
    const std::array tensors = {TensorView(out.data(), {64})};
    auto prepared = Prepared::make(device, kernel, tensors).value();
    for (int i = 0; i < 50; ++i) prepared.launch();
  };
  {
    const std::jthread first([&] { repeat(a); }), second([&] { repeat(b); });
  }
  CHECK(a == b);
  CHECK(a[8] == 65);
}

TEST_CASE("one file loaded twice is two kernels") {
  CpuDevice device({.threads = 1});
  std::vector<std::int64_t> out(1);
  const std::array tensors = {TensorView(out.data(), {1})};
  const CpuKernel first = load(count_facts()), second = load(count_facts());
  Prepared::make(device, first, tensors).value().launch();
  Prepared::make(device, first, tensors).value().launch();
  CHECK(out[0] == 2);
  Prepared::make(device, second, tensors).value().launch();
  CHECK(out[0] == 1);
}

TEST_CASE("what cannot be loaded is refused with the reason") {
  const std::string text = "this is no shared object";
  const auto bad = CpuKernel::load(std::as_bytes(std::span(text)), {}, "bad");
  REQUIRE_FALSE(bad.has_value());
  CHECK(bad.error()[0].code == 8501);
  CHECK(bad.error()[0].message == "kernel 'bad' cannot be loaded");
  LaunchFacts facts = scale_facts();
  facts.phases[0].entry = "absent";
  const auto missing = CpuKernel::load(test_kernel_bytes(), facts, "test");
  REQUIRE_FALSE(missing.has_value());
  CHECK(missing.error()[0].code == 8502);
  CHECK(missing.error()[0].message == "kernel 'test' has no entry 'absent'");
  CpuDevice device({.threads = 1});
  LaunchFacts huge = phase_facts();
  huge.workspace_bytes = SizeProgram::constant(1LL << 60);
  std::vector<std::int64_t> out(64);
  const std::array tensors = {TensorView(out.data(), {64})};
  const auto none = Prepared::make(device, load(huge), tensors);
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error()[0].code == 8504);
}

TEST_CASE("many loads and unloads leave nothing open") {
  CpuDevice device({.threads = 1});
  std::vector<std::int64_t> out(1);
  const std::array tensors = {TensorView(out.data(), {1})};
  for (int i = 0; i < 1500; ++i) {
    Prepared::make(device, load(count_facts()), tensors).value().launch();
    if (out[0] != 1) FAIL("a load gave the library of another");
  }
}

}  // namespace
}  // namespace parhelion::runtime::cpu
