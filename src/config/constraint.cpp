// SPDX-License-Identifier: Apache-2.0
#include "config/constraint.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace parhelion::config {

namespace {

constexpr std::array rows = {
#define PH_CONSTRAINT(id, name, targets, reason, repair) \
  ConstraintRow{ConstraintId::id, name, Targets::targets, reason, repair},
#include "config/constraints.def"
#undef PH_CONSTRAINT
};

std::string text(const Fill& fill) {
  if (const auto* integer = std::get_if<std::int64_t>(&fill.value)) return std::to_string(*integer);
  return std::get<std::string>(fill.value);
}

}  // namespace

std::span<const ConstraintRow> constraints() { return rows; }

const ConstraintRow& row(ConstraintId id) { return rows[static_cast<std::size_t>(id)]; }

std::string fill(std::string_view text_, std::span<const Fill> fills) {
  std::string out;
  while (!text_.empty()) {
    const std::size_t open = std::min(text_.find('{'), text_.size());
    out += text_.substr(0, open);
    text_.remove_prefix(open);
    if (text_.empty()) break;
    const std::size_t close = text_.find('}');
    PH_ASSERT(close != text_.npos, "a placeholder without its closing brace");
    const std::string_view name = text_.substr(1, close - 1);
    const auto found = std::ranges::find(fills, name, &Fill::name);
    PH_ASSERT(found != fills.end(), fmt::format("nothing fills the placeholder {}", name));
    out += text(*found);
    text_.remove_prefix(close + 1);
  }
  return out;
}

std::string reason(ConstraintId id, std::initializer_list<Fill> fills) {
  return fill(row(id).reason, std::span(fills.begin(), fills.size()));
}

std::string repair(ConstraintId id, std::initializer_list<Fill> fills) {
  return fill(row(id).repair, std::span(fills.begin(), fills.size()));
}

Diagnostic refusal_diagnostic(ConstraintId id, std::string reason, std::string repair,
                              Place where) {
  Diagnostic diagnostic = diag(7101, std::move(reason), std::move(where), std::move(repair));
  diagnostic.notes.push_back({fmt::format("constraint {}", row(id).name), {}});
  return diagnostic;
}

}  // namespace parhelion::config
