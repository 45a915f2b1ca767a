// SPDX-License-Identifier: Apache-2.0
// Records for other programs.
#pragma once

#include "record/record.h"

#include "base/json.h"

#include <string>

namespace parhelion::record {

/// {"schema": 1, "runs": [...], "trials": [...], "validated": [...]}, keys in the order of the
/// columns; texts that are JSON themselves are put in as JSON.
[[nodiscard]] Result<Json> export_json(const Record& record);

enum class Table : std::uint8_t { Runs, Trials, Validated };
/// RFC 4180, with a line of names first.
[[nodiscard]] Result<std::string> export_csv(const Record& record, Table table);

[[nodiscard]] Json to_json(const Run& row);
[[nodiscard]] Json to_json(const Trial& row);
[[nodiscard]] Json to_json(const Validated& row);

}  // namespace parhelion::record
