// SPDX-License-Identifier: Apache-2.0
#include "search/strategy.h"

#include <algorithm>
#include <numeric>

namespace parhelion::search {

namespace {

/// Streams of the random numbers that no proposal owns.
constexpr std::uint64_t design_stream = std::uint64_t{1} << 62;

}  // namespace

Strategy::Strategy(const config::SearchSpace& space, Options options)
    : space_(space), options_(options), sampler_(space, options.enumerate_visits), archive_(space) {
  // The default is always measured: it is what every other point is compared with.
  if (auto point = space.repair(space.default_point())) given_.push_back(std::move(*point));
  std::ranges::copy(space.seeds(), std::back_inserter(given_));
}

std::vector<Proposal> Strategy::ask(int n) {
  std::vector<Proposal> out;
  for (int i = 0; i < n; ++i) {
    Rng rng(options_.seed, archive_.size());
    std::optional<Candidate> candidate = next_given();
    if (!candidate) candidate = propose(rng);
    if (!candidate) break;
    const TrialId id = archive_.add(candidate->point);
    out.push_back({.id = id,
                   .point = std::move(candidate->point),
                   .origin = candidate->origin,
                   .told_before = archive_.told()});
  }
  return out;
}

void Strategy::tell(TrialId id, const Outcome& outcome) { archive_.tell(id, outcome); }

std::optional<Strategy::Candidate> Strategy::next_given() {
  const bool first = given_at_ == 0;
  auto point = next_unseen(given_, given_at_);
  if (!point) return std::nullopt;
  return Candidate{std::move(*point), first ? "default" : "seed"};
}

std::optional<config::Point> Strategy::next_unseen(const std::vector<config::Point>& list,
                                                   std::size_t& at) const {
  while (at < list.size()) {
    const config::Point& point = list[at++];
    if (!archive_.seen(point)) return point;
  }
  return std::nullopt;
}

std::optional<config::Point> Strategy::unseen(Rng& rng) const {
  constexpr int draws = 64;
  for (int i = 0; i < draws; ++i) {
    auto point = sampler_.sample(rng);
    if (!point) break;
    if (!archive_.seen(*point)) return point;
  }
  if (!sampler_.all() || sampler_.all()->empty()) return std::nullopt;
  // Nearly everything is seen: take the next unseen one behind a random place.
  const std::vector<config::Point>& all = *sampler_.all();
  const std::size_t start = rng.below(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    const config::Point& point = all[(start + i) % all.size()];
    if (!archive_.seen(point)) return point;
  }
  return std::nullopt;
}

std::vector<config::Point> Strategy::start_design(int n) const {
  if (n <= 0) return {};
  Rng rng(options_.seed, design_stream);
  std::vector<config::Point> points(static_cast<std::size_t>(n), space_.default_point());
  for (std::size_t param = 0; param < space_.size(); ++param) {
    std::vector<std::size_t> strata(points.size());
    std::iota(strata.begin(), strata.end(), std::size_t{0});
    rng.shuffle(strata);
    const auto size = static_cast<double>(space_.params()[param].size());
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double at = (static_cast<double>(strata[i]) + rng.uniform()) / n;
      points[i][param] = static_cast<config::Choice>(at * size);
    }
  }
  std::vector<config::Point> out;
  for (config::Point& point : points) {
    auto repaired = space_.repair(std::move(point));
    if (repaired) out.push_back(std::move(*repaired));
  }
  return out;
}

}  // namespace parhelion::search
