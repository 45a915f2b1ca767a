// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record/record.h"

#include <doctest/doctest.h>

#include <string>

namespace parhelion::record {

inline Run sample_run(std::string uid, std::uint64_t seed = 7) {
  Run run;
  run.uid = std::move(uid);
  run.kernel = "softmax";
  run.specialization = "key-1";
  run.shape = "M=2048,N=3584";
  run.device = "cpu EPYC";
  run.seed = seed;
  run.budget_s = 15;
  run.options = R"({"threads":2})";
  run.environment = R"({"clock_mhz":3660.5})";
  return run;
}

inline Trial sample_trial(std::string run, std::int64_t proposal) {
  Trial t;
  t.run = std::move(run);
  t.proposal = proposal;
  t.kernel = "softmax";
  t.specialization = "key-1";
  t.config = "block[a0]=1 simd=32";
  t.device = "cpu EPYC";
  t.stage = Stage::Time;
  t.samples_us = {10.5, 11.25, 10.75};
  t.score_us = 10.75;
  t.summary = R"({"median":10.75,"n":3})";
  t.compile_ms = 61.5;
  t.seed = ~0ull;  // the whole range must survive
  return t;
}

inline Validated sample_validated(std::string exact, std::string at) {
  Validated v;
  v.kernel = "softmax";
  v.exact_key = std::move(exact);
  v.tuning_key = "bucket-1";
  v.device = "cpu EPYC";
  v.config = "simd=32";
  v.controls = "[g++]\n";
  v.accepted = true;
  v.default_us = 12;
  v.best_us = 10;
  v.gain = 1.2;
  v.gain_low = 1.17;
  v.gain_high = 1.23;
  v.p_adjusted = 0.001;
  v.n = 5;
  v.method = "t over processes";
  v.recorded_at = std::move(at);
  return v;
}

inline Record open_new(const fs::path& path) {
  return Record::open(path, Record::Mode::Write).value();
}

template <class T>
int code_of(const Result<T>& result) {
  return result ? 0 : result.error()[0].code;
}

}  // namespace parhelion::record
