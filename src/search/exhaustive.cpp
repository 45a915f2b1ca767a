// SPDX-License-Identifier: Apache-2.0
#include "search/exhaustive.h"

namespace parhelion::search {

std::optional<Strategy::Candidate> Exhaustive::propose(Rng&) {
  if (!started_) {
    started_ = true;
    at_ = config::first_point(space());
  } else if (at_) {
    at_ = config::next_point(space(), std::move(*at_));
  }
  for (; at_; at_ = config::next_point(space(), std::move(*at_))) {
    if (!archive().seen(*at_) && space().valid(*at_)) return Candidate{*at_, "next"};
  }
  return std::nullopt;
}

}  // namespace parhelion::search
