// SPDX-License-Identifier: Apache-2.0
#include "search/evolutionary.h"

#include <algorithm>

namespace parhelion::search {

namespace {

constexpr int start_size = 20;
constexpr std::size_t parents = 20;
constexpr int tournament = 3, attempts = 32;
constexpr double random_share = 1.0 / 8, crossover_share = 0.7, mutation_share = 0.6;

/// The best of a few of the best.
const config::Point& parent(const Archive& archive, const std::vector<TrialId>& ranked, Rng& rng) {
  const std::size_t pool = std::min(parents, ranked.size());
  std::size_t best = pool;
  for (int i = 0; i < tournament; ++i) best = std::min<std::size_t>(best, rng.below(pool));
  return archive[ranked[best]].point;
}

}  // namespace

Evolutionary::Evolutionary(const config::SearchSpace& space, const Options& options)
    : Strategy(space, options),
      start_(start_design(start_size - static_cast<int>(space.seeds().size()))) {}

std::optional<Strategy::Candidate> Evolutionary::propose(Rng& rng) {
  if (auto point = next_unseen(start_, start_at_)) return Candidate{std::move(*point), "start"};
  const std::vector<TrialId> ranked = archive().ranked();
  if (ranked.size() >= 2 && !rng.chance(random_share)) {
    for (int i = 0; i < attempts; ++i) {
      std::optional<config::Point> child = parent(archive(), ranked, rng);
      if (rng.chance(crossover_share)) {
        child = config::cross(space(), *child, parent(archive(), ranked, rng), rng);
      }
      if (child && (archive().seen(*child) || rng.chance(mutation_share))) {
        child = config::mutate(space(), *child, rng);
      }
      if (child && !archive().seen(*child)) return Candidate{std::move(*child), "child"};
    }
  }
  auto point = unseen(rng);
  if (!point) return std::nullopt;
  return Candidate{std::move(*point), "random"};
}

}  // namespace parhelion::search
