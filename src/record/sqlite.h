// SPDX-License-Identifier: Apache-2.0
// The part of SQLite that a record needs. sqlite3.h is behind it, in sqlite.cpp only.
#pragma once

#include <parhelion/diagnostic.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace parhelion::record {

using Cell = std::variant<std::monostate, std::int64_t, double, std::string>;

class Database;

/// A prepared statement; rows are read with step() until it is false.
class Statement {
 public:
  Result<void> bind(std::span<const Cell> values);
  Result<bool> step();  // true: a row is there
  [[nodiscard]] Cell cell(int column) const;
  [[nodiscard]] std::string text(int column) const;  // empty where NULL
  [[nodiscard]] std::int64_t integer(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  const Database* database_ = nullptr;
};

class Database {
 public:
  enum class Mode : std::uint8_t { Write, Read, Immutable };
  Database() = default;
  /// PH9001; damage shows with the first statement (PH9002).
  [[nodiscard]] static Result<Database> open(const std::string& path, Mode mode);
  [[nodiscard]] bool is_open() const { return database_ != nullptr; }
  Result<void> execute(const std::string& sql);
  [[nodiscard]] Result<Statement> prepare(std::string_view sql) const;
  /// First column of the first row, empty text where there is none.
  [[nodiscard]] Result<std::string> value(std::string_view sql) const;
  /// The last error as PH9002 (damaged), PH9007 (cannot be written) or PH9001.
  [[nodiscard]] std::unexpected<Diagnostics> failure(std::string_view doing) const;

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, Close> database_;
  std::string path_;
};

/// Rolled back at the end of its life unless committed.
class Transaction {
 public:
  explicit Transaction(Database& database) : database_(&database) {}
  Result<void> begin();
  Result<void> commit();
  ~Transaction();
  Transaction(const Transaction&) = delete;

 private:
  Database* database_;
  bool open_ = false;
};

}  // namespace parhelion::record
