// SPDX-License-Identifier: Apache-2.0
// The rows of a record. Configurations, controls and summaries are their canonical texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::record {

/// How far a trial came.
enum class Stage : std::uint8_t { Plan, Compile, Load, Check, Time, Validate };

/// How it ended there. All but Timed, Dropped and Duplicate are failures, with a reason.
enum class Outcome : std::uint8_t {
  Timed,      // has samples
  Dropped,    // has the few samples after which the race left it
  Duplicate,  // its machine code is that of an earlier trial, whose samples hold
  Refused,    // by a constraint
  CompileError,
  LoadError,
  Crashed,
  TimedOut,
  WrongNumbers,
  OutOfBounds,  // touched a guard zone
  ChangedInput,
  Unstable,  // two runs on equal inputs differ
  Cancelled,
};

/// A search is Running until it ends; a Running one whose process is gone can be resumed.
enum class RunState : std::uint8_t { Running, Finished, Interrupted };

[[nodiscard]] std::string_view name(Stage stage);
[[nodiscard]] std::string_view name(Outcome outcome);
[[nodiscard]] std::string_view name(RunState state);
[[nodiscard]] std::optional<Stage> parse_stage(std::string_view text);
[[nodiscard]] std::optional<Outcome> parse_outcome(std::string_view text);
[[nodiscard]] std::optional<RunState> parse_run_state(std::string_view text);
[[nodiscard]] bool is_failure(Outcome outcome);

struct Run {
  std::string uid;  // given by begin_run where it is empty
  std::string kernel, specialization, shape, dtype, device, toolchain;
  std::uint64_t seed = 0;
  double budget_s = 0;
  RunState state = RunState::Running;
  std::string options;  // JSON: what else a resumed search needs
  std::string split;    // JSON: seconds by activity
  double wall_s = 0;
  std::string environment;  // JSON
  std::string started_at, ended_at;
  bool operator==(const Run&) const = default;
};

struct Trial {
  std::string run;            // uid
  std::int64_t proposal = 0;  // counts within the run
  std::string kernel, specialization, config, controls, device, toolchain;
  Stage stage = Stage::Plan;
  Outcome outcome = Outcome::Timed;
  std::string reason;  // of a failure
  std::string code_hash, artifact_hash;
  std::string protocol;
  std::vector<double> samples_us;
  std::optional<double> score_us;  // what the search compares
  std::string summary;             // JSON of stats::Summary
  double plan_ms = 0, compile_ms = 0, load_ms = 0, check_ms = 0, time_ms = 0;
  std::uint64_t seed = 0;
  std::string strategy;     // who proposed it
  std::string recorded_at;  // given by add() where it is empty
  bool operator==(const Trial&) const = default;
};

struct Validated {
  std::string kernel, exact_key, tuning_key, shape, dtype, device, toolchain;
  std::string config, controls;
  std::string code_hash, artifact_hash;
  bool accepted = false;  // false: no significant gain; config and controls are the default's
  double default_us = 0, best_us = 0;
  double gain = 1;  // default / best
  std::optional<double> gain_low, gain_high;
  std::optional<double> p_adjusted, effect_size;
  std::int64_t n = 0;  // processes
  std::string method;
  std::string environment;  // JSON
  std::string run;          // uid of the search
  std::string recorded_at;
  bool operator==(const Validated&) const = default;
};

}  // namespace parhelion::record
