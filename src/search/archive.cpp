// SPDX-License-Identifier: Apache-2.0
#include "search/archive.h"

#include "base/diag.h"

namespace parhelion::search {

TrialId Archive::add(config::Point point) {
  seen_.insert(space_.id(point));
  trials_.push_back({.point = std::move(point), .outcome = std::nullopt});
  return trials_.size() - 1;
}

void Archive::tell(TrialId id, const Outcome& outcome) {
  PH_ASSERT(id < trials_.size(), "an outcome of a trial that was never proposed");
  Trial& trial = trials_[id];
  if (trial.succeeded()) ranking_.erase(Place(*trial.outcome->value, id));
  trial.outcome = outcome;
  if (outcome.value) ranking_.emplace(*outcome.value, id);
  ++told_;
}

std::vector<TrialId> Archive::ranked() const {
  std::vector<TrialId> out;
  out.reserve(ranking_.size());
  for (const Place& place : ranking_) out.push_back(place.second);
  return out;
}

std::optional<TrialId> Archive::best() const {
  if (ranking_.empty()) return std::nullopt;
  return ranking_.begin()->second;
}

}  // namespace parhelion::search
