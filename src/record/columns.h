// SPDX-License-Identifier: Apache-2.0
// The columns of each table: what creates, inserts, reads and exports rows.
#pragma once

#include "record/rows.h"
#include "record/sqlite.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::record {

template <class Row>
struct Column {
  std::string_view name, type;
  Cell (*get)(const Row& row);
  /// False where the cell cannot be one that was written here.
  bool (*set)(Row& row, const Cell& cell);
};

[[nodiscard]] std::span<const Column<Run>> columns(const Run*);
[[nodiscard]] std::span<const Column<Trial>> columns(const Trial*);
[[nodiscard]] std::span<const Column<Validated>> columns(const Validated*);
template <class Row>
[[nodiscard]] std::span<const Column<Row>> columns_of() {
  return columns(static_cast<const Row*>(nullptr));
}

/// Name of the table of a row type.
[[nodiscard]] std::string_view table(const Run*);
[[nodiscard]] std::string_view table(const Trial*);
[[nodiscard]] std::string_view table(const Validated*);
template <class Row>
[[nodiscard]] std::string_view table_of() {
  return table(static_cast<const Row*>(nullptr));
}

template <class Row>
[[nodiscard]] std::string column_list() {
  std::string list;
  for (const Column<Row>& c : columns_of<Row>()) {
    list += list.empty() ? "" : ", ";
    list += c.name;
  }
  return list;
}

template <class Row>
[[nodiscard]] std::vector<Cell> cells_of(const Row& row) {
  std::vector<Cell> cells;
  for (const Column<Row>& c : columns_of<Row>()) cells.push_back(c.get(row));
  return cells;
}

}  // namespace parhelion::record
