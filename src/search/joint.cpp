// SPDX-License-Identifier: Apache-2.0
#include "search/joint.h"

#include "base/diag.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <unordered_set>

namespace parhelion::search {

namespace {

constexpr int tile_stage = 0, control_stage = 2;

// Constants of autotuning 7.9, found in replay.
constexpr int start_size = 20, least_start = 8, refit_every = 8;
constexpr std::size_t most_elites = 10, crossover_elites = 4;
constexpr int pool_size = 200, raw_candidates = 48;
constexpr double random_share = 1.0 / 8, reopen_share = 0.05;
constexpr double parent_controls_share = 0.7;
constexpr double contender_margin = 0.06;  // what controls can still win back, in log time

/// Position i of a list with probability about 2^-(i + 1).
std::size_t geometric(std::size_t size, Rng& rng) {
  std::size_t i = 0;
  while (i + 1 < size && rng.chance(0.5)) ++i;
  return i;
}

}  // namespace

Joint::Joint(const config::SearchSpace& space, const Options& options, Schedule schedule)
    : Strategy(space, options), schedule_(schedule), surrogate_(space) {
  for (const config::Param& param : space.params()) {
    PH_ASSERT(param.stage == tile_stage || param.stage == control_stage,
              param.name + ": the joint search knows stages 0 and 2");
    if (param.size() < 2) continue;
    (param.stage == tile_stage ? has_tiles_ : has_controls_) = true;
  }
  const int seeds = static_cast<int>(space.seeds().size());
  Rng rng(options.seed, ~std::uint64_t{0});
  for (config::Point& point : start_design(std::max(least_start, start_size - seeds))) {
    // Half of them at default controls: configurations must be comparable.
    const bool keep = !has_tiles_ || (schedule == Schedule::Ramped && rng.chance(0.5));
    auto made = keep ? std::optional(std::move(point))
                     : config::transplant(space, point, space.default_point(), control_stage);
    if (made) start_.push_back(std::move(*made));
  }
}

double Joint::progress() const {
  const double share =
      static_cast<double>(archive().size()) / std::max(1, options().expected_trials);
  return std::min(1.0, share);
}

std::optional<Strategy::Candidate> Joint::propose(Rng& rng) {
  if (auto point = next_unseen(start_, start_at_)) return Candidate{std::move(*point), "start"};
  if (!surrogate_.fitted() || archive().told() >= fitted_at_ + refit_every) refresh(rng);
  if (surrogate_.fitted() && !elites_.empty()) {
    const std::string_view name = pick_operator(rng);
    if (auto point = apply(name, rng)) return Candidate{std::move(*point), name};
    if (schedule_ == Schedule::Ramped) {
      if (auto point = apply("tile", rng)) return Candidate{std::move(*point), "tile"};
    }
  }
  auto point = unseen(rng);
  if (!point) return std::nullopt;
  return Candidate{std::move(*point), "random"};
}

void Joint::refresh(Rng& rng) {
  surrogate_.fit(archive(), rng.bits());
  fitted_at_ = archive().told();
  elites_ = best_of_each_tile(most_elites);
  pool_.clear();
  for (int i = 0; i < pool_size; ++i) {
    if (auto point = unseen(rng)) pool_.push_back(std::move(*point));
  }
}

std::string_view Joint::pick_operator(Rng& rng) const {
  const double q = progress();
  if (schedule_ == Schedule::Sequential) return q < 0.5 || !has_controls_ ? "tile" : "control";
  if (rng.chance(random_share)) return "random";
  struct Share {
    std::string_view name;
    double weight;
  };
  const double controls = has_controls_ ? 1 : 0;
  const std::array<Share, 4> shares = {
      Share{"tile", has_tiles_ ? 1 - 0.75 * q : 0},
      Share{"control", controls * (0.1 + 0.5 * q)},
      Share{"transplant", controls * 0.25 * q},
      Share{"reopen", has_tiles_ ? controls * reopen_share : 0},
  };
  double total = 0;
  for (const Share& share : shares) total += share.weight;
  double at = rng.uniform() * total;
  for (const Share& share : shares) {
    at -= share.weight;
    if (at < 0) return share.name;
  }
  return "random";
}

std::optional<config::Point> Joint::apply(std::string_view name, Rng& rng) {
  if (name == "tile") return tile(rng);
  if (name == "control") return control(rng);
  if (name == "transplant") return transplanted(rng);
  if (name == "reopen") return reopened(rng);
  return unseen(rng);
}

std::optional<config::Point> Joint::tile(Rng& rng) {
  Points candidates;
  const config::Point& incumbent = archive()[elites_.front()].point;
  for (const config::Point& point : pool_) {
    add(candidates, with_controls(point, incumbent, rng));
  }
  const std::size_t parents = std::min(crossover_elites, elites_.size());
  for (int i = 0; i < raw_candidates; ++i) {
    const config::Point& a = archive()[elites_[rng.below(parents)]].point;
    const config::Point& b = archive()[elites_[rng.below(parents)]].point;
    auto child = rng.chance(0.5) ? config::cross(space(), a, b, rng) : std::optional(a);
    if (child && rng.chance(0.75)) child = config::mutate(space(), *child, rng, tile_stage);
    if (child) add(candidates, with_controls(*child, a, rng));
  }
  return choose(std::move(candidates));
}

std::optional<config::Point> Joint::control(Rng& rng) {
  const double best = *archive()[elites_.front()].outcome->value;
  std::size_t open = 1;
  if (schedule_ == Schedule::Ramped) {
    while (open < elites_.size() &&
           *archive()[elites_[open]].outcome->value < best + contender_margin) {
      ++open;
    }
  }
  const config::Point& elite = archive()[elites_[geometric(open, rng)]].point;
  Points candidates;
  for (int i = 0; i < raw_candidates; ++i) {
    add(candidates, config::mutate(space(), elite, rng, control_stage));
  }
  return choose(std::move(candidates));
}

std::optional<config::Point> Joint::transplanted(Rng& rng) {
  Points candidates;
  const auto any = [&]() -> const config::Point& {
    return archive()[elites_[rng.below(elites_.size())]].point;
  };
  for (int i = 0; i < raw_candidates; ++i) {
    const config::Point& onto = archive()[elites_[geometric(elites_.size(), rng)]].point;
    const config::Point &a = any(), &b = any();
    if (const auto controls = config::cross(space(), a, b, rng)) {
      add(candidates, config::transplant(space(), onto, *controls, control_stage));
    }
  }
  return choose(std::move(candidates));
}

std::optional<config::Point> Joint::reopened(Rng& rng) {
  const std::vector<TrialId> all = best_of_each_tile(archive().size());
  if (all.size() <= elites_.size()) return std::nullopt;
  Points candidates;
  for (int i = 0; i < raw_candidates; ++i) {
    const std::size_t place = elites_.size() + rng.below(all.size() - elites_.size());
    const config::Point& reject = archive()[all[place]].point;
    const config::Point& donor = archive()[elites_[geometric(elites_.size(), rng)]].point;
    auto child = rng.chance(0.5) ? config::transplant(space(), reject, donor, control_stage)
                                 : config::mutate(space(), reject, rng, control_stage);
    add(candidates, std::move(child));
  }
  auto chosen = choose(std::move(candidates));
  if (!chosen) return std::nullopt;
  const double bound = surrogate_.lower_bound(*chosen, 1, -1);
  if (bound >= *archive()[elites_.front()].outcome->value) return std::nullopt;
  return chosen;
}

void Joint::add(Points& candidates, std::optional<config::Point> point) const {
  if (point && !archive().seen(*point)) candidates.push_back(std::move(*point));
}

std::optional<config::Point> Joint::choose(Points candidates) const {
  const double kappa = 1 - 0.5 * progress();
  const int subset = static_cast<int>(archive().size() % 2);
  const auto best =
      surrogate_.best(candidates, *archive()[elites_.front()].outcome->value, kappa, subset);
  if (!best) return std::nullopt;
  return std::move(candidates[*best]);
}

std::optional<config::Point> Joint::with_controls(const config::Point& tile,
                                                  const config::Point& parent, Rng& rng) const {
  if (!has_controls_) return tile;
  const bool inherit = schedule_ == Schedule::Ramped && rng.chance(parent_controls_share);
  return config::transplant(space(), tile, inherit ? parent : space().default_point(),
                            control_stage);
}

std::vector<TrialId> Joint::best_of_each_tile(std::size_t most) const {
  std::vector<TrialId> out;
  std::unordered_set<Hash> tiles;
  for (const TrialId id : archive().ranked()) {
    if (out.size() == most) break;
    if (tiles.insert(space().id(archive()[id].point, tile_stage)).second) out.push_back(id);
  }
  return out;
}

}  // namespace parhelion::search
