// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "runtime/timing_race.h"

#include "base/diag.h"

#include <algorithm>
#include <string>

namespace parhelion::runtime {
namespace {

/// Takes a fixed time a call, and writes down who was called.
class FakeCall final : public EngineCall {
 public:
  FakeCall(char label, double us, std::string& diary) : label_(label), us_(us), diary_(diary) {}
  Result<void> run() override { return {}; }
  Result<double> sample_us(int calls, CacheState state) override {
    if (us_ < 0) return fail(8602, "the kernel died");
    diary_ += label_;
    last_calls = calls;
    last_state = state;
    return us_;
  }
  int last_calls = 0;
  CacheState last_state = CacheState::Warm;

 private:
  char label_;
  double us_;
  std::string& diary_;
};

TimedKernel kernel(char label, double us, std::string& diary, int copies = 1) {
  std::vector<std::unique_ptr<EngineCall>> calls;
  for (int i = 0; i < copies; ++i) {
    calls.push_back(std::make_unique<FakeCall>(static_cast<char>(label + i), us, diary));
  }
  return TimedKernel(std::move(calls));
}

TEST_CASE("the order of the coordinator is kept, samples are paired by round") {
  std::string diary;
  std::vector<TimedKernel> kernels;
  kernels.push_back(kernel('a', 10, diary));
  kernels.push_back(kernel('b', 20, diary));
  TimeRequest request;
  request.kernels = {0, 1};
  request.rounds = 3;
  request.warmup_rounds = 0;
  request.calls = {5, 7};
  request.order = {{1, 0}, {0, 1}, {1, 0}};
  const TimeAnswer answer = race(kernels, request).value();
  CHECK(diary == "baabba");
  CHECK(answer.samples == std::vector<std::vector<double>>{{10, 10, 10}, {20, 20, 20}});
  CHECK(answer.calls == std::vector<int>{5, 7});
}

TEST_CASE("without an order each round is shuffled by the seed") {
  const auto diary_of = [](std::uint64_t seed) {
    std::string diary;
    std::vector<TimedKernel> kernels;
    for (const char label : {'a', 'b', 'c', 'd'}) kernels.push_back(kernel(label, 1, diary));
    TimeRequest request;
    request.kernels = {0, 1, 2, 3};
    request.rounds = 20;
    request.calls = {1, 1, 1, 1};
    request.seed = seed;
    CHECK(race(kernels, request).value().samples[3].size() == 20);
    return diary;
  };
  const std::string diary = diary_of(1);
  CHECK(diary.size() == 84);  // one round to warm up
  CHECK(diary == diary_of(1));
  CHECK(diary != diary_of(2));
  for (std::size_t round = 0; round < 21; ++round) {
    std::string row = diary.substr(round * 4, 4);
    std::ranges::sort(row);
    CHECK(row == "abcd");
  }
}

TEST_CASE("calls are batched up to the wanted length of a sample") {
  std::string diary;
  std::vector<TimedKernel> kernels;
  kernels.push_back(kernel('a', 3, diary));
  kernels.push_back(kernel('b', 500, diary));
  TimeRequest request;
  request.kernels = {0, 1};
  request.min_sample_us = 200;
  CHECK(race(kernels, request).value().calls == std::vector<int>{67, 1});
  request.protocol = Protocol::Cold;
  CHECK(race(kernels, request).value().calls == std::vector<int>{1, 1});
}

TEST_CASE("rotation visits the copies in turn") {
  std::string diary;
  std::vector<TimedKernel> kernels;
  kernels.push_back(kernel('a', 3, diary, 3));
  TimeRequest request;
  request.kernels = {0};
  request.protocol = Protocol::Rotate;
  request.rounds = 2;
  request.warmup_rounds = 0;
  request.calls = {4};
  CHECK(race(kernels, request).has_value());
  CHECK(diary == "abcabcab");
}

TEST_CASE("a budget ends between rounds, a failure at once") {
  std::string diary;
  std::vector<TimedKernel> kernels;
  kernels.push_back(kernel('a', 3, diary));
  TimeRequest request;
  request.kernels = {0};
  request.rounds = 100000000;
  request.calls = {1};
  request.budget_us = 2000;
  const auto answer = race(kernels, request).value();
  CHECK(answer.samples[0].size() >= 1);
  CHECK(answer.samples[0].size() < 100000000);
  kernels.push_back(kernel('b', -1, diary));
  request.kernels = {0, 1};
  request.calls = {1, 1};
  const auto failed = race(kernels, request);
  REQUIRE_FALSE(failed.has_value());
  CHECK(failed.error()[0].message == "the kernel died");
}

}  // namespace
}  // namespace parhelion::runtime
