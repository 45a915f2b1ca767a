// SPDX-License-Identifier: Apache-2.0
// A steady-state genetic algorithm: parents by tournament among the best, children by crossover and
// mutation. Twenty parents were the best of the settings tried in replay (autotuning 8.3).
#pragma once

#include "search/strategy.h"

#include <vector>

namespace parhelion::search {

class Evolutionary : public Strategy {
 public:
  Evolutionary(const config::SearchSpace& space, const Options& options);

 protected:
  std::optional<Candidate> propose(Rng& rng) override;

 private:
  std::vector<config::Point> start_;
  std::size_t start_at_ = 0;
};

}  // namespace parhelion::search
