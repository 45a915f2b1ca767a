// SPDX-License-Identifier: Apache-2.0
// Why the cache had nothing: the nearest entry, and the fields in which it differs.
#pragma once

#include "base/hash.h"
#include "base/json.h"

#include <optional>
#include <string>
#include <vector>

namespace parhelion::artifact {

struct Difference {
  std::string field;  // "flags[3]", "tool.digest"
  std::string wanted, stored;  // JSON texts; empty: absent
  bool operator==(const Difference&) const = default;
};

/// Leaf by leaf, in the order of `wanted`, then those that only `stored` has.
[[nodiscard]] std::vector<Difference> differences(const Json& wanted, const Json& stored);

struct WhyMiss {
  std::optional<Hash> nearest;  // nothing: the cache holds no entry
  std::vector<Difference> differences;
};
/// "softmax differs in text: ... instead of ...", for people.
[[nodiscard]] std::string text(const WhyMiss& why);

}  // namespace parhelion::artifact
