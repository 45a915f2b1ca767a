// SPDX-License-Identifier: Apache-2.0
#include "record/rows.h"

#include <algorithm>
#include <iterator>

namespace parhelion::record {

namespace {

template <class E>
struct NameRow {
  E value;
  std::string_view name;
};

constexpr NameRow<Stage> stages[] = {
    {Stage::Plan, "plan"},   {Stage::Compile, "compile"}, {Stage::Load, "load"},
    {Stage::Check, "check"}, {Stage::Time, "time"},       {Stage::Validate, "validate"},
};
constexpr NameRow<Outcome> outcomes[] = {
    {Outcome::Timed, "timed"},
    {Outcome::Dropped, "dropped"},
    {Outcome::Duplicate, "duplicate"},
    {Outcome::Refused, "refused"},
    {Outcome::CompileError, "compile-error"},
    {Outcome::LoadError, "load-error"},
    {Outcome::Crashed, "crashed"},
    {Outcome::TimedOut, "timed-out"},
    {Outcome::WrongNumbers, "wrong-numbers"},
    {Outcome::OutOfBounds, "out-of-bounds"},
    {Outcome::ChangedInput, "changed-input"},
    {Outcome::Unstable, "unstable"},
    {Outcome::Cancelled, "cancelled"},
};
constexpr NameRow<RunState> states[] = {
    {RunState::Running, "running"},
    {RunState::Finished, "finished"},
    {RunState::Interrupted, "interrupted"},
};

template <class E, std::size_t N>
std::string_view find_name(const NameRow<E> (&rows)[N], E value) {
  return std::ranges::find(rows, value, &NameRow<E>::value)->name;
}

template <class E, std::size_t N>
std::optional<E> find_value(const NameRow<E> (&rows)[N], std::string_view text) {
  const auto* row = std::ranges::find(rows, text, &NameRow<E>::name);
  return row == std::end(rows) ? std::nullopt : std::optional(row->value);
}

}  // namespace

std::string_view name(Stage stage) { return find_name(stages, stage); }
std::string_view name(Outcome outcome) { return find_name(outcomes, outcome); }
std::string_view name(RunState state) { return find_name(states, state); }
std::optional<Stage> parse_stage(std::string_view text) { return find_value(stages, text); }
std::optional<Outcome> parse_outcome(std::string_view text) { return find_value(outcomes, text); }
std::optional<RunState> parse_run_state(std::string_view text) { return find_value(states, text); }

bool is_failure(Outcome outcome) {
  return outcome != Outcome::Timed && outcome != Outcome::Dropped && outcome != Outcome::Duplicate;
}

}  // namespace parhelion::record
