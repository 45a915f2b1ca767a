// SPDX-License-Identifier: Apache-2.0
#include "runtime/timing_race.h"

#include "base/rng.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace parhelion::runtime {

namespace {
constexpr double max_calls = 1e6;  // of one sample
}

Result<double> TimedKernel::sample_us(int calls, Protocol protocol) {
  if (protocol == Protocol::Cold) return calls_[0]->sample_us(calls, CacheState::Cold);
  if (protocol == Protocol::Warm) return calls_[0]->sample_us(calls, CacheState::Warm);
  double sum = 0;
  for (int i = 0; i < calls; ++i) {
    auto one = calls_[next_]->sample_us(1, CacheState::Warm);
    if (!one) return one;
    sum += *one;
    next_ = (next_ + 1) % calls_.size();
  }
  return sum / calls;
}

Result<int> TimedKernel::calibrate(double min_sample_us, Protocol protocol) {
  if (protocol == Protocol::Cold) return 1;  // the eviction between calls is long enough by itself
  double calls = 1;
  // The first calls are the slowest (page faults, clock): three rounds approach from below.
  for (int round = 0; round < 3; ++round) {
    auto us = sample_us(static_cast<int>(calls), protocol);
    if (!us) return std::unexpected(us.error());
    calls = std::clamp(std::ceil(min_sample_us / std::max(*us, 1e-3)), calls, max_calls);
  }
  return static_cast<int>(calls);
}

Result<TimeAnswer> race(std::vector<TimedKernel>& kernels, const TimeRequest& request) {
  TimeAnswer answer;
  answer.calls = request.calls;
  answer.samples.resize(kernels.size());
  for (std::size_t k = 0; k < kernels.size() && request.calls.empty(); ++k) {
    auto calls = kernels[k].calibrate(request.min_sample_us, request.protocol);
    if (!calls) return std::unexpected(calls.error());
    answer.calls.push_back(*calls);
  }
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  std::vector<int> order(kernels.size());
  std::vector<double> row(kernels.size());
  for (int round = -request.warmup_rounds; round < request.rounds; ++round) {
    const std::chrono::duration<double, std::micro> spent = Clock::now() - start;
    if (request.budget_us > 0 && round > 0 && spent.count() > request.budget_us) break;
    std::iota(order.begin(), order.end(), 0);
    if (round >= 0 && !request.order.empty()) {
      order = request.order[static_cast<std::size_t>(round)];
    } else {
      Rng(request.seed, static_cast<std::uint64_t>(round)).shuffle(order);
    }
    for (const int k : order) {
      const auto index = static_cast<std::size_t>(k);
      auto us = kernels[index].sample_us(answer.calls[index], request.protocol);
      if (!us) return std::unexpected(us.error());
      row[index] = *us;
    }
    for (std::size_t k = 0; k < kernels.size() && round >= 0; ++k) {
      answer.samples[k].push_back(row[k]);
    }
  }
  return answer;
}

}  // namespace parhelion::runtime
