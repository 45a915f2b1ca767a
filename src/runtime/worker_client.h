// SPDX-License-Identifier: Apache-2.0
// The worker process seen from the coordinator. Whatever a kernel does to it is a value here.
#pragma once

#include "runtime/shared_memory.h"
#include "runtime/worker_protocol.h"

#include "base/files.h"
#include "base/subprocess.h"

#include <chrono>
#include <expected>
#include <map>
#include <optional>
#include <string>

namespace parhelion::runtime {

struct WorkerOptions {
  fs::path program;  // empty: found beside the library, see find_worker
  Device device;
  int threads = 0;  // 0: one a physical core
  bool pin = true;
  std::int64_t memory_limit_bytes = 0;  // RLIMIT_AS; 0: none (a GPU context needs all of it)
  std::chrono::milliseconds start_timeout{20000};
};

/// libexec/parhelion-worker beside the library or the program, as installed or as built. PH8701.
[[nodiscard]] Result<fs::path> find_worker();

struct WorkerFailure {
  enum class Kind : std::uint8_t {
    Refused,        // the worker answered with diagnostics, and lives
    Crashed,        // ended by a signal
    Exited,         // ended by itself
    TimedOut,       // killed after the deadline
    ProtocolError,  // answered what nobody can read; killed
    NotStarted,
  };
  Kind kind = Kind::Refused;
  int signal = 0;
  Diagnostics diagnostics;
  std::string errors;  // tail of its stderr
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] std::string_view name(WorkerFailure::Kind kind);

template <class T>
using WorkerOutcome = std::expected<T, WorkerFailure>;

class WorkerClient {
 public:
  using Milliseconds = std::chrono::milliseconds;

  [[nodiscard]] static WorkerOutcome<WorkerClient> start(WorkerOptions options);

  WorkerOutcome<void> tensors(const TensorsRequest& request, Milliseconds deadline);
  WorkerOutcome<void> load(int kernel, const fs::path& artifact, Milliseconds deadline);
  WorkerOutcome<void> unload(int kernel, Milliseconds deadline);
  WorkerOutcome<RunAnswer> run(const RunRequest& request, Milliseconds deadline);
  WorkerOutcome<TimeAnswer> time(const TimeRequest& request, Milliseconds deadline);
  WorkerOutcome<ClockAnswer> clock(Milliseconds deadline);

  /// False after any failure but Refused: restart() or throw the client away.
  [[nodiscard]] bool alive() const { return process_.has_value(); }
  /// A fresh process with the tensor sets of before; kernels are to be loaded again.
  WorkerOutcome<void> restart();
  [[nodiscard]] const HelloAnswer& hello() const { return hello_; }
  /// Where contents of tensors go in and out.
  [[nodiscard]] SharedMemory& shared() { return shared_; }

 private:
  explicit WorkerClient(WorkerOptions options) : options_(std::move(options)) {}
  WorkerOutcome<void> spawn();
  WorkerOutcome<Answer> ask(const Request& request, Milliseconds deadline);
  WorkerFailure ended(WorkerFailure::Kind kind, Diagnostics diagnostics);
  template <class T>
  WorkerOutcome<T> ask_for(const Request& request, Milliseconds deadline);

  WorkerOptions options_;
  SharedMemory shared_;
  std::optional<LineProcess> process_;
  HelloAnswer hello_;
  std::map<int, std::pair<TensorsRequest, Milliseconds>> sets_;  // to be made again
};

}  // namespace parhelion::runtime
