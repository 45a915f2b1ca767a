// SPDX-License-Identifier: Apache-2.0
#include "record/export.h"

#include "record/columns.h"
#include "record/schema.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::record {

namespace {

constexpr std::string_view json_columns[] = {"samples_us", "summary", "environment", "options",
                                             "split"};

Json cell_json(std::string_view column, const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return *number;
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr) return nullptr;
  if (std::ranges::find(json_columns, column) == std::end(json_columns)) return *text;
  if (text->empty()) return nullptr;
  auto parsed = Json::parse(*text);
  return parsed ? std::move(*parsed) : Json(*text);
}

template <class Row>
Json row_json(const Row& row) {
  Json object = Json::object();
  for (const Column<Row>& c : columns_of<Row>()) object.set(c.name, cell_json(c.name, c.get(row)));
  return object;
}

template <class Row>
Result<Json> rows_json(const Result<std::vector<Row>>& rows) {
  if (!rows) return std::unexpected(rows.error());
  Json array = Json::array();
  for (const Row& row : *rows) array.push(row_json(row));
  return array;
}

std::string cell_csv(const Cell& cell) {
  if (const auto* number = std::get_if<std::int64_t>(&cell)) return fmt::format("{}", *number);
  if (const auto* real = std::get_if<double>(&cell)) return number_text(*real);
  const auto* text = std::get_if<std::string>(&cell);
  if (text == nullptr) return {};
  if (text->find_first_of(",\"\r\n") == std::string::npos) return *text;
  std::string quoted = "\"";
  for (const char c : *text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

template <class Row>
Result<std::string> rows_csv(const Result<std::vector<Row>>& rows) {
  if (!rows) return std::unexpected(rows.error());
  std::vector<std::string> fields;
  for (const Column<Row>& c : columns_of<Row>()) fields.emplace_back(c.name);
  std::string text = join(fields, ",") + "\r\n";
  for (const Row& row : *rows) {
    fields.clear();
    for (const Cell& cell : cells_of(row)) fields.push_back(cell_csv(cell));
    text += join(fields, ",") + "\r\n";
  }
  return text;
}

}  // namespace

Json to_json(const Run& row) { return row_json(row); }
Json to_json(const Trial& row) { return row_json(row); }
Json to_json(const Validated& row) { return row_json(row); }

Result<Json> export_json(const Record& record) {
  auto runs = rows_json(record.runs());
  if (!runs) return runs;
  auto trials = rows_json(record.all_trials());
  if (!trials) return trials;
  auto validated = rows_json(record.validated());
  if (!validated) return validated;
  return Json::object()
      .set("schema", schema_version)
      .set("runs", std::move(*runs))
      .set("trials", std::move(*trials))
      .set("validated", std::move(*validated));
}

Result<std::string> export_csv(const Record& record, Table table) {
  switch (table) {
    case Table::Runs: return rows_csv(record.runs());
    case Table::Trials: return rows_csv(record.all_trials());
    case Table::Validated: return rows_csv(record.validated());
  }
  return std::string();
}

}  // namespace parhelion::record
