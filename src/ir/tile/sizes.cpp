// SPDX-License-Identifier: Apache-2.0
// Construction of host integer expressions in canonical form.
#include "ir/tile/sizes.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::ir {

namespace {

std::string key_of(std::uint32_t a, std::uint32_t b, char kind) {
  return fmt::format("{}{},{}", kind, a, b);
}

// Wraps: a text may hold any numbers, and what a kernel computes stays far below.
std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrapping_mul(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

}  // namespace

SizeId SizeTable::intern(Node node) {
  std::string key;
  switch (node.kind) {
    case Kind::Constant: key = fmt::format("c{}", node.constant); break;
    case Kind::Symbol: key = fmt::format("s{}", node.reference); break;
    case Kind::Block: key = fmt::format("b{}", node.reference); break;
    case Kind::Sum:
      key = "p";
      for (const auto& [monomial, coefficient] : node.terms) {
        key += fmt::format("{}:{};", fmt::join(monomial, "."), coefficient);
      }
      break;
    case Kind::FloorDiv: key = key_of(node.left.value, node.right.value, '/'); break;
    case Kind::Mod: key = key_of(node.left.value, node.right.value, '%'); break;
    case Kind::CeilDiv: key = key_of(node.left.value, node.right.value, '^'); break;
    case Kind::Min: key = key_of(node.left.value, node.right.value, '<'); break;
    case Kind::Max: key = key_of(node.left.value, node.right.value, '>'); break;
  }
  const auto [it, added] = interned_.try_emplace(std::move(key), SizeId(nodes_.size()));
  if (added) nodes_.push_back(std::move(node));
  return it->second;
}

SizeId SizeTable::constant(std::int64_t value) {
  Node node{.kind = Kind::Constant, .constant = value, .left = {}, .right = {}, .terms = {}};
  return intern(std::move(node));
}

SizeId SizeTable::symbol(const SizeSymbol& symbol) {
  Node node{.kind = Kind::Symbol,
            .reference = static_cast<std::uint32_t>(symbols_.size()),
            .left = {},
            .right = {},
            .terms = {}};
  symbols_.push_back(symbol);
  symbol_ids_.push_back(intern(std::move(node)));
  return symbol_ids_.back();
}

SizeId SizeTable::block(BlockId block) {
  Node node{
      .kind = Kind::Block, .reference = block.value, .left = {}, .right = {}, .terms = {}};
  return intern(std::move(node));
}

SizeTable::Polynomial SizeTable::polynomial(SizeId id) const {
  const Node& node = nodes_[id.index()];
  if (node.kind == Kind::Sum) return node.terms;
  if (node.kind == Kind::Constant) {
    return node.constant == 0 ? Polynomial{} : Polynomial{{Monomial{}, node.constant}};
  }
  return {{Monomial{id.value}, 1}};
}

SizeId SizeTable::from_polynomial(Polynomial terms) {
  std::erase_if(terms, [](const auto& term) { return term.second == 0; });
  if (terms.empty()) return constant(0);
  if (terms.size() == 1) {
    const auto& [monomial, coefficient] = *terms.begin();
    if (monomial.empty()) return constant(coefficient);
    if (monomial.size() == 1 && coefficient == 1) return SizeId(monomial[0]);
  }
  Node node{.kind = Kind::Sum, .left = {}, .right = {}, .terms = std::move(terms)};
  return intern(std::move(node));
}

SizeId SizeTable::add(SizeId a, SizeId b) {
  Polynomial sum = polynomial(a);
  for (const auto& [monomial, coefficient] : polynomial(b)) {
    sum[monomial] = wrapping_add(sum[monomial], coefficient);
  }
  return from_polynomial(std::move(sum));
}

SizeId SizeTable::sub(SizeId a, SizeId b) {
  Polynomial sum = polynomial(a);
  for (const auto& [monomial, coefficient] : polynomial(b)) {
    sum[monomial] = wrapping_add(sum[monomial], wrapping_mul(-1, coefficient));
  }
  return from_polynomial(std::move(sum));
}

SizeId SizeTable::mul(SizeId a, SizeId b) {
  const Polynomial x = polynomial(a), y = polynomial(b);
  Polynomial product;
  for (const auto& [m, c] : x) {
    for (const auto& [n, d] : y) {
      Monomial both;
      std::ranges::merge(m, n, std::back_inserter(both));
      product[both] = wrapping_add(product[both], wrapping_mul(c, d));
    }
  }
  return from_polynomial(std::move(product));
}

SizeId SizeTable::binary(Kind kind, SizeId a, SizeId b) {
  Node node{.kind = kind, .left = a, .right = b, .terms = {}};
  return intern(std::move(node));
}

// A constant divisor takes out every term that it divides, so (64 n + 3) // 64 is n.
SizeTable::Split SizeTable::split_by(SizeId a, std::int64_t divisor) {
  Polynomial whole, rest;
  for (const auto& [monomial, coefficient] : polynomial(a)) {
    const std::int64_t part = parhelion::floor_div(coefficient, divisor);
    if (monomial.empty()) {
      whole[monomial] = part;
      rest[monomial] = coefficient - part * divisor;
    } else if (part * divisor == coefficient) {
      whole[monomial] = part;
    } else {
      rest[monomial] = coefficient;
    }
  }
  return {from_polynomial(std::move(whole)), from_polynomial(std::move(rest))};
}

SizeId SizeTable::floor_div(SizeId a, SizeId b) {
  const auto x = value(a), y = value(b);
  if (x && y) return constant(parhelion::floor_div(*x, *y));
  if ((x && *x == 0) || (y && *y == 0)) return constant(0);
  if (!y || *y < 0) return binary(Kind::FloorDiv, a, b);
  const Split parts = split_by(a, *y);
  const auto rest = value(parts.rest);
  if (rest) return add(parts.whole, constant(parhelion::floor_div(*rest, *y)));
  return add(parts.whole, binary(Kind::FloorDiv, parts.rest, b));
}

SizeId SizeTable::mod(SizeId a, SizeId b) {
  const auto x = value(a), y = value(b);
  if (x && y) return constant(parhelion::floor_mod(*x, *y));
  if ((x && *x == 0) || (y && (*y == 0 || *y == 1))) return constant(0);
  if (!y || *y < 0) return binary(Kind::Mod, a, b);
  const SizeId rest = split_by(a, *y).rest;
  if (const auto r = value(rest)) return constant(parhelion::floor_mod(*r, *y));
  return binary(Kind::Mod, rest, b);
}

SizeId SizeTable::ceil_div(SizeId a, SizeId b) {
  const auto x = value(a), y = value(b);
  if (x && y) return constant(parhelion::ceil_div(*x, *y));
  if ((x && *x == 0) || (y && *y == 0)) return constant(0);
  if (!y || *y < 0) return binary(Kind::CeilDiv, a, b);
  const Split parts = split_by(a, *y);
  const auto rest = value(parts.rest);
  if (rest) return add(parts.whole, constant(parhelion::ceil_div(*rest, *y)));
  return add(parts.whole, binary(Kind::CeilDiv, parts.rest, b));
}

SizeId SizeTable::min(SizeId a, SizeId b) {
  if (const auto d = value(sub(a, b))) return *d <= 0 ? a : b;
  return binary(Kind::Min, std::min(a, b), std::max(a, b));
}

SizeId SizeTable::max(SizeId a, SizeId b) {
  if (const auto d = value(sub(a, b))) return *d >= 0 ? a : b;
  return binary(Kind::Max, std::min(a, b), std::max(a, b));
}

std::optional<SizeId> SizeTable::divide_exact(SizeId a, SizeId b) {
  const Polynomial divisor = polynomial(b);
  if (divisor.size() != 1) return std::nullopt;
  const auto& [monomial, coefficient] = *divisor.begin();
  Polynomial quotient;
  for (const auto& [m, c] : polynomial(a)) {
    if (c % coefficient != 0 || !std::ranges::includes(m, monomial)) return std::nullopt;
    Monomial rest;
    std::ranges::set_difference(m, monomial, std::back_inserter(rest));
    quotient[rest] = c / coefficient;
  }
  return from_polynomial(std::move(quotient));
}

}  // namespace parhelion::ir
