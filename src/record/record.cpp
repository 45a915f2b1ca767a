// SPDX-License-Identifier: Apache-2.0
#include "record/record.h"

#include "record/schema.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

namespace parhelion::record {

fs::path default_path() { return cache_directory() / "records.db"; }

std::string timestamp() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec,
                     milliseconds);
}

namespace {

Result<Database> open_to_read(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return fail(9001, fmt::format("there is no record {}", path.string()), {},
                "parhelion tune makes it");
  }
  if (writable(path)) return Database::open(path.string(), Database::Mode::Read);
  const auto holds_rows = [&](std::string_view ending) {
    const fs::path log = path.string() + std::string(ending);
    return fs::exists(log, error) && fs::file_size(log, error) > 0;
  };
  if (holds_rows("-wal") || holds_rows("-journal")) {
    return fail(9008,
                fmt::format("record {} was left in the middle of a search, and its folder "
                            "cannot be written",
                            path.string()),
                {}, "open it once where it can be written, or copy both files elsewhere");
  }
  return Database::open(path.string(), Database::Mode::Immutable);
}

/// Before anything is changed: the file may be somebody else's.
Result<void> check_existing(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return {};
  auto database = Database::open(path.string(), Database::Mode::Read);
  if (!database) return std::unexpected(database.error());
  return check_schema(*database, path.string());
}

Result<void> check_filled(const Database& database, const fs::path& path) {
  if (auto checked = check_schema(database, path.string()); !checked) return checked;
  auto tables = database.value("SELECT count(*) FROM sqlite_master");
  if (!tables) return std::unexpected(tables.error());
  if (*tables != "0") return {};
  return fail(9001, fmt::format("record {} is empty: no search has written it", path.string()));
}

Result<Database> open_to_write(const fs::path& path) {
  if (auto ours = check_existing(path); !ours) return std::unexpected(ours.error());
  auto database = Database::open(path.string(), Database::Mode::Write);
  if (!database) return database;
  // NORMAL keeps every commit through a crash of the process; the last ones may go in a power cut.
  auto ready = database->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;");
  if (!ready) return std::unexpected(ready.error());
  return database;
}

}  // namespace

Result<Record> Record::open(const fs::path& path, Mode mode) {
  Record record;
  record.path_ = path;
  record.mode_ = mode;
  if (mode == Mode::Write) {
    if (auto local = check_local(path); !local) return std::unexpected(local.error());
    if (path.has_parent_path()) {
      auto made = make_directories(path.parent_path());
      if (!made) return std::unexpected(made.error());
    }
    auto lock = WriterLock::take(path);
    if (!lock) return std::unexpected(lock.error());
    record.lock_ = std::move(*lock);
  }
  auto database = mode == Mode::Write ? open_to_write(path) : open_to_read(path);
  if (!database) return std::unexpected(database.error());
  record.database_ = std::move(*database);
  auto ready =
      mode == Mode::Write ? create_schema(record.database_) : check_filled(record.database_, path);
  if (!ready) return std::unexpected(ready.error());
  return record;
}

Result<void> Record::close() {
  if (!database_.is_open()) return {};
  Result<void> result;
  if (mode_ == Mode::Write) {
    result = database_.execute("PRAGMA wal_checkpoint(TRUNCATE);");
    // Fails while another process reads; it stays a WAL file then, which the next writer mends.
    if (result) (void)database_.execute("PRAGMA busy_timeout = 0; PRAGMA journal_mode = DELETE;");
  }
  database_ = Database();
  lock_ = WriterLock();
  return result;
}

Record::~Record() { (void)close(); }

Result<void> Record::verify() const {
  auto found = database_.value("PRAGMA integrity_check(1)");
  if (!found) return std::unexpected(found.error());
  if (*found == "ok") return {};
  return fail(9002, fmt::format("record {} is damaged: {}", path_.string(), *found), {},
              "move the file away: the next search begins a new one");
}

}  // namespace parhelion::record
