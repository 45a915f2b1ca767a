// SPDX-License-Identifier: Apache-2.0
// Which candidate is measured next, and when it is decided. Pure logic: it asks for measurements
// and is told samples. A few unpaired samples first; whoever is not far behind is then paired with
// the incumbent in blocks that double until a confidence sequence decides (autotuning 7.5).
#pragma once

#include "stats/sequence.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace parhelion::search {

struct RaceOptions {
  int alone_samples = 3;       // rung 0
  int first_blocks = 4;        // then 8, 16, ...
  double paired_share = 0.4;   // of the measured time, while new candidates wait
  double r = 8, alpha = 0.05;  // of the confidence sequence
  stats::RaceRule rule;
};

enum class RaceState : std::uint8_t {
  Waiting,    // not measured yet
  Contender,  // not far behind, undecided
  Tied,       // equal to the incumbent within the tie width
  Rejected,
  Failed,  // told so by the caller
  Incumbent,
};
[[nodiscard]] std::string_view name(RaceState state);

struct RaceRequest {
  enum class Kind : std::uint8_t { Alone, Paired };
  Kind kind = Kind::Alone;
  std::uint64_t candidate = 0;
  std::uint64_t incumbent = 0;  // of a paired request
  int count = 0;                // samples, or paired blocks
};

class Race {
 public:
  explicit Race(RaceOptions options = {}) : options_(options) {}

  /// The first one is the incumbent to beat (the default). Of tied candidates the one of smaller
  /// `complexity` is preferred.
  void add(std::uint64_t candidate, double complexity = 0);
  /// What to measure now; nothing while there is nothing to decide. The same until it is answered.
  [[nodiscard]] std::optional<RaceRequest> next() const;
  /// Times of one candidate by itself, any unit that is the same for all, all positive.
  void tell_alone(std::uint64_t candidate, std::span<const double> times);
  /// log(candidate / incumbent) of each block, measured against the current incumbent.
  void tell_paired(std::uint64_t candidate, std::span<const double> log_ratios);
  /// It cannot be measured (crash, wrong result). A failed incumbent hands over to the fastest
  /// other.
  void tell_failed(std::uint64_t candidate);

  [[nodiscard]] bool has(std::uint64_t candidate) const { return find(candidate) != nullptr; }
  [[nodiscard]] RaceState state(std::uint64_t candidate) const;
  /// Nothing before the first candidate is added, or when all have failed.
  [[nodiscard]] std::optional<std::uint64_t> incumbent() const;
  /// Median of the unpaired times; for those that are paired with the incumbent, its time moved by
  /// the paired estimate.
  [[nodiscard]] std::optional<double> time(std::uint64_t candidate) const;
  /// Against the incumbent of the time at which they were told.
  [[nodiscard]] const std::vector<double>& log_ratios(std::uint64_t candidate) const;
  /// The incumbent (or a simpler one tied with it) first, then those not separated from it by the
  /// width of their interval, nearest first: `most` in all.
  [[nodiscard]] std::vector<std::uint64_t> finalists(std::size_t most) const;
  [[nodiscard]] stats::SpreadPrior spread() const { return pool_.prior(); }

 private:
  struct Entry {
    std::uint64_t id = 0;
    double complexity = 0;
    RaceState state = RaceState::Waiting;
    std::optional<double> alone;     // median
    std::vector<double> log_ratios;  // against the current incumbent
  };

  [[nodiscard]] const Entry* find(std::uint64_t candidate) const;
  [[nodiscard]] Entry& at(std::uint64_t candidate);
  [[nodiscard]] const Entry& at(std::uint64_t candidate) const;
  [[nodiscard]] const Entry* incumbent_entry() const;
  [[nodiscard]] stats::SequenceEstimate estimate(const Entry& entry) const;
  [[nodiscard]] const Entry* most_promising() const;
  [[nodiscard]] int rung(const Entry& entry) const;
  void settle(Entry& entry);
  void promote(Entry& winner);
  void crown(Entry& entry);

  RaceOptions options_;
  std::vector<Entry> entries_;
  stats::SpreadPool pool_;
  double alone_time_ = 0, paired_time_ = 0;
};

}  // namespace parhelion::search
