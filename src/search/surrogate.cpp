// SPDX-License-Identifier: Apache-2.0
#include "search/surrogate.h"

#include <algorithm>
#include <numeric>

namespace parhelion::search {

namespace {

constexpr double least_chance = 0.1;

}  // namespace

void Surrogate::fit(const Archive& archive, std::uint64_t seed) {
  std::vector<Row> rows, all_rows;
  std::vector<double> values, works;
  for (const Trial& trial : archive.trials()) {
    const Row row = encoder_.encode(trial.point);
    if (trial.succeeded()) {
      rows.push_back(row);
      values.push_back(*trial.outcome->value);
    } else if (!trial.outcome && fitted()) {
      rows.push_back(row);
      values.push_back(value(row).mean);
    }
    if (!trial.outcome) continue;
    all_rows.push_back(row);
    works.push_back(trial.succeeded() ? 1 : 0);
  }
  if (rows.empty()) return;
  // Splits compare sums of squares: around 0 they keep their digits.
  center_ = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  for (double& v : values) v -= center_;
  Rng value_rng(seed, 0), works_rng(seed, 1);
  value_.fit(rows, values, encoder_.ordered(), value_rng);
  if (std::ranges::find(works, 0.0) != works.end()) {
    works_.fit(all_rows, works, encoder_.ordered(), works_rng);
  }
}

Prediction Surrogate::value(const Row& row, int subset) const {
  Prediction out = value_.predict(row, subset);
  out.mean += center_;
  return out;
}

double Surrogate::chance(const Row& row) const {
  return works_.fitted() ? works_.predict(row).mean : 1;
}

std::optional<std::size_t> Surrogate::best(const std::vector<config::Point>& candidates,
                                           double kappa, int subset) const {
  std::optional<std::size_t> best;
  bool best_works = false;
  double best_score = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Row row = encoder_.encode(candidates[i]);
    const double chance = this->chance(row);
    const bool works = chance >= least_chance;
    if (best_works && !works) continue;
    const Prediction p = value(row, subset);
    // Among points that will hardly work, the likeliest is worth most.
    const double score = works ? p.mean - kappa * p.deviation : -chance;
    if (best && works == best_works && score >= best_score) continue;
    best = i;
    best_works = works;
    best_score = score;
  }
  return best;
}

double Surrogate::lower_bound(const config::Point& point, double kappa, int subset) const {
  const Prediction p = value(encoder_.encode(point), subset);
  return p.mean - kappa * p.deviation;
}

}  // namespace parhelion::search
