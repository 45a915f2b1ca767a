// SPDX-License-Identifier: Apache-2.0
// Structured liveness of variables over the recorded tree: which nodes are needed, and what each
// loop carries and each branch returns.
#pragma once

#include "lang/trace.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

namespace parhelion::lang {

using VarSet = std::set<VarId>;

struct Liveness {
  /// (block, node) -> is it needed: effects, or a result that is read later.
  std::map<std::pair<BlockIndex, std::size_t>, bool> needed;
  /// For and While: variables carried; If: variables returned. Sorted by id.
  std::map<std::pair<BlockIndex, std::size_t>, std::vector<VarId>> merged;
};

[[nodiscard]] Liveness analyse(const Trace& trace);

}  // namespace parhelion::lang
