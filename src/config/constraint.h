// SPDX-License-Identifier: Apache-2.0
// The one table of constraints: name, reason and repair of each rule that a configuration must
// keep. src/plan evaluates the rules; rows are appended to constraints.def.
#pragma once

#include "config/parameters.h"

#include <parhelion/diagnostic.h>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace parhelion::config {

enum class ConstraintId : std::uint8_t {
#define PH_CONSTRAINT(id, name, targets, reason, repair) id,
#include "config/constraints.def"
#undef PH_CONSTRAINT
};

struct ConstraintRow {
  ConstraintId id;
  std::string_view name;  // "simd-feature": what `explain` prints
  Targets targets;
  std::string_view reason;  // with {placeholders}
  std::string_view repair;  // one thing to do, with the same placeholders
};

[[nodiscard]] std::span<const ConstraintRow> constraints();
[[nodiscard]] const ConstraintRow& row(ConstraintId id);

/// A number or a text that fills the placeholder of its name.
struct Fill {
  std::string_view name;
  std::variant<std::int64_t, std::string> value;
  Fill(std::string_view n, std::int64_t v) : name(n), value(v) {}
  Fill(std::string_view n, int v) : name(n), value(std::int64_t{v}) {}
  Fill(std::string_view n, std::string v) : name(n), value(std::move(v)) {}
};
/// Every placeholder must be filled; fills that a text does not use are fine.
[[nodiscard]] std::string fill(std::string_view text, std::span<const Fill> fills);
[[nodiscard]] std::string reason(ConstraintId id, std::initializer_list<Fill> fills);
[[nodiscard]] std::string repair(ConstraintId id, std::initializer_list<Fill> fills);

/// PH7101: how strict mode reports a refused configuration.
[[nodiscard]] Diagnostic refusal_diagnostic(ConstraintId id, std::string reason, std::string repair,
                                            Place where = {});

}  // namespace parhelion::config
