// SPDX-License-Identifier: Apache-2.0
#include "search/surrogate.h"

#include <algorithm>
#include <numeric>

namespace parhelion::search {

namespace {

/// Nothing is hopeless: the forest may be wrong about a region that it has hardly seen.
constexpr double least_chance = 0.01;

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
                                           double incumbent, double kappa, int subset) const {
  std::optional<std::size_t> best;
  double best_promise = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const Row row = encoder_.encode(candidates[i]);
    const Prediction p = value(row, subset);
    const double gain = incumbent - (p.mean - kappa * p.deviation);
    const double works = std::max(chance(row), least_chance);
    // A loss is made worse by the risk, not smaller.
    const double promise = gain > 0 ? gain * works : gain / works;
    if (best && promise <= best_promise) continue;
    best = i;
    best_promise = promise;
  }
  return best;
}

double Surrogate::lower_bound(const config::Point& point, double kappa, int subset) const {
  const Prediction p = value(encoder_.encode(point), subset);
  return p.mean - kappa * p.deviation;
}

}  // namespace parhelion::search
