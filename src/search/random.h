// SPDX-License-Identifier: Apache-2.0
// Uniform over the legal points, each at most once: the yardstick of every other strategy.
#pragma once

#include "search/strategy.h"

namespace parhelion::search {

class Random : public Strategy {
 public:
  using Strategy::Strategy;

 protected:
  std::optional<Candidate> propose(Rng& rng) override;
};

}  // namespace parhelion::search
