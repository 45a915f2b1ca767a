// SPDX-License-Identifier: Apache-2.0
// A strategy is a fold over its asks and tells: giving it the recorded ones again brings it to
// where it was, and from there on it proposes what it would have proposed.
#pragma once

#include "search/strategy.h"

#include <span>
#include <vector>

namespace parhelion::search {

/// One trial of the record, in the order of the proposals.
struct RecordedTrial {
  config::Point point;
  int told_before = 0;  // of the proposal
};

/// One outcome of the record, in the order in which they were told.
struct RecordedOutcome {
  TrialId id = 0;
  Outcome outcome;
};

/// Proposals that were out when the record ended, to be run again. PH9043 when the strategy
/// proposes something else: another seed, space or version.
[[nodiscard]] Result<std::vector<Proposal>> resume(Strategy& strategy,
                                                   std::span<const RecordedTrial> trials,
                                                   std::span<const RecordedOutcome> outcomes);

}  // namespace parhelion::search
