// SPDX-License-Identifier: Apache-2.0
// The record file: opened, read, written, merged.
#pragma once

#include "record/place.h"
#include "record/rows.h"
#include "record/sqlite.h"

#include "base/files.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::record {

/// Where records lie unless --record says otherwise: records.db in the cache directory.
[[nodiscard]] fs::path default_path();
/// UTC with milliseconds: "2026-12-01T04:12:09.123Z".
[[nodiscard]] std::string timestamp();

struct MergeCounts {
  std::int64_t runs = 0, trials = 0, validated = 0;  // that were not there before
  bool operator==(const MergeCounts&) const = default;
};

class Record {
 public:
  enum class Mode : std::uint8_t { Read, Write };

  /// Read: the file must exist; in a folder that cannot be written it is opened immutable (PH9008
  /// when a search was killed there). Write: made where missing, WAL until close(), one process at
  /// a time (PH9006), never on a network file system (PH9005).
  [[nodiscard]] static Result<Record> open(const fs::path& path, Mode mode);
  Record(Record&&) noexcept = default;
  Record& operator=(Record&&) = delete;
  ~Record();
  /// Moves the log into the file and leaves it in DELETE mode, so that one file is the record.
  Result<void> close();
  [[nodiscard]] const fs::path& path() const { return path_; }
  /// Reads the whole file (PH9002).
  [[nodiscard]] Result<void> verify() const;

  // Each of these is one transaction: when it has returned, killing the process loses nothing.
  [[nodiscard]] Result<std::string> begin_run(Run run);  // its uid
  Result<void> update_run(const Run& run);               // the row with its uid
  Result<void> add(Trial trial);                         // replaces the same proposal of the run
  Result<void> add(Validated row);

  [[nodiscard]] Result<std::vector<Run>> runs() const;  // oldest first
  [[nodiscard]] Result<std::optional<Run>> find_run(std::string_view uid) const;
  /// The youngest search of these that was not finished, to be resumed.
  [[nodiscard]] Result<std::optional<Run>> find_unfinished(std::string_view kernel,
                                                           std::string_view specialization,
                                                           std::string_view device,
                                                           std::uint64_t seed) const;
  [[nodiscard]] Result<std::vector<Trial>> trials(std::string_view run) const;  // by proposal
  [[nodiscard]] Result<std::vector<Trial>> all_trials() const;
  [[nodiscard]] Result<std::vector<Validated>> validated() const;
  /// The youngest row of the exact key, else of the tuning key; it may be one that was not
  /// accepted.
  [[nodiscard]] Result<std::optional<Validated>> find_validated(std::string_view kernel,
                                                                std::string_view device,
                                                                std::string_view exact_key,
                                                                std::string_view tuning_key) const;
  /// Adds the rows of another record that are not here.
  [[nodiscard]] Result<MergeCounts> merge(const Record& other);

 private:
  Record() = default;
  template <class Row>
  Result<std::vector<Row>> select(std::string_view condition, std::vector<Cell> values) const;
  template <class Row>
  Result<void> insert(const Row& row, std::string_view conflict);
  template <class Row>
  Result<std::int64_t> merge_rows(const Record& other);

  fs::path path_;
  WriterLock lock_;
  Database database_;  // after the lock: closed before it is given up
  Mode mode_ = Mode::Read;
};

}  // namespace parhelion::record
