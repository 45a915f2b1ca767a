// SPDX-License-Identifier: Apache-2.0
// What a search strategy is: it proposes points of a space and is told how good they were. The
// same options and the same sequence of asks and tells give the same proposals.
#pragma once

#include "base/rng.h"
#include "config/search_space.h"
#include "config/space_walk.h"
#include "search/archive.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace parhelion::search {

struct Options {
  std::uint64_t seed = 1;
  /// Evaluations that the budget is likely to pay for: from exploring to refining, strategies pace
  /// themselves by it. Never wall time, which would not repeat.
  int expected_trials = 200;
  /// Valid points are listed (and sampled without bias) when looking at this many finds them all.
  std::uint64_t enumerate_visits = 20'000;
};

struct Proposal {
  TrialId id = 0;
  config::Point point;      // canonical, valid, never proposed before
  std::string_view origin;  // "default", "seed", "start", "random", "tile", "control", ...
  int told_before = 0;      // outcomes that were known: what a resumed run needs
};

/// The space must outlive the strategy.
class Strategy {
 public:
  Strategy(const config::SearchSpace& space, Options options);
  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  /// Up to n proposals, fewer only when the space is exhausted. ask(2) equals ask(1) twice. The
  /// first is the default point (or its repair), then the space's seeds.
  [[nodiscard]] std::vector<Proposal> ask(int n = 1);
  /// In any order. A later outcome of the same trial (more samples) replaces the earlier one.
  void tell(TrialId id, const Outcome& outcome);
  [[nodiscard]] const Archive& archive() const { return archive_; }

 protected:
  struct Candidate {
    config::Point point;
    std::string_view origin;
  };
  /// An unseen valid canonical point; `rng` belongs to this proposal alone.
  virtual std::optional<Candidate> propose(Rng& rng) = 0;

  [[nodiscard]] const config::SearchSpace& space() const { return space_; }
  [[nodiscard]] const Options& options() const { return options_; }
  /// Draws until something is unseen; nothing left (or nothing found) gives nothing.
  [[nodiscard]] std::optional<config::Point> unseen(Rng& rng) const;
  /// A Latin hypercube of `n` points, made valid; for the start of a search.
  [[nodiscard]] std::vector<config::Point> start_design(int n) const;
  /// The next unseen point of a list that is worked off over several proposals.
  [[nodiscard]] std::optional<config::Point> next_unseen(const std::vector<config::Point>& list,
                                                         std::size_t& at) const;

 private:
  std::optional<Candidate> next_given();

  const config::SearchSpace& space_;
  Options options_;
  config::Sampler sampler_;
  Archive archive_;
  std::vector<config::Point> given_;  // default, then seeds
  std::size_t given_at_ = 0;
};

}  // namespace parhelion::search
