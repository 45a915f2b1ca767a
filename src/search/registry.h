// SPDX-License-Identifier: Apache-2.0
// The table of strategies. Tests run over every row.
#pragma once

#include "search/strategy.h"

#include <memory>
#include <span>
#include <string_view>

namespace parhelion::search {

struct StrategyRow {
  std::string_view name;
  std::string_view doc;
  std::unique_ptr<Strategy> (*make)(const config::SearchSpace& space, const Options& options);
};

[[nodiscard]] std::span<const StrategyRow> strategies();
/// PH9042 lists the names.
[[nodiscard]] Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name,
                                                              const config::SearchSpace& space,
                                                              const Options& options = {});

}  // namespace parhelion::search
