// SPDX-License-Identifier: Apache-2.0
// Every legal point in lexicographic order, without a list of them: a space may be larger than
// memory and the search is then ended by its budget.
#pragma once

#include "search/strategy.h"

namespace parhelion::search {

class Exhaustive : public Strategy {
 public:
  using Strategy::Strategy;

 protected:
  std::optional<Candidate> propose(Rng& rng) override;

 private:
  std::optional<config::Point> at_;
  bool started_ = false;
};

}  // namespace parhelion::search
