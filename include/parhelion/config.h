// SPDX-License-Identifier: Apache-2.0
// The two layers that are searched, as values: Config (how Parhelion writes the kernel) and
// Controls (what the compiler underneath is told). Text forms round-trip.
#pragma once

#include <parhelion/diagnostic.h>

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace parhelion {

/// How far results may differ from the interpreter's.
enum class Numerics : std::uint8_t {
  Exact,    // the order of the interpreter: same bits
  Bounded,  // any rewrite that the interpreter's running error bound covers
  Relaxed,  // fast-math parts, atomics in any order
};
[[nodiscard]] std::string_view name(Numerics numerics);  // "exact", "bounded", "relaxed"
[[nodiscard]] std::optional<Numerics> parse_numerics(std::string_view text);

/// The numerics class and what goes with it but is asked for apart.
struct NumericsOptions {
  Numerics numerics = Numerics::Bounded;
  bool flush_denormals = false;  // denormals may become zero
  bool fixed_order = false;      // the same bits at every run of one configuration
  bool operator==(const NumericsOptions&) const = default;
};

}  // namespace parhelion

namespace parhelion::config {

/// Order of the enumerators = rows of `parameters` (src/config/parameters.h) = order in texts.
enum class Parameter : std::uint8_t {
  Block,
  Order,
  Group,
  Pid,
  Warps,
  Roles,
  Reduce,
  Stages,
  Unroll,
  Static,
  Path,
  Vector,
  Cache,
  Evict,
  Mma,
  Swap,
  WarpGrid,
  SplitK,
  Overlap,
  Cluster,
  Multicast,
  EpilogueSplit,
  MaxRegisters,
  MinBlocks,
  Registers,
  DependentLaunch,
  Hold,
  Schedule,
  Simd,
  Strip,
  Pairs,
  RegisterBlock,
  Kc,
  Mc,
  Nc,
  Pack,
  Tunable,
};
inline constexpr int parameter_count = 37;

/// Names one parameter of one subject: block[a0], pack[d0.a], registers[producer], warps. The
/// letter of the index follows from the parameter; indices are dense, in order of appearance.
struct Key {
  Parameter parameter = Parameter::Block;
  int index = -1;        // -1: the subject is the kernel, or a role
  std::string suffix{};  // operand of a dot ("a"), name of a role ("producer")
  auto operator<=>(const Key&) const = default;
};
[[nodiscard]] std::string text(const Key& key);

/// Integer, word ("row(out)", "12x2", "nt"), or list of integers (an order).
using Value = std::variant<std::int64_t, std::string, std::vector<std::int64_t>>;
[[nodiscard]] std::string text(const Value& value);
/// "12x2" -> {12, 2}; nothing when the word is not of that form.
[[nodiscard]] std::optional<std::pair<std::int64_t, std::int64_t>> parse_pair(
    std::string_view word);

/// A name of the user's for a subject ("rows" -> "a0"): accepted in texts, never stored.
struct SubjectName {
  std::string name, id;
};

/// Named parameters, sorted by key. What a Config does not name, the heuristic decides.
class Config {
 public:
  using Entry = std::pair<Key, Value>;

  /// `block[a0]=4 warps=4 reduce[a1]=resident`, separated by white space. PH7001 to PH7005.
  [[nodiscard]] static Result<Config> parse(std::string_view text,
                                            std::span<const SubjectName> names = {});
  [[nodiscard]] std::string text() const;  // one line, canonical order

  Config& set(Key key, Value value);  // adds or replaces
  Config& set(Key key, int value) { return set(std::move(key), Value(std::int64_t{value})); }
  Config& set(Key key, const char* value) { return set(std::move(key), Value(std::string(value))); }
  Config& erase(const Key& key);
  /// Entries of `other` replace those of the same key here.
  Config& merge(const Config& other);

  [[nodiscard]] const Value* find(const Key& key) const;
  [[nodiscard]] bool has(const Key& key) const { return find(key) != nullptr; }
  // Nothing when the key is absent or its value is of another kind.
  [[nodiscard]] std::optional<std::int64_t> integer(const Key& key) const;
  [[nodiscard]] std::optional<std::string_view> word(const Key& key) const;
  [[nodiscard]] std::optional<std::span<const std::int64_t>> list(const Key& key) const;
  [[nodiscard]] std::int64_t integer_or(const Key& key, std::int64_t fallback) const {
    return integer(key).value_or(fallback);
  }
  [[nodiscard]] std::string_view word_or(const Key& key, std::string_view fallback) const {
    return word(key).value_or(fallback);
  }

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] auto begin() const { return entries_.begin(); }
  [[nodiscard]] auto end() const { return entries_.end(); }
  bool operator==(const Config&) const = default;

 private:
  std::vector<Entry> entries_;
};

/// One setting of a named tool: {"g++", "opt-level", "3"}. Switches are "on" and "off".
struct Setting {
  std::string tool, key, value;
  bool operator==(const Setting&) const = default;
};

/// Where Controls apply; empty members do not restrict.
struct ControlsTarget {
  std::string arch;     // "sm_90a", "x86-64-v3"
  std::string tool;     // "ptxas"
  std::string version;  // ">=13.0,<13.6"
  bool operator==(const ControlsTarget&) const = default;
};

/// A vendor's control file, passed through untouched.
struct ControlsPayload {
  std::string file, sha256;
  bool operator==(const ControlsPayload&) const = default;
};

class Controls {
 public:
  std::string name;  // of a pack; never part of the identity
  ControlsTarget target;
  Numerics numerics = Numerics::Exact;  // the class that the settings need
  std::optional<ControlsPayload> payload;

  /// TOML (DESIGN section 5): top-level words, [target], one table a tool, [payload]. PH7006,
  /// PH7007.
  [[nodiscard]] static Result<Controls> parse_toml(std::string_view text,
                                                   std::string_view file = {});
  [[nodiscard]] std::string toml() const;
  /// `compiler name=clang++ g++ opt-level=3 rename-registers=on`: a word without "=" opens a tool's
  /// part. Holds settings and payload only; "none" when there are none.
  [[nodiscard]] static Result<Controls> parse(std::string_view text);
  [[nodiscard]] std::string text() const;

  /// Replaces in place, or adds behind the tool's other settings.
  Controls& set(std::string_view tool, std::string_view key, std::string_view value);
  Controls& erase(std::string_view tool, std::string_view key);
  [[nodiscard]] std::optional<std::string_view> find(std::string_view tool,
                                                     std::string_view key) const;
  [[nodiscard]] const std::vector<Setting>& settings() const { return settings_; }
  /// Nothing is said to any tool.
  [[nodiscard]] bool empty() const { return settings_.empty() && !payload; }
  /// The settings in the order of an option table, given as "tool.key"; others follow, as they are.
  [[nodiscard]] Controls ordered(std::span<const std::string> option_order) const;
  bool operator==(const Controls&) const = default;

 private:
  std::vector<Setting> settings_;  // those of one tool are neighbours
};

}  // namespace parhelion::config

namespace parhelion {
using config::Config;
using config::Controls;
}  // namespace parhelion
