// SPDX-License-Identifier: Apache-2.0
// What coordinator and worker say to each other: one JSON object a line, request and answer in
// turn. Tensor contents travel in a shared memory file, never in the lines.
#pragma once

#include "runtime/arguments.h"
#include "runtime/edge.h"
#include "runtime/elements.h"
#include "runtime/engine.h"

#include "base/json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace parhelion::runtime {

inline constexpr int worker_protocol_version = 1;

/// A tensor that the worker makes. Content: bytes of the shared file if `shared_offset` is there
/// (span_bytes of the layout), else drawn by `distribution`.
struct TensorSpec {
  DType dtype = DType::F32;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;  // in elements; empty: row-major
  Distribution distribution = Distribution::Zeros;
  std::uint64_t seed = 0, stream = 0;
  std::optional<std::int64_t> shared_offset;
  bool written = false;         // restored before each checked run; the others must not change
  std::int64_t alignment = 64;  // of its first element, which then lies `misalign` bytes behind
  std::int64_t misalign = 0;
  bool operator==(const TensorSpec&) const = default;
};

/// Makes (or replaces) a set of tensors under a number of the coordinator's choice. `copies` > 1
/// makes that many of each for the rotating protocol.
struct TensorsRequest {
  int set = 0;
  Edge edge = Edge::End;
  int copies = 1;
  std::vector<TensorSpec> tensors;
  bool operator==(const TensorsRequest&) const = default;
};

/// Loads an artifact from its file under a number of the coordinator's choice.
struct LoadRequest {
  int kernel = 0;
  std::string file;
  bool operator==(const LoadRequest&) const = default;
};
struct UnloadRequest {
  int kernel = 0;
  bool operator==(const UnloadRequest&) const = default;
};

/// One checked run: written tensors restored, guard zones and unwritten tensors looked at
/// afterwards.
struct RunRequest {
  struct Output {
    int tensor = 0;
    std::int64_t shared_offset = 0;  // where its span_bytes go in the shared file
    bool operator==(const Output&) const = default;
  };
  int kernel = 0, set = 0;
  std::vector<ScalarValue> scalars;
  std::vector<Output> outputs;
  bool operator==(const RunRequest&) const = default;
};

enum class Protocol : std::uint8_t {
  Warm,    // caches as the call before left them
  Cold,    // caches emptied before each call
  Rotate,  // call after call on the next copy of the tensors
};
[[nodiscard]] std::string_view name(Protocol protocol);
[[nodiscard]] std::optional<Protocol> parse_protocol(std::string_view text);

/// Interleaved samples of several kernels on one set. In round r the kernels run once each, in the
/// order of `order[r]` (places in `kernels`), or shuffled by (seed, r) when `order` is empty.
struct TimeRequest {
  std::vector<int> kernels;
  int set = 0;
  std::vector<ScalarValue> scalars;
  Protocol protocol = Protocol::Warm;
  int rounds = 5;
  int warmup_rounds = 1;
  double min_sample_us = 200;  // calls are batched up to it (Warm and Rotate)
  std::vector<int> calls;      // of a sample, by kernel; empty: found by the worker
  std::vector<std::vector<int>> order;
  std::uint64_t seed = 0;
  double budget_us = 0;  // no round is begun after it; 0: none
  bool operator==(const TimeRequest&) const = default;
};
struct ClockRequest {
  bool operator==(const ClockRequest&) const = default;
};
struct HelloRequest {
  int version = worker_protocol_version;
  bool operator==(const HelloRequest&) const = default;
};

using Request = std::variant<HelloRequest, TensorsRequest, LoadRequest, UnloadRequest, RunRequest,
                             TimeRequest, ClockRequest>;

// ---- answers -----------------------------------------------------------------------------------
struct HelloAnswer {
  int version = 0;
  int pid = 0;
  std::string target;
  Json environment;
  bool operator==(const HelloAnswer&) const = default;
};
struct DoneAnswer {  // to Tensors, Load, Unload
  bool operator==(const DoneAnswer&) const = default;
};
struct RunAnswer {
  double wall_us = 0;
  std::vector<std::string> damage;  // "tensor 1: byte 3 behind the end was written"
  std::vector<int> changed_inputs;  // tensors that were not to be written, and were
  bool operator==(const RunAnswer&) const = default;
};
struct TimeAnswer {
  /// us a call, by kernel and round: samples[k][r] and samples[j][r] are a pair.
  std::vector<std::vector<double>> samples;
  std::vector<int> calls;
  std::vector<double> clock_mhz;  // before and after, where the device tells it
  bool operator==(const TimeAnswer&) const = default;
};
struct ClockAnswer {
  std::optional<double> mhz;
  bool operator==(const ClockAnswer&) const = default;
};

// Diagnostics travel when the worker refuses a request; the process lives on.
using Answer =
    std::variant<HelloAnswer, DoneAnswer, RunAnswer, TimeAnswer, ClockAnswer, Diagnostics>;

[[nodiscard]] Json to_json(const Request& request);
[[nodiscard]] Json to_json(const Answer& answer);
/// PH8702 names what is missing or wrong.
[[nodiscard]] Result<Request> read_request(std::string_view line);
[[nodiscard]] Result<Answer> read_answer(std::string_view line);

}  // namespace parhelion::runtime
