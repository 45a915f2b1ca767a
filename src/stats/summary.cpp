// SPDX-License-Identifier: Apache-2.0
#include "stats/summary.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <cmath>

namespace parhelion::stats {

std::string short_number(double value) {
  const double size = std::abs(value);
  if (!std::isfinite(value) || value == 0 || size < 1e-4 || size >= 1e7) {
    return fmt::format("{:.4g}", value);
  }
  const int before_point = static_cast<int>(std::floor(std::log10(size))) + 1;
  return fmt::format("{:.{}f}", value, std::max(0, 4 - before_point));
}

std::string text(const Summary& summary) {
  std::string out = short_number(summary.value);
  if (!summary.unit.empty()) out += ' ' + summary.unit;
  if (summary.low && summary.high) {
    out += fmt::format(" [{}, {}]", short_number(*summary.low), short_number(*summary.high));
  }
  return out + fmt::format(" (n = {})", summary.n);
}

Json to_json(const Summary& summary) {
  Json out = Json::object();
  out.set("name", summary.name).set("value", summary.value).set("unit", summary.unit);
  out.set("n", summary.n);
  if (summary.low) out.set("low", *summary.low);
  if (summary.high) out.set("high", *summary.high);
  out.set("level", summary.level).set("method", summary.method);
  return out.set("environment", summary.environment);
}

Result<Summary> summary_from_json(const Json& json) {
  const Json* value = json.find("value");
  if (value == nullptr || !value->is_number()) {
    return fail(9041, "a summary without its value", {},
                "write {\"value\": 1.5, \"unit\": \"us\"}");
  }
  Summary out;
  out.name = json.string_or("name", "");
  out.value = value->as_number();
  out.unit = json.string_or("unit", "");
  out.n = static_cast<int>(json.integer_or("n", 0));
  const auto bound = [&](std::string_view key) -> std::optional<double> {
    const Json* member = json.find(key);
    if (member == nullptr || !member->is_number()) return std::nullopt;
    return member->as_number();
  };
  out.low = bound("low");
  out.high = bound("high");
  out.level = json.number_or("level", 0.95);
  out.method = json.string_or("method", "");
  out.environment = json.string_or("environment", "");
  return out;
}

}  // namespace parhelion::stats
