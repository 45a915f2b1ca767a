// SPDX-License-Identifier: Apache-2.0
#include "search/race.h"

#include "base/diag.h"
#include "stats/robust.h"
#include "stats/tests.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace parhelion::search {

namespace {

/// Spread of an unpaired log-ratio: drift and first-run effects (autotuning 8.1: up to 6 %).
constexpr double alone_deviation = 0.03;

/// E[max(0, -x)] times P(x < 0) for x ~ N(mean, deviation): what a challenger still promises.
double promise(double mean, double deviation) {
  const double z = -mean / deviation;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  const double wins = stats::normal_cdf(z);
  return wins * (deviation * density - mean * wins);
}

}  // namespace

std::string_view name(RaceState state) {
  switch (state) {
    case RaceState::Waiting: return "waiting";
    case RaceState::Contender: return "contender";
    case RaceState::Tied: return "tied";
    case RaceState::Rejected: return "rejected";
    case RaceState::Failed: return "failed";
    case RaceState::Incumbent: return "incumbent";
  }
  return "";
}

void Race::add(std::uint64_t candidate, double complexity) {
  PH_ASSERT(!has(candidate), "a candidate is entered twice");
  Entry entry{.id = candidate, .complexity = complexity, .alone = {}, .log_ratios = {}};
  if (incumbent_entry() == nullptr) entry.state = RaceState::Incumbent;
  entries_.push_back(std::move(entry));
}

std::optional<RaceRequest> Race::next() const {
  const Entry* incumbent = incumbent_entry();
  if (incumbent == nullptr) return std::nullopt;
  const auto alone = [&](const Entry& entry) {
    return RaceRequest{.kind = RaceRequest::Kind::Alone,
                       .candidate = entry.id,
                       .incumbent = incumbent->id,
                       .count = options_.alone_samples};
  };
  if (!incumbent->alone) return alone(*incumbent);
  const auto waiting = std::ranges::find(entries_, RaceState::Waiting, &Entry::state);
  const Entry* contender = most_promising();
  const double spent = alone_time_ + paired_time_;
  const bool paired_is_due = contender != nullptr && paired_time_ <= options_.paired_share * spent;
  if (waiting != entries_.end() && !paired_is_due) return alone(*waiting);
  if (contender == nullptr) return std::nullopt;
  return RaceRequest{.kind = RaceRequest::Kind::Paired,
                     .candidate = contender->id,
                     .incumbent = incumbent->id,
                     .count = rung(*contender) - static_cast<int>(contender->log_ratios.size())};
}

void Race::tell_alone(std::uint64_t candidate, std::span<const double> times) {
  Entry& entry = at(candidate);
  entry.alone = stats::median(times);
  PH_ASSERT(*entry.alone > 0, "a time that is not positive");
  for (const double t : times) alone_time_ += t;
  if (entry.state != RaceState::Waiting) return;
  // Measured before the incumbent has a time: the paired blocks will tell.
  const Entry* incumbent = incumbent_entry();
  const bool slow = incumbent != nullptr && incumbent->alone &&
                    *entry.alone > *incumbent->alone * options_.rule.drop;
  entry.state = slow ? RaceState::Rejected : RaceState::Contender;
}

void Race::tell_paired(std::uint64_t candidate, std::span<const double> log_ratios) {
  Entry& entry = at(candidate);
  PH_ASSERT(entry.state == RaceState::Contender, "paired samples of a candidate that is decided");
  entry.log_ratios.insert(entry.log_ratios.end(), log_ratios.begin(), log_ratios.end());
  // A block holds two calls of each side.
  const double block = 2 * (entry.alone.value_or(0) + incumbent_entry()->alone.value_or(0));
  paired_time_ += block * static_cast<double>(log_ratios.size());
  settle(entry);
}

void Race::tell_failed(std::uint64_t candidate) {
  Entry& failed = at(candidate);
  const bool was_incumbent = failed.state == RaceState::Incumbent;
  failed.state = RaceState::Failed;
  if (!was_incumbent) return;
  Entry* heir = nullptr;
  for (Entry& entry : entries_) {
    if (entry.state == RaceState::Failed) continue;
    entry.log_ratios.clear();  // they were against the failed one
    if (entry.state == RaceState::Tied) entry.state = RaceState::Contender;
    if (heir == nullptr || (entry.alone && (!heir->alone || *entry.alone < *heir->alone))) {
      heir = &entry;
    }
  }
  if (heir != nullptr) crown(*heir);
}

RaceState Race::state(std::uint64_t candidate) const { return at(candidate).state; }

std::optional<std::uint64_t> Race::incumbent() const {
  const Entry* entry = incumbent_entry();
  if (entry == nullptr) return std::nullopt;
  return entry->id;
}

