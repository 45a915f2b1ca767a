// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic over the sizes of a call as a flat postfix program: what an artifact or a
// bundle carries instead of any IR (grid, parameters, scratch sizes).
#pragma once

#include <parhelion/diagnostic.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion {

class SizeProgram {
 public:
  enum class Code : std::uint8_t {
    Constant, Symbol, Add, Sub, Mul, FloorDiv, Mod, CeilDiv, Min, Max,
  };
  struct Step {
    Code code;
    std::int64_t value = 0;  // the constant, or the index of the symbol
    bool operator==(const Step&) const = default;
  };
  SizeProgram() = default;
  static SizeProgram constant(std::int64_t value);
  static SizeProgram symbol(std::int64_t index);
  /// `left code right`; folds two constants.
  static SizeProgram binary(Code code, const SizeProgram& left, const SizeProgram& right);

  [[nodiscard]] std::int64_t evaluate(std::span<const std::int64_t> symbols) const;
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  /// "s0 64 ceildiv s1 *": round-trips.
  [[nodiscard]] std::string text() const;
  [[nodiscard]] static Result<SizeProgram> parse(std::string_view text);
  bool operator==(const SizeProgram&) const = default;

 private:
  std::vector<Step> steps_;
};

/// Floor semantics of the tile language: rounds toward minus infinity; division by 0 gives 0.
[[nodiscard]] std::int64_t floor_div(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t floor_mod(std::int64_t a, std::int64_t b);
[[nodiscard]] std::int64_t ceil_div(std::int64_t a, std::int64_t b);

}  // namespace parhelion
