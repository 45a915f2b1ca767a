// SPDX-License-Identifier: Apache-2.0
// Sizes, dtypes, axes, types.
#include "base/text.h"
#include "ir/tile/parser.h"

#include <fmt/format.h>

namespace parhelion::ir {

namespace {

// Deeper than any text that people or the printer write; keeps the stack from running out.
constexpr int max_depth = 100;

struct Depth {
  int& depth;
  explicit Depth(int& d) : depth(++d) {}
  ~Depth() { --depth; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
};

}  // namespace

SizeId Parser::size_pair(std::string_view function) {
  in_.expect("(");
  const SizeId a = size();
  in_.expect(",");
  const SizeId b = size();
  in_.expect(")");
  if (function == "cdiv") return f_.sizes.ceil_div(a, b);
  return function == "min" ? f_.sizes.min(a, b) : f_.sizes.max(a, b);
}

SizeId Parser::size_in_parentheses() {
  const SizeId a = size();
  if (in_.accept(")")) return a;
  SizeId result;
  if (in_.accept("+")) {
    result = f_.sizes.add(a, size());
  } else if (in_.accept("-")) {
    result = f_.sizes.sub(a, size());
  } else if (in_.accept("*")) {
    result = f_.sizes.mul(a, size());
  } else if (in_.accept("/")) {
    result = f_.sizes.floor_div(a, size());
  } else if (in_.accept("%")) {
    result = f_.sizes.mod(a, size());
  } else {
    in_.expected("one of + - * / % or ')'");
  }
  in_.expect(")");
  return result;
}

SizeId Parser::size() {
  const Depth guard(depth_);
  const Place where = in_.place();
  if (depth_ > max_depth) in_.fail(5001, "sizes are nested too deeply", where);
  if (in_.accept("(")) return size_in_parentheses();
  if (in_.at_digit() || in_.at("-")) return f_.sizes.constant(in_.integer());
  if (in_.accept("$")) {
    const std::string name = "$" + in_.name_behind_sigil();
    const auto known = symbols_.find(name);
    if (!known) in_.unknown("size", name, symbols_.names(""), where);
    return *known;
  }
  for (const std::string_view function : {"cdiv", "min", "max"}) {
    if (in_.accept(function)) return size_pair(function);
  }
  if (in_.accept("block")) {
    in_.expect("(");
    const Place at = in_.place();
    const std::string name = in_.identifier("a block");
    const auto known = blocks_.find(name);
    if (!known) in_.unknown("block", name, blocks_.names(""), at);
    in_.expect(")");
    return f_.sizes.block(*known);
  }
  const std::string name = in_.identifier("a size");
  const auto known = symbols_.find(name);
  if (!known) in_.unknown("size", name, symbols_.names(""), where);
  return *known;
}

std::vector<SizeId> Parser::dims() {
  std::vector<SizeId> sizes;
  in_.expect("[");
  while (!in_.accept("]")) {
    if (!sizes.empty()) in_.expect(",");
    sizes.push_back(size());
  }
  return sizes;
}

Relation Parser::relation() {
  // Longest first: `<=` begins like `<`.
  for (const Relation r : {Relation::Eq, Relation::Ne, Relation::Le, Relation::Ge, Relation::Lt,
                           Relation::Gt}) {
    if (in_.accept(text(r))) return r;
  }
  in_.expected("one of == != < <= > >=");
}

DType Parser::dtype() {
  const Place where = in_.place();
  const std::string word = in_.identifier("a dtype");
  const auto found = parse_dtype(word);
  if (found) return *found;
  std::vector<std::string> all;
  for (int i = 0; i < dtype_count; ++i) all.emplace_back(name(static_cast<DType>(i)));
  in_.unknown("dtype", word, all, where);
}

AxisId Parser::axis() {
  const Place where = in_.place();
  const std::string name = in_.identifier("an axis");
  const auto known = axes_.find(name);
  if (!known) in_.unknown("axis", name, axes_.names(""), where);
  return *known;
}

AxisId Parser::product(AxisId a, AxisId b) {
  const std::vector<AxisId> factors = {a, b};
  for (std::size_t i = 0; i < f_.axes.size(); ++i) {
    if (f_.axes[i].kind == AxisKind::Product && f_.axes[i].factors == factors) return AxisId(i);
  }
  Axis axis;
  axis.kind = AxisKind::Product;
  axis.factors = factors;
  return f_.add_axis(std::move(axis));
}

AxisId Parser::dim() {
  const Depth guard(depth_);
  if (depth_ > max_depth) in_.fail(5001, "axes are nested too deeply", in_.place());
  if (in_.accept(":")) return f_.extent_axis(size());
  if (in_.accept("1")) return unit_axis;
  if (!in_.accept("(")) return axis();
  const AxisId a = dim();
  in_.expect("*");
  const AxisId b = dim();
  in_.expect(")");
  return product(a, b);
}

TileType Parser::type() {
  TileType result{dtype(), {}};
  if (!in_.accept("[")) return result;
  while (!in_.accept("]")) {
    if (!result.axes.empty()) in_.expect(",");
    result.axes.push_back(dim());
  }
  return result;
}

}  // namespace parhelion::ir
