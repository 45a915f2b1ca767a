// SPDX-License-Identifier: Apache-2.0
#include "record/schema.h"

#include "record/columns.h"

#include "base/diag.h"

#include <fmt/format.h>

namespace parhelion::record {

namespace {

constexpr int application = 0x50485243;  // "PHRC": how `file` and we know a record

template <class Row>
std::string create_table(std::string_view unique) {
  std::string sql = fmt::format("CREATE TABLE {} (", table_of<Row>());
  for (const Column<Row>& c : columns_of<Row>()) sql += fmt::format("{} {}, ", c.name, c.type);
  return sql + fmt::format("UNIQUE ({}));", unique);
}

}  // namespace

Result<void> check_schema(const Database& database, const std::string& path) {
  auto tables = database.value("SELECT count(*) FROM sqlite_master");
  if (!tables) return std::unexpected(tables.error());
  auto id = database.value("PRAGMA application_id");
  auto version = database.value("PRAGMA user_version");
  if (!id) return std::unexpected(id.error());
  if (!version) return std::unexpected(version.error());
  if (*tables == "0" && *id == "0") return {};
  if (*id != fmt::format("{}", application)) {
    return fail(9004, fmt::format("{} is an SQLite database, but no record", path), {},
                "give --record another file");
  }
  if (std::stoll(*version) > schema_version) {
    return fail(9003,
                fmt::format("record {} has schema {}, this version knows {}", path, *version,
                            schema_version),
                {}, "use the newer Parhelion, or another file");
  }
  return {};
}

Result<void> create_schema(Database& database) {
  auto tables = database.value("SELECT count(*) FROM sqlite_master");
  if (!tables) return std::unexpected(tables.error());
  if (*tables != "0") return {};
  Transaction transaction(database);
  if (auto begun = transaction.begin(); !begun) return begun;
  const std::string sql =
      create_table<Run>("uid") + create_table<Trial>("run, proposal") +
      create_table<Validated>("exact_key, device, config, controls, recorded_at, run") +
      "CREATE INDEX validated_exact ON validated (kernel, device, exact_key);"
      "CREATE INDEX validated_tuning ON validated (kernel, device, tuning_key);" +
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {};", application,
                  schema_version);
  if (auto made = database.execute(sql); !made) return made;
  return transaction.commit();
}

}  // namespace parhelion::record
