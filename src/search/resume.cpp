// SPDX-License-Identifier: Apache-2.0
#include "search/resume.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <utility>

namespace parhelion::search {

namespace {

std::unexpected<Diagnostics> other_search(std::size_t trial) {
  return fail(9043, fmt::format("trial {} of the record is not what this search proposes", trial),
              {}, "resume with the seed, budget, space and version of the recorded search");
}

}  // namespace

Result<std::vector<Proposal>> resume(Strategy& strategy, std::span<const RecordedTrial> trials,
                                     std::span<const RecordedOutcome> outcomes) {
  std::vector<Proposal> proposals;
  const auto ask_until = [&](int told) {
    while (proposals.size() < trials.size() && trials[proposals.size()].told_before <= told) {
      std::vector<Proposal> asked = strategy.ask(1);
      if (asked.empty() || asked.front().point != trials[proposals.size()].point) return false;
      proposals.push_back(std::move(asked.front()));
    }
    return true;
  };
  for (std::size_t told = 0; told < outcomes.size(); ++told) {
    if (!ask_until(static_cast<int>(told))) return other_search(proposals.size());
    if (outcomes[told].id >= proposals.size()) return other_search(outcomes[told].id);
    strategy.tell(outcomes[told].id, outcomes[told].outcome);
  }
  if (!ask_until(static_cast<int>(outcomes.size()))) return other_search(proposals.size());
  std::vector<Proposal> open;
  for (Proposal& proposal : proposals) {
    if (!strategy.archive()[proposal.id].outcome) open.push_back(std::move(proposal));
  }
  return open;
}

}  // namespace parhelion::search
