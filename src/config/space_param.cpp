// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"
#include "config/search_space.h"

#include <algorithm>

namespace parhelion::config {

namespace {

// Permutations are numbered by their Lehmer code: digit i counts the smaller items behind place i.
std::vector<std::int64_t> unrank(int count, Choice rank) {
  std::vector<std::int64_t> digits(static_cast<std::size_t>(count));
  for (int i = count; i-- > 0;) {
    digits[static_cast<std::size_t>(i)] = rank % (count - i);
    rank /= count - i;
  }
  std::vector<std::int64_t> free, order;
  for (int i = 0; i < count; ++i) free.push_back(i);
  for (const std::int64_t digit : digits) {
    order.push_back(free[static_cast<std::size_t>(digit)]);
    free.erase(free.begin() + digit);
  }
  return order;
}

std::optional<Choice> rank_of(int count, const std::vector<std::int64_t>& order) {
  if (order.size() != static_cast<std::size_t>(count)) return std::nullopt;
  std::vector<std::int64_t> sorted = order;
  std::ranges::sort(sorted);
  Choice rank = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (sorted[i] != static_cast<std::int64_t>(i)) return std::nullopt;
    const auto smaller = std::count_if(order.begin() + static_cast<std::ptrdiff_t>(i), order.end(),
                                       [&](std::int64_t v) { return v < order[i]; });
    rank = rank * static_cast<Choice>(order.size() - i) + static_cast<Choice>(smaller);
  }
  return rank;
}

Param with_fallback(Param param, const Value& fallback) {
  const auto choice = param.choice_of(fallback);
  PH_ASSERT(choice.has_value(), param.name + ": the fallback is outside of the domain");
  param.fallback = *choice;
  return param;
}

}  // namespace

std::int64_t Param::size() const {
  switch (kind) {
    case ParamKind::Bool: return 2;
    case ParamKind::Integer: return (high - low) / step + 1;
    case ParamKind::Pow2: {
      std::int64_t n = 1;
      for (std::int64_t v = low; v * 2 <= high; v *= 2) ++n;
      return n;
    }
    case ParamKind::Ordinal:
    case ParamKind::Categorical: return static_cast<std::int64_t>(values.size());
    case ParamKind::Permutation: {
      std::int64_t n = 1;
      for (int i = 2; i <= count; ++i) n *= i;
      return n;
    }
  }
  return 0;
}

Value Param::value(Choice choice) const {
  switch (kind) {
    case ParamKind::Bool: return std::string(choice != 0 ? "on" : "off");
    case ParamKind::Integer: return low + choice * step;
    case ParamKind::Pow2: return low << choice;
    case ParamKind::Ordinal:
    case ParamKind::Categorical: return values[static_cast<std::size_t>(choice)];
    case ParamKind::Permutation: return unrank(count, choice);
  }
  return std::int64_t{0};
}

std::optional<Choice> Param::choice_of(const Value& value) const {
  if (kind == ParamKind::Permutation) {
    const auto* order = std::get_if<std::vector<std::int64_t>>(&value);
    return order == nullptr ? std::nullopt : rank_of(count, *order);
  }
  if (kind == ParamKind::Integer) {
    const auto* v = std::get_if<std::int64_t>(&value);
    if (v == nullptr || *v < low || *v > high || (*v - low) % step != 0) return std::nullopt;
    return static_cast<Choice>((*v - low) / step);
  }
  for (Choice i = 0; i < size(); ++i) {
    if (this->value(i) == value) return i;
  }
  return std::nullopt;
}

bool Param::ordered() const {
  return kind == ParamKind::Integer || kind == ParamKind::Pow2 || kind == ParamKind::Ordinal;
}

Param bool_param(std::string name, bool fallback) {
  return {.name = std::move(name), .kind = ParamKind::Bool, .fallback = fallback ? 1 : 0};
}

Param integer_param(std::string name, std::int64_t low, std::int64_t high, std::int64_t step,
                    std::int64_t fallback) {
  PH_ASSERT(step > 0 && low <= high, name + ": an empty range");
  return with_fallback(
      {.name = std::move(name), .kind = ParamKind::Integer, .low = low, .high = high, .step = step},
      fallback);
}

Param pow2_param(std::string name, std::int64_t low, std::int64_t high, std::int64_t fallback) {
  PH_ASSERT(low > 0 && low <= high, name + ": an empty range");
  return with_fallback({.name = std::move(name), .kind = ParamKind::Pow2, .low = low, .high = high},
                       fallback);
}

Param ordinal_param(std::string name, std::vector<Value> values, Value fallback) {
  return with_fallback(
      {.name = std::move(name), .kind = ParamKind::Ordinal, .values = std::move(values)}, fallback);
}

Param categorical_param(std::string name, std::vector<Value> values, Value fallback) {
  return with_fallback(
      {.name = std::move(name), .kind = ParamKind::Categorical, .values = std::move(values)},
      fallback);
}

Param permutation_param(std::string name, int count) {
  PH_ASSERT(count >= 1 && count <= 12, name + ": a permutation of 1 to 12 items");
  return {.name = std::move(name), .kind = ParamKind::Permutation, .count = count};
}

}  // namespace parhelion::config
