// SPDX-License-Identifier: Apache-2.0
// A Session owns what calls share: the device's threads and memory, traces, compiled kernels, the
// artifact cache. Kernels use default_session() unless told otherwise.
#pragma once

#include <parhelion/kernel.h>

#include <memory>
#include <string>

namespace parhelion {

struct SessionOptions {
  std::string target = "cpu";  // "x86-64-v3" holds the host to that level
  int threads = 0;             // 0: one a physical core
  std::string cache;           // folder of the artifact cache; empty: the usual place; "none"
  Config config;               // parameters that are fixed; the heuristic chooses the rest
  Controls controls;           // settings of the compiler underneath
};

class Session {
 public:
  /// Throws Error: PH8401 for an unknown target, PH8402 for one that this machine cannot run.
  explicit Session(SessionOptions options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  struct State;
  [[nodiscard]] State& state() { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

}  // namespace parhelion
