// SPDX-License-Identifier: Apache-2.0
#include "property/search/problems.h"

#include "config/space_walk.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace parhelion::search::problems {

using config::Choice;
using config::Param;
using config::Point;
using config::SearchSpace;

namespace {

Param active_if(Param param, std::size_t on, Choice choice) {
  param.active_if = {{.param = on, .choices = {choice}}};
  return param;
}

std::optional<double> smallest(const Problem& problem) {
  std::optional<double> best;
  const auto points = config::enumerate(*problem.space, 50'000);
  if (!points) return std::nullopt;
  for (const Point& p : *points) {
    const auto value = problem.truth(p);
    if (value && (!best || *value < *best)) best = value;
  }
  return best;
}

}  // namespace

Problem sphere_mixed(std::uint64_t seed) {
  Problem problem{.name = "sphere_mixed",
                  .space = std::make_unique<SearchSpace>(),
                  .truth = {},
                  .noise = 0,
                  .optimum = 0};
  SearchSpace& space = *problem.space;
  for (int i = 0; i < 3; ++i) space.add(config::bool_param("b" + std::to_string(i), false));
  for (int i = 0; i < 4; ++i) {
    space.add(config::integer_param("i" + std::to_string(i), 0, 8, 1, 0));
  }
  for (int i = 0; i < 2; ++i) {
    space.add(config::categorical_param("c" + std::to_string(i), {"a", "b", "c", "d"}, "a"));
  }
  Rng rng(seed, 1);
  Point hidden;
  for (const Param& p : space.params()) {
    hidden.choices.push_back(static_cast<Choice>(rng.below(static_cast<std::uint64_t>(p.size()))));
  }
  problem.truth = [hidden, &space](const Point& p) -> std::optional<double> {
    double sum = 0;
    for (std::size_t i = 0; i < space.size(); ++i) {
      const Param& param = space.params()[i];
      const double span = static_cast<double>(param.size() - 1);
      const double distance = param.ordered() ? (p[i] - hidden[i]) / span : p[i] != hidden[i];
      sum += 0.3 * distance * distance;
    }
    return sum;
  };
  return problem;
}

Problem onemax(int switches) {
  Problem problem{.name = "onemax",
                  .space = std::make_unique<SearchSpace>(),
                  .truth = {},
                  .noise = 0,
                  .optimum = 0};
  for (int i = 0; i < switches; ++i) {
    problem.space->add(config::bool_param("s" + std::to_string(i), false));
  }
  problem.truth = [switches](const Point& p) -> std::optional<double> {
    const auto on = std::accumulate(p.choices.begin(), p.choices.end(), 0);
    return 1 - static_cast<double>(on) / switches;
  };
  return problem;
}

Problem conditional_tree() {
  Problem problem{.name = "conditional_tree",
                  .space = std::make_unique<SearchSpace>(),
                  .truth = {},
                  .noise = 0,
                  .optimum = {}};
  SearchSpace& space = *problem.space;
  space.add(config::categorical_param("root", {"flat", "tiled", "staged"}, "flat"));
  space.add(active_if(config::integer_param("width", 0, 7, 1, 0), 0, 0));
  space.add(active_if(config::pow2_param("tile_m", 1, 64, 1), 0, 1));
  space.add(active_if(config::pow2_param("tile_n", 1, 64, 1), 0, 1));
  space.add(active_if(config::integer_param("stages", 1, 6, 1, 1), 0, 2));
  const std::size_t mode =
      space.add(active_if(config::categorical_param("mode", {"a", "b"}, "a"), 0, 2));
  space.add(active_if(config::integer_param("depth", 0, 9, 1, 0), mode, 1));
  problem.truth = [&space](const Point& p) -> std::optional<double> {
    const auto off = [](double x, double best) { return (x - best) * (x - best); };
    if (p[0] == 0) return 1 + 0.02 * off(p[1], 3);
    if (p[0] == 1) return 0.5 + 0.03 * (off(p[2], 4) + off(p[3], 2));
    const double depth = space.active(p, 6) ? 0.02 * off(p[6], 7) : 0.6;
    return 0.1 * off(p[4], 3) + depth;
  };
  problem.optimum = smallest(problem);
  return problem;
}

namespace {

struct Tile {
  double m, n, k, stages, warps;
};

Tile tile_of(const Point& p) {
  return {std::ldexp(16, p[0]), std::ldexp(16, p[1]), std::ldexp(16, p[2]), 1.0 + p[3],
          std::ldexp(1, p[4])};
}

/// 4096^3 in 16 bits on 132 multiprocessors of 200 KiB shared memory, 990 TFLOP/s, 4 TB/s.
double tile_time(const Tile& t) {
  constexpr double size = 4096, processors = 132, peak = 990e12, bandwidth = 4e12;
  const double per_warp = t.m * t.n / t.warps;
  const double shared = (t.m + t.n) * t.k * 2 * t.stages;
  const double resident = std::min(8.0, std::max(1.0, std::floor(200.0 * 1024 / shared)));
  const double blocks = size / t.m * size / t.n;
  // Half of an unfilled last wave is hidden by the blocks that start early.
  const double slots = processors * resident;
  const double tail = 0.5 + 0.5 * std::ceil(blocks / slots) * slots / blocks;
  const double reuse = 1 / (1 + 400 / per_warp) / (1 + per_warp / 40000);
  const double overlap = 1 - 0.5 / (t.stages * std::sqrt(resident));
  const double depth = 1 / (1 + 6 / t.k) / (1 + t.k / 2000) / (1 + 0.01 * t.stages);
  const double compute = 2 * size * size * size / (peak * reuse * overlap * depth) * tail;
  const double bytes = size * size * size * 2 * (1 / t.m + 1 / t.n) * 0.2;
  return std::log(compute + 0.3 * bytes / bandwidth);
}

void add_tile_params(SearchSpace& space) {
  space.add(config::pow2_param("block_m", 16, 256, 64));
  space.add(config::pow2_param("block_n", 16, 256, 64));
  space.add(config::pow2_param("block_k", 16, 128, 32));
  space.add(config::integer_param("stages", 1, 5, 1, 2));
  space.add(config::pow2_param("warps", 1, 16, 4));
  space.add_rule([](const Point& p) -> std::optional<config::PointRefusal> {
    const Tile t = tile_of(p);
    if ((t.m + t.n) * t.k * 2 * t.stages <= 200.0 * 1024) return std::nullopt;
    return config::PointRefusal{"shared-bytes", "no room in shared memory", std::nullopt};
  });
  space.add_rule([](const Point& p) -> std::optional<config::PointRefusal> {
    const Tile t = tile_of(p);
    const double per_thread = t.m * t.n / (32 * t.warps);
    if (per_thread <= 200 && per_thread >= 2) return std::nullopt;
    return config::PointRefusal{"registers", "accumulators do not fit the threads", std::nullopt};
  });
}

}  // namespace

Problem tile_roof() {
  Problem problem{.name = "tile_roof",
                  .space = std::make_unique<SearchSpace>(),
                  .truth = {},
                  .noise = 0,
                  .optimum = {}};
  add_tile_params(*problem.space);
  problem.truth = [](const Point& p) -> std::optional<double> { return tile_time(tile_of(p)); };
  problem.optimum = smallest(problem);
  return problem;
}

Problem two_layer(double coupling, std::uint64_t seed) {
  constexpr std::size_t settings = 16, coupled = 5, tile_params = 5;
  Problem problem{.name = "two_layer",
                  .space = std::make_unique<SearchSpace>(),
                  .truth = {},
                  .noise = 0,
                  .optimum = {}};
  add_tile_params(*problem.space);
  for (std::size_t i = 0; i < settings; ++i) {
    Param param = config::categorical_param("o" + std::to_string(i), {"default", "on"}, "default");
    param.stage = 2;
    problem.space->add(std::move(param));
  }
  Rng rng(seed, 2);
  std::vector<double> main, coupled_effect, pair;
  for (std::size_t i = 0; i < settings; ++i) {
    main.push_back(0.006 * rng.normal());
    pair.push_back(0.015 * rng.normal());
    coupled_effect.push_back(0.05 * coupling * std::abs(rng.normal()));
  }
  // Each setting looks at one parameter of the tile: that decides whether it is dead, and which way
  // a coupled one acts.
  std::vector<std::size_t> looks_at;
  std::vector<Choice> turn;
  for (std::size_t i = 0; i < settings; ++i) {
    looks_at.push_back(rng.below(tile_params));
    turn.push_back(static_cast<Choice>(1 + rng.below(3)));
  }
  problem.truth = [=](const Point& p) -> std::optional<double> {
    double value = tile_time(tile_of(p));
    for (std::size_t i = 0; i < settings; ++i) {
      const bool dead = coupling > 0 && p[(looks_at[i] + 1) % tile_params] % 3 == 0;
      if (p[tile_params + i] == 0 || dead) continue;
      value += main[i];
      const bool worse = p[looks_at[i]] < turn[i];
      if (i < coupled) value += worse ? coupled_effect[i] : -coupled_effect[i];
      if (p[tile_params + (i + 1) % settings] != 0) value += pair[i];
    }
    return value;
  };
  return problem;
}

Problem dup_heavy() {
  Problem problem{.name = "dup_heavy",
                  .space = std::make_unique<SearchSpace>(),
                  .truth = {},
                  .noise = 0,
                  .optimum = -1};
  SearchSpace& space = *problem.space;
  space.add(config::integer_param("live", 0, 9, 1, 0));
  for (int i = 0; i < 8; ++i) {
    Param param = config::bool_param("dead" + std::to_string(i), false);
    param.stage = 2;
    space.add(std::move(param));
  }
  problem.truth = [](const Point& p) -> std::optional<double> {
    return p[0] == 6 ? -1 : 0.1 * std::abs(p[0] - 6);
  };
  return problem;
}

Problem free_lunch() {
  Problem problem{.name = "free_lunch",
                  .space = std::make_unique<SearchSpace>(),
                  .truth = {},
                  .noise = 0.01,
                  .optimum = 0};
  problem.space->add(config::integer_param("tile", 0, 15, 1, 0));
  for (int i = 0; i < 6; ++i) {
    Param param = config::bool_param("option" + std::to_string(i), false);
    param.stage = 2;
    problem.space->add(std::move(param));
  }
  problem.truth = [](const Point&) -> std::optional<double> { return 0; };
  return problem;
}

Problem hidden_fail() {
  Problem problem{.name = "hidden_fail",
                  .space = std::make_unique<SearchSpace>(),
                  .truth = {},
                  .noise = 0,
                  .optimum = {}};
  problem.space->add(config::integer_param("x", 0, 19, 1, 0));
  problem.space->add(config::integer_param("y", 0, 19, 1, 0));
  problem.space->add(config::categorical_param("z", {"a", "b", "c"}, "a"));
  problem.truth = [](const Point& p) -> std::optional<double> {
    if (p[0] + p[1] > 22) return std::nullopt;
    return -0.05 * (p[0] + p[1]) + 0.01 * std::abs(p[0] - 14) + 0.1 * std::abs(p[2] - 1);
  };
  problem.optimum = smallest(problem);
  return problem;
}

Problem wrong_fast() {
  Problem problem = tile_roof();
  problem.name = "wrong_fast";
  std::vector<double> values;
  const auto points = *config::enumerate(*problem.space, 50'000);
  for (const Point& p : points) values.push_back(tile_time(tile_of(p)));
  std::ranges::sort(values);
  const double limit = values[values.size() / 20];
  problem.truth = [limit](const Point& p) -> std::optional<double> {
    const double value = tile_time(tile_of(p));
    if (value <= limit) return std::nullopt;
    return value;
  };
  problem.optimum = smallest(problem);
  return problem;
}

std::vector<Problem> all(std::uint64_t seed) {
  std::vector<Problem> out;
  out.push_back(sphere_mixed(seed));
  out.push_back(onemax(12));
  out.push_back(conditional_tree());
  out.push_back(tile_roof());
  out.push_back(two_layer(1, seed));
  out.push_back(dup_heavy());
  out.push_back(free_lunch());
  out.push_back(hidden_fail());
  out.push_back(wrong_fast());
  return out;
}

Outcome evaluate(const Problem& problem, const Point& point, std::uint64_t seed) {
  const auto truth = problem.truth(point);
  if (!truth) return {.value = std::nullopt, .failure = "wrong"};
  const Hash id = problem.space->id(point);
  Rng rng(seed ^ id.high, id.low);
  return {.value = *truth + problem.noise * rng.normal(), .failure = {}};
}

}  // namespace parhelion::search::problems
