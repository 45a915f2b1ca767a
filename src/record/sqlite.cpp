// SPDX-License-Identifier: Apache-2.0
#include "record/sqlite.h"

#include "base/diag.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace parhelion::record {

namespace {
// A reader may meet the moment in which the writer moves its log into the file.
constexpr int busy_ms = 10000;

std::string as_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      uri += fmt::format("%{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      uri += c;
    }
  }
  return uri;
}
}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Database::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

std::unexpected<Diagnostics> Database::failure(std::string_view doing) const {
  const int code = database_ ? sqlite3_errcode(database_.get()) & 0xff : SQLITE_NOMEM;
  const char* why = database_ ? sqlite3_errmsg(database_.get()) : "out of memory";
  const std::string message = fmt::format("record {}: {}: {}", path_, doing, why);
  switch (code) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return fail(9002, message, {}, "move the file away: the next search begins a new one");
    case SQLITE_FULL: return fail(9007, message, {}, "make room on the disk, then resume");
    case SQLITE_READONLY:
    case SQLITE_IOERR:
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return fail(9007, message);
    default: return fail(9001, message);
  }
}

Result<Database> Database::open(const std::string& path, Mode mode) {
  Database database;
  database.path_ = path;
  std::string uri = as_uri(path);
  if (mode == Mode::Immutable) uri += "?immutable=1";
  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX;
  flags |= mode == Mode::Immutable ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE;
  if (mode == Mode::Write) flags |= SQLITE_OPEN_CREATE;
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(uri.c_str(), &raw, flags, nullptr);
  database.database_.reset(raw);
  if (code != SQLITE_OK) return database.failure("cannot be opened");
  sqlite3_busy_timeout(raw, busy_ms);
  // A reader may have to finish what a killed writer began, so its handle can write.
  if (mode == Mode::Read) (void)database.execute("PRAGMA query_only = ON");
  return database;
}

Result<void> Database::execute(const std::string& sql) {
  if (sqlite3_exec(database_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return failure("a statement failed");
  }
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) const {
  sqlite3_stmt* raw = nullptr;
  const int code =
      sqlite3_prepare_v2(database_.get(), sql.data(), static_cast<int>(sql.size()), &raw, nullptr);
  if (code != SQLITE_OK) return failure("a statement cannot be prepared");
  Statement statement;
  statement.statement_.reset(raw);
  statement.database_ = this;
  return statement;
}

Result<std::string> Database::value(std::string_view sql) const {
  auto statement = prepare(sql);
  if (!statement) return std::unexpected(statement.error());
  auto row = statement->step();
  if (!row) return std::unexpected(row.error());
  return *row ? statement->text(0) : std::string();
}

Result<void> Statement::bind(std::span<const Cell> values) {
  sqlite3_stmt* s = statement_.get();
  sqlite3_reset(s);
  int index = 0;
  for (const Cell& value : values) {
    ++index;
    int code = SQLITE_OK;
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
      code = sqlite3_bind_int64(s, index, *number);
    } else if (const auto* real = std::get_if<double>(&value)) {
      code = sqlite3_bind_double(s, index, *real);
    } else if (const auto* text = std::get_if<std::string>(&value)) {
      code =
          sqlite3_bind_text64(s, index, text->data(), text->size(), SQLITE_TRANSIENT, SQLITE_UTF8);
    } else {
      code = sqlite3_bind_null(s, index);
    }
    if (code != SQLITE_OK) return database_->failure("a value cannot be bound");
  }
  return {};
}

Result<bool> Statement::step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return database_->failure("a statement failed");
}

Cell Statement::cell(int column) const {
  sqlite3_stmt* s = statement_.get();
  switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER: return static_cast<std::int64_t>(sqlite3_column_int64(s, column));
    case SQLITE_FLOAT: return sqlite3_column_double(s, column);
    case SQLITE_NULL: return std::monostate{};
    default: return text(column);
  }
}

std::string Statement::text(int column) const {
  sqlite3_stmt* s = statement_.get();
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(s, column));
  if (bytes == nullptr) return {};
  return std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(s, column)));
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

Result<void> Transaction::begin() {
  auto begun = database_->execute("BEGIN IMMEDIATE");
  open_ = begun.has_value();
  return begun;
}

Result<void> Transaction::commit() {
  auto committed = database_->execute("COMMIT");
  open_ = open_ && !committed.has_value();
  return committed;
}

Transaction::~Transaction() {
  if (open_) (void)database_->execute("ROLLBACK");
}

}  // namespace parhelion::record
