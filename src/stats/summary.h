// SPDX-License-Identifier: Apache-2.0
// A number that never travels alone.
#pragma once

#include "base/json.h"

#include <optional>
#include <string>
#include <string_view>

namespace parhelion::stats {

struct Summary {
  std::string name;  // "softmax gain"
  double value = 0;
  std::string unit;  // "us", "ratio"
  int n = 0;
  std::optional<double> low, high;  // interval; unknown for n = 1
  double level = 0.95;              // of the interval
  std::string method;               // "t over 5 process means of paired log-ratios"
  std::string environment;          // machine, compiler, protocol
  bool operator==(const Summary&) const = default;
};

/// "12.3 us [12.1, 12.6] (n = 5)".
[[nodiscard]] std::string text(const Summary& summary);
[[nodiscard]] Json to_json(const Summary& summary);
[[nodiscard]] Result<Summary> summary_from_json(const Json& json);
/// Four significant digits, no exponent between 1e-4 and 1e7.
[[nodiscard]] std::string short_number(double value);

}  // namespace parhelion::stats
