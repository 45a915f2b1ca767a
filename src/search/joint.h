// SPDX-License-Identifier: Apache-2.0
// Search of two nested layers: a configuration (stage 0) costs a front end, controls (stage 2) are
// tried on what it made. Proposals come from five operators whose shares move from exploring
// configurations to refining controls; a random forest picks among the raw candidates of each.
#pragma once

#include "search/strategy.h"
#include "search/surrogate.h"

#include <string_view>
#include <vector>

namespace parhelion::search {

enum class Schedule : std::uint8_t {
  Ramped,      // both layers all the time, shares by progress
  Sequential,  // half of the trials on configurations, then controls of the best one
};

class Joint : public Strategy {
 public:
  Joint(const config::SearchSpace& space, const Options& options, Schedule schedule);

 protected:
  std::optional<Candidate> propose(Rng& rng) override;

 private:
  using Points = std::vector<config::Point>;

  [[nodiscard]] double progress() const;
  void refresh(Rng& rng);
  [[nodiscard]] std::string_view pick_operator(Rng& rng) const;
  [[nodiscard]] std::optional<config::Point> apply(std::string_view name, Rng& rng);
  // Each gives the best of its raw candidates.
  [[nodiscard]] std::optional<config::Point> tile(Rng& rng);
  [[nodiscard]] std::optional<config::Point> control(Rng& rng);
  [[nodiscard]] std::optional<config::Point> transplanted(Rng& rng);
  [[nodiscard]] std::optional<config::Point> reopened(Rng& rng);

  void add(Points& candidates, std::optional<config::Point> point) const;
  [[nodiscard]] std::optional<config::Point> choose(Points candidates) const;
  /// `tile` with the controls of `parent`, or with the default ones.
  [[nodiscard]] std::optional<config::Point> with_controls(const config::Point& tile,
                                                           const config::Point& parent,
                                                           Rng& rng) const;
  [[nodiscard]] std::vector<TrialId> best_of_each_tile(std::size_t most) const;

  Schedule schedule_;
  bool has_tiles_ = false, has_controls_ = false;
  Surrogate surrogate_;
  int fitted_at_ = 0;            // outcomes that the surrogate knows
  Points pool_;                  // drawn over the whole space, anew at each fit
  std::vector<TrialId> elites_;  // best trial of each of the ten best configurations
  Points start_;
  std::size_t start_at_ = 0;
};

}  // namespace parhelion::search
