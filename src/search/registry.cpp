// SPDX-License-Identifier: Apache-2.0
#include "search/registry.h"

#include "base/diag.h"
#include "base/text.h"
#include "search/evolutionary.h"
#include "search/exhaustive.h"
#include "search/joint.h"
#include "search/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace parhelion::search {

namespace {

template <class T, auto... arguments>
std::unique_ptr<Strategy> make(const config::SearchSpace& space, const Options& options) {
  return std::make_unique<T>(space, options, arguments...);
}

constexpr std::array rows = {
    StrategyRow{"joint", "both layers at once, led by a random forest",
                make<Joint, Schedule::Ramped>},
    StrategyRow{"sequential", "the configuration first, then the controls of the best one",
                make<Joint, Schedule::Sequential>},
    StrategyRow{"evolutionary", "crossover and mutation of the best twenty", make<Evolutionary>},
    StrategyRow{"random", "uniform over the legal points", make<Random>},
    StrategyRow{"exhaustive", "every legal point in order", make<Exhaustive>},
};

}  // namespace

std::span<const StrategyRow> strategies() { return rows; }

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name,
                                                const config::SearchSpace& space,
                                                const Options& options) {
  const auto* found = std::ranges::find(rows, name, &StrategyRow::name);
  if (found != rows.end()) return found->make(space, options);
  std::vector<std::string> names;
  for (const StrategyRow& row : rows) names.emplace_back(row.name);
  const auto match = close_match(name, names);
  return fail(9042, fmt::format("there is no search strategy \"{}\"", name), {},
              match ? fmt::format("did you mean \"{}\"?", *match)
                    : fmt::format("use one of {}", join(names, ", ")));
}

}  // namespace parhelion::search
