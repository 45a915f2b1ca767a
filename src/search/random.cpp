// SPDX-License-Identifier: Apache-2.0
#include "search/random.h"

namespace parhelion::search {

std::optional<Strategy::Candidate> Random::propose(Rng& rng) {
  auto point = unseen(rng);
  if (!point) return std::nullopt;
  return Candidate{std::move(*point), "random"};
}

}  // namespace parhelion::search
