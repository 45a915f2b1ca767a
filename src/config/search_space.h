// SPDX-License-Identifier: Apache-2.0
// The typed, conditional space that is searched: parameters with finite domains, conditions,
// constraints, seeds. Knows nothing of kernels: a parameter only carries the name it stands for.
#pragma once

#include "base/hash.h"
#include "config/config.h"

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace parhelion::config {

enum class ParamKind : std::uint8_t {
  Bool,         // off, on
  Integer,      // low, low + step, ... high
  Pow2,         // low, 2 low, ... high
  Ordinal,      // listed values, neighbours are alike
  Categorical,  // listed values without an order
  Permutation,  // orders of 0 .. count - 1
};

/// The setting of a tool that a parameter of stage 2 stands for.
struct SettingName {
  std::string tool, key;
  bool operator==(const SettingName&) const = default;
};

/// One value of a space: the position in its parameter's domain.
using Choice = std::int32_t;

/// Holds when the earlier parameter `param` has one of `choices` and is active itself.
struct Condition {
  std::size_t param = 0;
  std::vector<Choice> choices;
  bool operator==(const Condition&) const = default;
};

struct Param {
  std::string name{};
  ParamKind kind = ParamKind::Bool;
  std::int64_t low = 0, high = 1, step = 1;  // Integer, Pow2
  std::vector<Value> values{};               // Ordinal, Categorical
  int count = 0;                             // Permutation
  Choice fallback = 0;                       // default; the neutral value while inactive
  int stage = 0;                       // first stage whose input it changes: 0 config, 2 controls
  std::vector<Condition> active_if{};  // all must hold
  double weight = 1;                   // prior: how often moves pick it
  std::variant<std::monostate, Key, SettingName> stands_for{};

  [[nodiscard]] std::int64_t size() const;  // of the domain
  [[nodiscard]] Value value(Choice choice) const;
  [[nodiscard]] std::optional<Choice> choice_of(const Value& value) const;
  /// Near choices are alike.
  [[nodiscard]] bool ordered() const;
};

// Shorthands; `fallback` is a value of the domain.
[[nodiscard]] Param bool_param(std::string name, bool fallback);
[[nodiscard]] Param integer_param(std::string name, std::int64_t low, std::int64_t high,
                                  std::int64_t step, std::int64_t fallback);
[[nodiscard]] Param pow2_param(std::string name, std::int64_t low, std::int64_t high,
                               std::int64_t fallback);
[[nodiscard]] Param ordinal_param(std::string name, std::vector<Value> values, Value fallback);
[[nodiscard]] Param categorical_param(std::string name, std::vector<Value> values, Value fallback);
[[nodiscard]] Param permutation_param(std::string name, int count);

/// One choice a parameter.
struct Point {
  std::vector<Choice> choices;
  auto operator<=>(const Point&) const = default;
  [[nodiscard]] Choice operator[](std::size_t param) const { return choices[param]; }
  [[nodiscard]] Choice& operator[](std::size_t param) { return choices[param]; }
};

/// Why a point is not legal; `repaired` is the nearest point that the rule accepts, if known.
struct PointRefusal {
  std::string constraint, reason;
  std::optional<Point> repaired;
};

class SearchSpace {
 public:
  using Rule = std::function<std::optional<PointRefusal>(const Point&)>;
  using Rewrite = std::function<void(Point&)>;

  /// Conditions may name earlier parameters only. Returns the parameter's position.
  std::size_t add(Param param);
  /// Rules see canonical points only.
  void add_rule(Rule rule) { rules_.push_back(std::move(rule)); }
  /// Maps spellings of one thing to one of them (a flag that the level implies, ...).
  void add_rewrite(Rewrite rewrite) { rewrites_.push_back(std::move(rewrite)); }
  /// A good guess; canonicalised. Invalid ones are repaired or dropped.
  void add_seed(Point point);

  [[nodiscard]] const std::vector<Param>& params() const { return params_; }
  [[nodiscard]] std::size_t size() const { return params_.size(); }
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const;
  [[nodiscard]] const std::vector<Point>& seeds() const { return seeds_; }
  /// Canonical; its legality is not checked.
  [[nodiscard]] Point default_point() const;

  [[nodiscard]] bool active(const Point& point, std::size_t param) const;
  /// To a fixpoint: inactive parameters at their fallback, rewrites applied.
  [[nodiscard]] Point canonical(Point point) const;
  /// The first rule that refuses the canonical point.
  [[nodiscard]] std::optional<PointRefusal> refusal(const Point& point) const;
  [[nodiscard]] bool valid(const Point& point) const { return !refusal(point); }
  /// The point itself if valid; else a valid one close by: rules' repairs first, then steps of
  /// single coordinates that break fewer rules. Canonical. Bounded: 32 steps, 512 looks at rules.
  [[nodiscard]] std::optional<Point> repair(Point point) const;

  /// Identity of a canonical point; stage < 0 takes all parameters, else those up to `stage`.
  [[nodiscard]] Hash id(const Point& point, int up_to_stage = -1) const;
  /// "block_m=64 stages=3": active parameters only.
  [[nodiscard]] std::string text(const Point& point) const;
  /// Of the names and domains: two spaces with equal digests have the same points.
  [[nodiscard]] Hash digest() const;

  // Active parameters as the values that they stand for. A setting whose value is "default" is not
  // passed on; entries of `config` and `controls` that the space does not have are ignored.
  [[nodiscard]] Config to_config(const Point& point) const;
  [[nodiscard]] Controls to_controls(const Point& point) const;
  /// Nothing when a value lies outside of its domain. Absent entries take the fallback.
  [[nodiscard]] std::optional<Point> from(const Config& config, const Controls& controls) const;

 private:
  std::vector<Param> params_;
  std::vector<Rule> rules_;
  std::vector<Rewrite> rewrites_;
  std::vector<Point> seeds_;
};

}  // namespace parhelion::config
