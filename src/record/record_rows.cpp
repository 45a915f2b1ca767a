// SPDX-License-Identifier: Apache-2.0
#include "record/record.h"

#include "record/columns.h"

#include "base/diag.h"
#include "base/hash.h"

#include <fmt/format.h>

#include <unistd.h>

#include <chrono>

namespace parhelion::record {

namespace {

/// Differs between machines, processes and moments.
std::string fresh_uid() {
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  Hasher hasher;
  hasher.add(std::string_view(host));
  hasher.add(static_cast<std::uint64_t>(getpid()));
  hasher.add(
      static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()));
  return hasher.finish().hex().substr(0, 16);
}

template <class Row>
std::optional<Row> first_of(std::vector<Row> rows) {
  if (rows.empty()) return std::nullopt;
  return std::move(rows.front());
}

}  // namespace

template <class Row>
Result<std::vector<Row>> Record::select(std::string_view condition,
                                        std::vector<Cell> values) const {
  auto statement = database_.prepare(
      fmt::format("SELECT {} FROM {} {}", column_list<Row>(), table_of<Row>(), condition));
  if (!statement) return std::unexpected(statement.error());
  if (auto bound = statement->bind(values); !bound) return std::unexpected(bound.error());
  std::vector<Row> rows;
  for (;;) {
    auto more = statement->step();
    if (!more) return std::unexpected(more.error());
    if (!*more) return rows;
    Row row;
    int index = 0;
    for (const Column<Row>& column : columns_of<Row>()) {
      if (!column.set(row, statement->cell(index++))) {
        return fail(9002, fmt::format("record {}: a row of {} holds a {} that cannot be read",
                                      path_.string(), table_of<Row>(), column.name));
      }
    }
    rows.push_back(std::move(row));
  }
}

template <class Row>
Result<void> Record::insert(const Row& row, std::string_view conflict) {
  if (mode_ != Mode::Write) {
    return fail(9007, fmt::format("record {} is open for reading only", path_.string()));
  }
  const std::vector<Cell> cells = cells_of(row);
  std::string marks;
  for (std::size_t i = 0; i < cells.size(); ++i) marks += i == 0 ? "?" : ", ?";
  auto statement = database_.prepare(fmt::format("INSERT {} INTO {} ({}) VALUES ({})", conflict,
                                                 table_of<Row>(), column_list<Row>(), marks));
  if (!statement) return std::unexpected(statement.error());
  if (auto bound = statement->bind(cells); !bound) return bound;
  auto done = statement->step();
  if (!done) return std::unexpected(done.error());
  return {};
}

Result<std::string> Record::begin_run(Run run) {
  if (run.uid.empty()) run.uid = fresh_uid();
  if (run.started_at.empty()) run.started_at = timestamp();
  if (auto inserted = insert(run, ""); !inserted) return std::unexpected(inserted.error());
  return run.uid;
}

Result<void> Record::update_run(const Run& run) { return insert(run, "OR REPLACE"); }

Result<void> Record::add(Trial trial) {
  if (trial.recorded_at.empty()) trial.recorded_at = timestamp();
  return insert(trial, "OR REPLACE");
}

Result<void> Record::add(Validated row) {
  if (row.recorded_at.empty()) row.recorded_at = timestamp();
  return insert(row, "OR REPLACE");
}

Result<std::vector<Run>> Record::runs() const {
  return select<Run>("ORDER BY started_at, uid", {});
}

Result<std::optional<Run>> Record::find_run(std::string_view uid) const {
  auto rows = select<Run>("WHERE uid = ?", {std::string(uid)});
  if (!rows) return std::unexpected(rows.error());
  return first_of(std::move(*rows));
}

Result<std::optional<Run>> Record::find_unfinished(std::string_view kernel,
                                                   std::string_view specialization,
                                                   std::string_view device,
                                                   std::uint64_t seed) const {
  auto rows = select<Run>(
      "WHERE kernel = ? AND specialization = ? AND device = ? AND seed = ? AND state <> 'finished' "
      "ORDER BY started_at DESC LIMIT 1",
      {std::string(kernel), std::string(specialization), std::string(device),
       static_cast<std::int64_t>(seed)});
  if (!rows) return std::unexpected(rows.error());
  return first_of(std::move(*rows));
}

Result<std::vector<Trial>> Record::trials(std::string_view run) const {
  return select<Trial>("WHERE run = ? ORDER BY proposal", {std::string(run)});
}

Result<std::vector<Trial>> Record::all_trials() const {
  return select<Trial>("ORDER BY recorded_at, run, proposal", {});
}

Result<std::vector<Validated>> Record::validated() const {
  return select<Validated>("ORDER BY recorded_at, rowid", {});
}

Result<std::optional<Validated>> Record::find_validated(std::string_view kernel,
                                                        std::string_view device,
                                                        std::string_view exact_key,
                                                        std::string_view tuning_key) const {
  const auto youngest = [&](std::string_view column, std::string_view key) {
    return select<Validated>(fmt::format("WHERE kernel = ? AND device = ? AND {} = ? "
                                         "ORDER BY recorded_at DESC, rowid DESC LIMIT 1",
                                         column),
                             {std::string(kernel), std::string(device), std::string(key)});
  };
  auto rows = youngest("exact_key", exact_key);
  if (rows && rows->empty() && !tuning_key.empty()) rows = youngest("tuning_key", tuning_key);
  if (!rows) return std::unexpected(rows.error());
  return first_of(std::move(*rows));
}

template <class Row>
Result<std::int64_t> Record::merge_rows(const Record& other) {
  auto rows = other.select<Row>("", {});
  if (!rows) return std::unexpected(rows.error());
  const auto count = [&]() -> std::int64_t {
    auto text = database_.value(fmt::format("SELECT count(*) FROM {}", table_of<Row>()));
    return text ? std::stoll(*text) : 0;
  };
  const std::int64_t before = count();
  for (const Row& row : *rows) {
    if (auto added = insert(row, "OR IGNORE"); !added) return std::unexpected(added.error());
  }
  return count() - before;
}

Result<MergeCounts> Record::merge(const Record& other) {
  Transaction transaction(database_);
  if (auto begun = transaction.begin(); !begun) return std::unexpected(begun.error());
  auto runs = merge_rows<Run>(other);
  if (!runs) return std::unexpected(runs.error());
  auto trials = merge_rows<Trial>(other);
  if (!trials) return std::unexpected(trials.error());
  auto validated = merge_rows<Validated>(other);
  if (!validated) return std::unexpected(validated.error());
  if (auto done = transaction.commit(); !done) return std::unexpected(done.error());
  return MergeCounts{*runs, *trials, *validated};
}

}  // namespace parhelion::record