std::optional<double> Race::time(std::uint64_t candidate) const {
  const Entry& entry = at(candidate);
  const Entry* incumbent = incumbent_entry();
  const bool paired = entry.state == RaceState::Contender || entry.state == RaceState::Tied;
  if (!paired || entry.log_ratios.empty() || !incumbent->alone) return entry.alone;
  return *incumbent->alone * std::exp(stats::mean(stats::winsorised(entry.log_ratios)));
}

const std::vector<double>& Race::log_ratios(std::uint64_t candidate) const {
  return at(candidate).log_ratios;
}

std::vector<std::uint64_t> Race::finalists(std::size_t most) const {
  struct Place {
    int group;  // 0: the incumbent and those tied with it
    double key;
    bool tied;
    std::uint64_t id;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> places;
  for (const Entry& entry : entries_) {
    if (entry.state == RaceState::Incumbent || entry.state == RaceState::Tied) {
      places.push_back({0, entry.complexity, entry.state == RaceState::Tied, entry.id});
    } else if (entry.state == RaceState::Contender && !entry.log_ratios.empty()) {
      const stats::SequenceEstimate e = estimate(entry);
      if (e.mean - e.half_width < 0) places.push_back({1, e.mean, false, entry.id});
    }
  }
  std::ranges::sort(places);
  std::vector<std::uint64_t> out;
  for (const Place& place : places) {
    if (out.size() < most) out.push_back(place.id);
  }
  return out;
}

const Race::Entry* Race::find(std::uint64_t candidate) const {
  const auto found = std::ranges::find(entries_, candidate, &Entry::id);
  return found == entries_.end() ? nullptr : &*found;
}

const Race::Entry& Race::at(std::uint64_t candidate) const {
  const Entry* entry = find(candidate);
  PH_ASSERT(entry != nullptr, "a candidate that is not in the race");
  return *entry;
}

Race::Entry& Race::at(std::uint64_t candidate) {
  return const_cast<Entry&>(std::as_const(*this).at(candidate));
}

const Race::Entry* Race::incumbent_entry() const {
  const auto found = std::ranges::find(entries_, RaceState::Incumbent, &Entry::state);
  return found == entries_.end() ? nullptr : &*found;
}

stats::SequenceEstimate Race::estimate(const Entry& entry) const {
  return stats::sequence_estimate(entry.log_ratios, pool_.prior(), options_.r, options_.alpha);
}

const Race::Entry* Race::most_promising() const {
  const Entry* incumbent = incumbent_entry();
  const Entry* best = nullptr;
  double best_rate = -1;
  for (const Entry& entry : entries_) {
    if (entry.state != RaceState::Contender) continue;
    double mean = std::log(*entry.alone / *incumbent->alone), deviation = alone_deviation;
    if (!entry.log_ratios.empty()) {
      const stats::SequenceEstimate e = estimate(entry);
      mean = e.mean;
      deviation = e.deviation / std::sqrt(e.n);
    }
    const double rate = promise(mean, deviation) / (*entry.alone + *incumbent->alone);
    if (rate > best_rate) {
      best = &entry;
      best_rate = rate;
    }
  }
  return best;
}

int Race::rung(const Entry& entry) const {
  int blocks = options_.first_blocks;
  while (blocks <= static_cast<int>(entry.log_ratios.size())) blocks *= 2;
  return std::min(blocks, options_.rule.most_samples);
}

void Race::settle(Entry& entry) {
  switch (stats::decide(estimate(entry), options_.rule)) {
    case stats::RaceDecision::Continue: return;
    case stats::RaceDecision::Reject: entry.state = RaceState::Rejected; break;
    case stats::RaceDecision::Tie: entry.state = RaceState::Tied; break;
    case stats::RaceDecision::Promote: {
      pool_.add(entry.log_ratios);
      promote(entry);
      return;
    }
  }
  pool_.add(entry.log_ratios);
}

// The others are compared with the winner indirectly: differences subtract, variances add. Whoever
// that does not decide starts again, paired with the winner.
void Race::promote(Entry& winner) {
  const stats::SequenceEstimate lead = estimate(winner);
  for (Entry& entry : entries_) {
    if (entry.state == RaceState::Incumbent) {
      entry.state = RaceState::Rejected;
      continue;
    }
    const bool open = entry.state == RaceState::Contender || entry.state == RaceState::Tied;
    if (&entry == &winner || !open) continue;
    if (!entry.log_ratios.empty()) {
      stats::SequenceEstimate indirect = estimate(entry);
      indirect.mean -= lead.mean;
      indirect.half_width = std::hypot(indirect.half_width, lead.half_width);
      const bool out = stats::decide(indirect, options_.rule) == stats::RaceDecision::Reject;
      entry.state = out ? RaceState::Rejected : RaceState::Contender;
    }
    entry.log_ratios.clear();
  }
  crown(winner);
}

void Race::crown(Entry& entry) {
  entry.state = RaceState::Incumbent;
  entry.log_ratios.clear();
}

}  // namespace parhelion::search
