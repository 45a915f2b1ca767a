// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include "record/columns.h"
#include "record/export.h"

namespace parhelion::record {
namespace {

TEST_CASE("rows come back as they were written") {
  const TemporaryDirectory folder;
  const fs::path path = folder.path() / "deep" / "records.db";
  Trial failed = sample_trial("run-1", 1);
  failed.outcome = Outcome::WrongNumbers;
  failed.stage = Stage::Check;
  failed.reason = "element 7: 0.5, wanted 0.25 ± 1e-6\n";
  failed.samples_us.clear();
  failed.score_us.reset();
  failed.recorded_at = "2026-12-01T00:00:00.000Z";
  const Validated row = sample_validated("exact-1", "2026-12-01T00:00:00.000Z");
  {
    Record record = open_new(path);
    CHECK(record.begin_run(sample_run("run-1")).value() == "run-1");
    REQUIRE(record.add(sample_trial("run-1", 0)).has_value());
    REQUIRE(record.add(failed).has_value());
    REQUIRE(record.add(row).has_value());
    Run done = record.find_run("run-1").value().value();
    done.state = RunState::Finished;
    done.wall_s = 14.5;
    REQUIRE(record.update_run(done).has_value());
    REQUIRE(record.close().has_value());
  }
  const Record record = Record::open(path, Record::Mode::Read).value();
  const Run run = record.find_run("run-1").value().value();
  CHECK(run.state == RunState::Finished);
  CHECK(run.wall_s == 14.5);
  CHECK(run.started_at.size() == 24);
  const auto trials = record.trials("run-1").value();
  REQUIRE(trials.size() == 2);
  CHECK(trials[0].seed == ~0ull);
  CHECK(trials[0].samples_us == std::vector<double>{10.5, 11.25, 10.75});
  CHECK(trials[1] == failed);
  CHECK(record.validated().value() == std::vector<Validated>{row});
  CHECK_FALSE(record.find_run("absent").value().has_value());
}

TEST_CASE("a proposal that is recorded again replaces itself") {
  const TemporaryDirectory folder;
  Record record = open_new(folder.path() / "r.db");
  REQUIRE(record.add(sample_trial("run-1", 3)).has_value());
  Trial again = sample_trial("run-1", 3);
  again.outcome = Outcome::Crashed;
  REQUIRE(record.add(again).has_value());
  const auto trials = record.trials("run-1").value();
  REQUIRE(trials.size() == 1);
  CHECK(trials[0].outcome == Outcome::Crashed);
}

TEST_CASE("validated rows are found by exact key, then by tuning key, youngest first") {
  const TemporaryDirectory folder;
  Record record = open_new(folder.path() / "r.db");
  Validated old = sample_validated("exact-1", "2026-01-01T00:00:00.000Z");
  Validated young = sample_validated("exact-1", "2026-02-01T00:00:00.000Z");
  young.accepted = false;
  Validated neighbour = sample_validated("exact-2", "2026-03-01T00:00:00.000Z");
  REQUIRE(record.add(young).has_value());
  REQUIRE(record.add(old).has_value());
  REQUIRE(record.add(neighbour).has_value());
  const auto find = [&](std::string_view exact, std::string_view tuning, std::string_view device) {
    return record.find_validated("softmax", device, exact, tuning).value();
  };
  CHECK(find("exact-1", "bucket-1", "cpu EPYC") == young);
  CHECK(find("exact-9", "bucket-1", "cpu EPYC") == neighbour);
  CHECK_FALSE(find("exact-9", "", "cpu EPYC").has_value());
  CHECK_FALSE(find("exact-9", "bucket-9", "cpu EPYC").has_value());
  CHECK_FALSE(find("exact-1", "bucket-1", "H200").has_value());
  CHECK_FALSE(record.find_validated("matmul", "cpu EPYC", "exact-1", "bucket-1").value());
}

TEST_CASE("the youngest unfinished search of the same seed is found") {
  const TemporaryDirectory folder;
  Record record = open_new(folder.path() / "r.db");
  const auto add = [&](std::string uid, std::uint64_t seed, RunState state, std::string started) {
    Run run = sample_run(std::move(uid), seed);
    run.state = state;
    run.started_at = std::move(started);
    CHECK(record.begin_run(run).has_value());
  };
  add("finished", 7, RunState::Finished, "2026-05");
  add("old", 7, RunState::Running, "2026-01");
  add("young", 7, RunState::Interrupted, "2026-04");
  add("other-seed", 8, RunState::Running, "2026-06");
  CHECK(record.find_unfinished("softmax", "key-1", "cpu EPYC", 7).value()->uid == "young");
  CHECK_FALSE(record.find_unfinished("softmax", "key-2", "cpu EPYC", 7).value().has_value());
  const std::string made = record.begin_run(sample_run("")).value();
  CHECK(made.size() == 16);
  CHECK(record.begin_run(sample_run("")).value() != made);
}

TEST_CASE("merging adds what is not there, once") {
  const TemporaryDirectory folder;
  Record a = open_new(folder.path() / "a.db"), b = open_new(folder.path() / "b.db");
  CHECK(a.begin_run(sample_run("run-1")).has_value());
  CHECK(b.begin_run(sample_run("run-2")).has_value());
  for (std::int64_t i = 0; i < 5; ++i) {
    REQUIRE(a.add(sample_trial("run-1", i)).has_value());
    REQUIRE(b.add(sample_trial(i < 2 ? "run-1" : "run-2", i)).has_value());
  }
  REQUIRE(b.add(sample_validated("exact-1", "2026-01-01T00:00:00.000Z")).has_value());
  CHECK(a.merge(b).value() == MergeCounts{1, 3, 1});
  CHECK(a.merge(b).value() == MergeCounts{0, 0, 0});
  CHECK(a.all_trials().value().size() == 8);
}

TEST_CASE("words round-trip") {
  for (int i = 0; i <= static_cast<int>(Outcome::Cancelled); ++i) {
    const auto outcome = static_cast<Outcome>(i);
    CHECK(parse_outcome(name(outcome)) == outcome);
  }
  for (int i = 0; i <= static_cast<int>(Stage::Validate); ++i) {
    CHECK(parse_stage(name(static_cast<Stage>(i))) == static_cast<Stage>(i));
  }
  CHECK(parse_run_state(name(RunState::Interrupted)) == RunState::Interrupted);
  CHECK_FALSE(parse_outcome("fine").has_value());
  CHECK(is_failure(Outcome::Crashed));
  CHECK_FALSE(is_failure(Outcome::Duplicate));
}

TEST_CASE("exports hold every column") {
  const TemporaryDirectory folder;
  Record record = open_new(folder.path() / "r.db");
  Trial trial = sample_trial("run-1", 0);
  trial.reason = "he said \"no\", twice";
  trial.recorded_at = "2026-12-01T00:00:00.000Z";
  REQUIRE(record.add(trial).has_value());
  CHECK(record.begin_run(sample_run("run-1")).has_value());
  const Json json = export_json(record).value();
  CHECK(json.integer_or("schema", 0) == 1);
  const Json& row = json.find("trials")->as_array().at(0);
  CHECK(row.as_object().size() == columns_of<Trial>().size());
  CHECK(row.find("samples_us")->as_array().size() == 3);
  CHECK(row.find("summary")->integer_or("n", 0) == 3);
  CHECK(row.string_or("outcome", "") == "timed");
  CHECK(json.find("runs")->as_array().at(0).find("options")->integer_or("threads", 0) == 2);
  const std::string csv = export_csv(record, Table::Trials).value();
  CHECK(csv.starts_with("run,proposal,kernel,specialization,config,"));
  CHECK(csv.find("\"he said \"\"no\"\", twice\"") != std::string::npos);
  CHECK(csv.ends_with(",2026-12-01T00:00:00.000Z\r\n"));
  CHECK(export_csv(record, Table::Validated).value().find("\r\n") != std::string::npos);
}

}  // namespace
}  // namespace parhelion::record
