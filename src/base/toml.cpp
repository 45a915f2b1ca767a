// SPDX-License-Identifier: Apache-2.0
// The only file that sees toml++.
#include "base/diag.h"
#include "base/json.h"

#include <fmt/format.h>
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>

namespace parhelion {

namespace {

struct DateFound {
  toml::source_position where;
};

Json from_node(const toml::node& node) {
  if (const auto* t = node.as_table()) {
    // toml++ sorts keys; the order of the file is that of their positions.
    std::vector<std::pair<std::string, const toml::node*>> members;
    for (const auto& [key, value] : *t) members.emplace_back(std::string(key.str()), &value);
    std::ranges::stable_sort(members, [](const auto& a, const auto& b) {
      const auto &x = a.second->source().begin, &y = b.second->source().begin;
      return x.line != y.line ? x.line < y.line : x.column < y.column;
    });
    Json::Object o;
    for (const auto& [key, value] : members) o.emplace_back(key, from_node(*value));
    return o;
  }
  if (const auto* a = node.as_array()) {
    Json::Array list;
    for (const auto& item : *a) list.push_back(from_node(item));
    return list;
  }
  if (const auto* s = node.as_string()) return s->get();
  if (const auto* i = node.as_integer()) return i->get();
  if (const auto* d = node.as_floating_point()) return d->get();
  if (const auto* b = node.as_boolean()) return b->get();
  throw DateFound{node.source().begin};
}

}  // namespace

Result<Json> parse_toml(std::string_view text, std::string_view file) {
  const auto place = [&](const toml::source_position& at) {
    return Place{std::string(file), static_cast<int>(at.line), static_cast<int>(at.column)};
  };
  try {
    return from_node(toml::parse(text));
  } catch (const toml::parse_error& e) {
    return fail(8006, fmt::format("not TOML: {}", e.description()), place(e.source().begin),
                "correct the text at this place");
  } catch (const DateFound& e) {
    return fail(8006, "dates and times mean nothing here", place(e.where), "write a string");
  }
}

}  // namespace parhelion
