// SPDX-License-Identifier: Apache-2.0
// Everything that a strategy has proposed and been told.
#pragma once

#include "base/hash.h"
#include "config/search_space.h"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace parhelion::search {

using TrialId = std::uint64_t;  // position of the proposal, from 0

/// How a trial ended. Smaller is better; for times this is the logarithm, so that differences are
/// ratios. Without a value the trial failed: `failure` says at which step ("compile", "wrong").
struct Outcome {
  std::optional<double> value{};
  std::string failure{};
  bool operator==(const Outcome&) const = default;
};

struct Trial {
  config::Point point;
  std::optional<Outcome> outcome;  // nothing while it runs
  [[nodiscard]] bool succeeded() const { return outcome && outcome->value; }
};

class Archive {
 public:
  explicit Archive(const config::SearchSpace& space) : space_(space) {}

  TrialId add(config::Point point);
  void tell(TrialId id, const Outcome& outcome);

  [[nodiscard]] bool seen(const config::Point& canonical) const {
    return seen_.contains(space_.id(canonical));
  }
  [[nodiscard]] const std::vector<Trial>& trials() const { return trials_; }
  [[nodiscard]] std::size_t size() const { return trials_.size(); }
  [[nodiscard]] const Trial& operator[](TrialId id) const { return trials_[id]; }
  [[nodiscard]] int told() const { return told_; }  // calls of tell
  /// Succeeded trials, best first; ties by age.
  [[nodiscard]] std::vector<TrialId> ranked() const;
  [[nodiscard]] std::optional<TrialId> best() const;

 private:
  using Place = std::pair<double, TrialId>;

  const config::SearchSpace& space_;
  std::vector<Trial> trials_;
  std::unordered_set<Hash> seen_;
  std::set<Place> ranking_;
  int told_ = 0;
};

}  // namespace parhelion::search
