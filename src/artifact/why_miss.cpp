// SPDX-License-Identifier: Apache-2.0
#include "artifact/why_miss.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::artifact {

namespace {

struct Leaf {
  std::string field, value;
};

void collect(const Json& json, const std::string& field, std::vector<Leaf>& leaves) {
  if (json.is_object()) {
    for (const auto& [key, value] : json.as_object()) {
      collect(value, field.empty() ? key : fmt::format("{}.{}", field, key), leaves);
    }
  } else if (json.is_array()) {
    for (std::size_t i = 0; i < json.as_array().size(); ++i) {
      collect(json.as_array()[i], fmt::format("{}[{}]", field, i), leaves);
    }
  } else {
    leaves.push_back({field, json.dump()});
  }
}

}  // namespace

std::vector<Difference> differences(const Json& wanted, const Json& stored) {
  std::vector<Leaf> mine, theirs;
  collect(wanted, "", mine);
  collect(stored, "", theirs);
  std::vector<Difference> found;
  for (const Leaf& leaf : mine) {
    const auto other = std::ranges::find(theirs, leaf.field, &Leaf::field);
    if (other == theirs.end()) {
      found.push_back({leaf.field, leaf.value, ""});
    } else if (other->value != leaf.value) {
      found.push_back({leaf.field, leaf.value, other->value});
    }
  }
  for (const Leaf& leaf : theirs) {
    if (std::ranges::find(mine, leaf.field, &Leaf::field) == mine.end()) {
      found.push_back({leaf.field, "", leaf.value});
    }
  }
  return found;
}

std::string text(const WhyMiss& why) {
  if (!why.nearest) return "the cache holds nothing to compare with";
  if (why.differences.empty()) return fmt::format("{} is there", why.nearest->hex());
  std::string out = fmt::format("the nearest entry is {}; it differs in", why.nearest->hex());
  for (const Difference& d : why.differences) {
    const auto shown = [](const std::string& value) { return value.empty() ? "nothing" : value; };
    out += fmt::format("\n  {}: {} wanted, {} stored", d.field, shown(d.wanted), shown(d.stored));
  }
  return out;
}

}  // namespace parhelion::artifact
