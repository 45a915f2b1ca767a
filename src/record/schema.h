// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "record/sqlite.h"

namespace parhelion::record {

inline constexpr int schema_version = 1;

/// PH9002, PH9003 (newer), PH9004 (a database of something else). An empty file passes.
[[nodiscard]] Result<void> check_schema(const Database& database, const std::string& path);
/// Makes the tables of an empty database.
[[nodiscard]] Result<void> create_schema(Database& database);

}  // namespace parhelion::record
