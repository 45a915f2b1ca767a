// SPDX-License-Identifier: Apache-2.0
// Reading host integer expressions: values, postfix programs, divisors, text.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/diag.h"
#include "ir/tile/sizes.h"

namespace parhelion::ir {

SizeTable::Kind SizeTable::kind(SizeId id) const { return nodes_[id.index()].kind; }

std::optional<std::int64_t> SizeTable::value(SizeId id) const {
  const Node& node = nodes_[id.index()];
  if (node.kind != Kind::Constant) return std::nullopt;
  return node.constant;
}

std::optional<std::size_t> SizeTable::symbol_index(SizeId id) const {
  const Node& node = nodes_[id.index()];
  if (node.kind != Kind::Symbol) return std::nullopt;
  return node.reference;
}

std::optional<BlockId> SizeTable::block_of(SizeId id) const {
  const Node& node = nodes_[id.index()];
  if (node.kind != Kind::Block) return std::nullopt;
  return BlockId(node.reference);
}

std::int64_t SizeTable::evaluate(SizeId id, const std::vector<std::int64_t>& symbols,
                                 const Blocks& blocks) const {
  const Node& node = nodes_[id.index()];
  const auto side = [&](SizeId s) { return evaluate(s, symbols, blocks); };
  switch (node.kind) {
    case Kind::Constant: return node.constant;
    case Kind::Symbol: return symbols.at(node.reference);
    case Kind::Block:
      PH_ASSERT(blocks, "a block size is evaluated without a configuration");
      return blocks(BlockId(node.reference));
    case Kind::Sum: {
      std::uint64_t sum = 0;  // unsigned: absurd sizes wrap, they are refused elsewhere
      for (const auto& [monomial, coefficient] : node.terms) {
        auto product = static_cast<std::uint64_t>(coefficient);
        for (const std::uint32_t atom : monomial) {
          product *= static_cast<std::uint64_t>(side(SizeId(atom)));
        }
        sum += product;
      }
      return static_cast<std::int64_t>(sum);
    }
    case Kind::FloorDiv: return parhelion::floor_div(side(node.left), side(node.right));
    case Kind::Mod: return parhelion::floor_mod(side(node.left), side(node.right));
    case Kind::CeilDiv: return parhelion::ceil_div(side(node.left), side(node.right));
    case Kind::Min: return std::min(side(node.left), side(node.right));
    case Kind::Max: return std::max(side(node.left), side(node.right));
  }
  return 0;
}

namespace {

SizeProgram::Code code_of(SizeTable::Kind kind) {
  switch (kind) {
    case SizeTable::Kind::FloorDiv: return SizeProgram::Code::FloorDiv;
    case SizeTable::Kind::Mod: return SizeProgram::Code::Mod;
    case SizeTable::Kind::CeilDiv: return SizeProgram::Code::CeilDiv;
    case SizeTable::Kind::Min: return SizeProgram::Code::Min;
    default: return SizeProgram::Code::Max;
  }
}

}  // namespace

SizeProgram SizeTable::program(SizeId id, const Blocks& blocks) const {
  const Node& node = nodes_[id.index()];
  if (node.kind == Kind::Constant) return SizeProgram::constant(node.constant);
  if (node.kind == Kind::Symbol) return SizeProgram::symbol(node.reference);
  if (node.kind == Kind::Block) {
    PH_ASSERT(blocks, "a block size is evaluated without a configuration");
    return SizeProgram::constant(blocks(BlockId(node.reference)));
  }
  if (node.kind != Kind::Sum) {
    return SizeProgram::binary(code_of(node.kind), program(node.left, blocks),
                               program(node.right, blocks));
  }
  std::optional<SizeProgram> sum;
  for (const auto& [monomial, coefficient] : node.terms) {
    std::optional<SizeProgram> term;
    if (coefficient != 1 || monomial.empty()) term = SizeProgram::constant(coefficient);
    for (const std::uint32_t atom : monomial) {
      SizeProgram factor = program(SizeId(atom), blocks);
      term = term ? SizeProgram::binary(SizeProgram::Code::Mul, *term, factor) : factor;
    }
    sum = sum ? SizeProgram::binary(SizeProgram::Code::Add, *sum, *term) : *term;
  }
  return *sum;
}

std::string SizeTable::text(SizeId id,
                            const std::function<std::string(BlockId)>& block_name) const {
  return text(
      id, [this](std::size_t s) { return symbols_[s].name; }, block_name);
}

namespace {

std::string product_text(std::int64_t coefficient, const std::vector<std::string>& factors) {
  std::string text;
  if (coefficient != 1 || factors.empty()) text = fmt::format("{}", coefficient);
  for (const std::string& factor : factors) {
    text = text.empty() ? factor : fmt::format("({} * {})", text, factor);
  }
  return text;
}

struct Term {
  std::size_t degree;
  std::string text;  // without its sign
  bool negative;
};

// Positive terms first, high degrees first: the text does not depend on the order of creation.
std::string sum_text(std::vector<Term> terms) {
  std::ranges::sort(terms, [](const Term& a, const Term& b) {
    if (a.negative != b.negative) return b.negative;
    if (a.degree != b.degree) return a.degree > b.degree;
    return a.text < b.text;
  });
  std::string text = terms[0].negative ? "0" : "";
  for (const Term& term : terms) {
    text = text.empty() ? term.text
                        : fmt::format("({} {} {})", text, term.negative ? '-' : '+', term.text);
  }
  return text;
}

}  // namespace

std::string SizeTable::text(SizeId id, const std::function<std::string(std::size_t)>& symbol_name,
                            const std::function<std::string(BlockId)>& block_name) const {
  const Node& node = nodes_[id.index()];
  const auto side = [&](SizeId s) { return text(s, symbol_name, block_name); };
  const auto call = [&](std::string_view name) {
    return fmt::format("{}({}, {})", name, side(node.left), side(node.right));
  };
  const auto unordered = [&](std::string_view name) {
    std::string a = side(node.left), b = side(node.right);
    if (b < a) std::swap(a, b);
    return fmt::format("{}({}, {})", name, a, b);
  };
  switch (node.kind) {
    case Kind::Constant: return fmt::format("{}", node.constant);
    case Kind::Symbol: return symbol_name(node.reference);
    case Kind::Block: return fmt::format("block({})", block_name(BlockId(node.reference)));
    case Kind::FloorDiv: return fmt::format("({} / {})", side(node.left), side(node.right));
    case Kind::Mod: return fmt::format("({} % {})", side(node.left), side(node.right));
    case Kind::CeilDiv: return call("cdiv");
    case Kind::Min: return unordered("min");
    case Kind::Max: return unordered("max");
    case Kind::Sum: break;
  }
  std::vector<Term> terms;
  for (const auto& [monomial, coefficient] : node.terms) {
    std::vector<std::string> factors;
    for (const std::uint32_t atom : monomial) factors.push_back(side(SizeId(atom)));
    std::ranges::sort(factors);
    const bool negative = coefficient < 0;
    terms.push_back(
        {monomial.size(), product_text(negative ? -coefficient : coefficient, factors), negative});
  }
  return sum_text(std::move(terms));
}

std::int64_t SizeTable::divisor(SizeId id, const Blocks& blocks) const {
  const Node& node = nodes_[id.index()];
  const auto both = [&] {
    return std::gcd(divisor(node.left, blocks), divisor(node.right, blocks));
  };
  switch (node.kind) {
    case Kind::Constant: return node.constant < 0 ? -node.constant : node.constant;
    case Kind::Block: return blocks ? blocks(BlockId(node.reference)) : 1;
    case Kind::Symbol:
    case Kind::FloorDiv:
    case Kind::CeilDiv: return 1;
    case Kind::Mod:
    case Kind::Min:
    case Kind::Max: return both();
    case Kind::Sum: break;
  }
  std::int64_t common = 0;
  for (const auto& [monomial, coefficient] : node.terms) {
    std::int64_t term = coefficient < 0 ? -coefficient : coefficient;
    for (const std::uint32_t atom : monomial) term *= divisor(SizeId(atom), blocks);
    common = std::gcd(common, term);
  }
  return common;
}

bool SizeTable::any_block(SizeId id, std::optional<BlockId> block) const {
  const Node& node = nodes_[id.index()];
  if (node.kind == Kind::Block) return !block || block->value == node.reference;
  if (node.kind == Kind::Constant || node.kind == Kind::Symbol) return false;
  if (node.kind != Kind::Sum) return any_block(node.left, block) || any_block(node.right, block);
  return std::ranges::any_of(node.terms, [&](const auto& term) {
    return std::ranges::any_of(term.first,
                               [&](std::uint32_t atom) { return any_block(SizeId(atom), block); });
  });
}

bool SizeTable::has_block(SizeId id) const { return any_block(id, std::nullopt); }
bool SizeTable::has_block(SizeId id, BlockId block) const { return any_block(id, block); }

}  // namespace parhelion::ir
