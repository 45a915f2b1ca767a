// SPDX-License-Identifier: Apache-2.0
// Small text functions: close matches, joining, splitting, numbers that round-trip.
#pragma once

#include <parhelion/dtype.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion {

[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
[[nodiscard]] std::string join(std::span<const std::string> parts, std::string_view separator);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] bool starts_with(std::string_view text, std::string_view prefix);

[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
[[nodiscard]] std::optional<double> parse_number(std::string_view text);  // also inf, -inf, nan
/// Shortest decimal that reads back to the same value of `dtype`; inf, -inf, nan.
[[nodiscard]] std::string number_text(double value, DType dtype = DType::F64);

/// The candidate nearest to `word` by edit distance, if near enough to suggest.
[[nodiscard]] std::optional<std::string> close_match(std::string_view word,
                                                     std::span<const std::string> candidates);

}  // namespace parhelion
