// SPDX-License-Identifier: Apache-2.0
// Statements with regions: loops, while, if; and what defines and reads values.
#include "base/diag.h"
#include "ir/tile/parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::ir {

namespace {

constexpr int max_nesting = 100;

}  // namespace

void Parser::define(const Target& target, ValueId value) {
  if (values_.find(target.name)) {
    in_.fail(5001, fmt::format("'%{}' is defined twice", target.name), target.where);
  }
  const bool numbered =
      std::ranges::all_of(target.name, [](char c) { return c >= '0' && c <= '9'; });
  if (!numbered) f_.value(value).name = target.name;
  values_.entries.emplace_back(target.name, value);
}

std::vector<Parser::Target> Parser::targets() {
  std::vector<Target> result;
  do {
    const Place where = in_.place();
    in_.expect("%");
    result.push_back({in_.name_behind_sigil(), where});
  } while (in_.accept(","));
  return result;
}

ValueId Parser::value() {
  const Place where = in_.place();
  in_.expect("%");
  const std::string name = in_.name_behind_sigil();
  const auto known = values_.find(name);
  if (!known) in_.unknown("value", "%" + name, values_.names("%"), where);
  return *known;
}

std::vector<ValueId> Parser::values() {
  std::vector<ValueId> result;
  do {
    result.push_back(value());
  } while (in_.accept(","));
  return result;
}

/// `#line:col` of the user's file, or of file `f` as `#f:line:col`; else the line of this text.
void Parser::location_of(OpId op, Place where) {
  places_[op] = where;
  f_.op(op).where = location(where);
}

std::vector<TileType> Parser::infer_checked(OpId op) {
  auto types = infer(f_, f_.op(op));
  if (types) return std::move(*types);
  blame(types.error(), op);
  throw ParseFailure{types.error()};
}

void Parser::statement(RegionId region) {
  const Place where = in_.place();
  if (in_.accept("store")) return store(region, where);
  if (in_.accept("yield")) return terminator(region, OpCode::Yield, where);
  if (in_.accept("condition")) return terminator(region, OpCode::Condition, where);
  std::vector<Target> results;
  if (in_.at("%")) {
    results = targets();
    in_.expect("=");
  }
  const Place at = in_.place();
  if (in_.accept("for")) return loop(region, OpCode::For, results, at);
  if (in_.accept("while")) return while_loop(region, results, at);
  if (in_.accept("if")) return branch(region, results, at);
  if (in_.at("grid")) in_.fail(5001, "a grid inside a loop", at, "write for");
  plain(region, results, at);
}

void Parser::terminator(RegionId region, OpCode code, Place where) {
  Op op;
  op.code = code;
  if (in_.at("%")) op.operands = values();
  const OpId id = f_.append(region, std::move(op), {});
  location_of(id, where);
  (void)infer_checked(id);
}

/// Statements up to the closing brace. What ends a region is there afterwards, even if it yields
/// nothing.
void Parser::body(RegionId region, OpCode last) {
  if (++depth_ > max_nesting) in_.fail(5001, "regions are nested too deeply", in_.place());
  const std::size_t outer_values = values_.entries.size();
  bool done = false;
  while (!in_.at("}")) {
    if (done) in_.expected("'}' behind the end of the region");
    statement(region);
    const OpCode code = f_.op(f_.region(region).ops.back()).code;
    done = code == OpCode::Yield || code == OpCode::Condition;
    if (done && code != last) in_.fail(5001, "the region ends in the wrong way", in_.place());
  }
  if (!done && last == OpCode::Condition) in_.expected("'condition'");
  if (!done) {
    Op op;
    op.code = OpCode::Yield;
    const OpId id = f_.append(region, std::move(op), {});
    location_of(id, in_.place());
  }
  in_.expect("}");
  values_.entries.resize(outer_values);
  --depth_;
}

Bound Parser::bound(std::vector<ValueId>& operands) {
  Bound b;
  if (in_.at("%")) {
    b.operand = static_cast<std::int32_t>(operands.size());
    operands.push_back(value());
  } else {
    b.size = size();
  }
  return b;
}

BlockId Parser::loop_block(const std::string& axis) {
  std::optional<std::int64_t> fixed;
  if (in_.accept("by")) {
    const Place where = in_.place();
    if (!in_.at_digit()) {
      const std::string name = in_.identifier("a block");
      const auto known = blocks_.find(name);
      if (!known) in_.unknown("block", name, blocks_.names(""), where);
      return *known;
    }
    fixed = in_.integer();
    if (*fixed < 1) in_.fail(4006, "a block of 0 lanes", where, "a block has 1 lane or more");
  }
  const BlockId id(f_.blocks.size());
  f_.blocks.push_back({axis, fixed, 1, 0});
  blocks_.entries.emplace_back(axis, id);
  return id;
}

LoopDim Parser::loop_dim(OpId loop, std::uint32_t dimension, std::vector<ValueId>& operands) {
  Axis axis;
  axis.kind = AxisKind::Tile;
  axis.loop = loop;
  axis.dimension = dimension;
  const Place where = in_.place();
  axis.name = in_.identifier("an axis");
  if (is_reserved(axis.name) || axes_.find(axis.name)) {
    in_.fail(5001, fmt::format("'{}' cannot name an axis here", axis.name), where);
  }
  in_.expect("in");
  LoopDim dim;
  dim.end = bound(operands);
  if (in_.accept("..")) {
    dim.begin = dim.end;
    dim.end = bound(operands);
  } else {
    dim.begin.size = f_.sizes.constant(0);
  }
  dim.block = loop_block(axis.name);
  axis.extent = f_.sizes.block(dim.block);
  const std::string name = axis.name;
  dim.axis = f_.add_axis(std::move(axis));
  axes_.entries.emplace_back(name, dim.axis);
  return dim;
}

std::vector<Parser::Target> Parser::carry(std::vector<ValueId>& operands) {
  std::vector<Target> names;
  if (!in_.accept("carry")) return names;
  in_.expect("(");
  do {
    const Place where = in_.place();
    in_.expect("%");
    names.push_back({in_.name_behind_sigil(), where});
    in_.expect("=");
    operands.push_back(value());
  } while (in_.accept(","));
  in_.expect(")");
  return names;
}

RegionId Parser::carried_region(const std::vector<Target>& names,
                                const std::vector<ValueId>& entries) {
  const RegionId region = f_.add_region();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const ValueId v = f_.add_value(f_.type(entries[i]));
    f_.region(region).arguments.push_back(v);
    define(names[i], v);
  }
  return region;
}

void Parser::define_results(OpId op, const std::vector<Target>& results,
                            const std::vector<TileType>& types) {
  if (results.size() != types.size()) {
    in_.fail(5001, fmt::format("{} results are named, there are {}", results.size(), types.size()),
             places_.at(op));
  }
  for (std::size_t i = 0; i < types.size(); ++i) {
    const ValueId v = f_.add_value(types[i], {}, op);
    f_.op(op).results.push_back(v);
    define(results[i], v);
  }
}

void Parser::loop(RegionId region, OpCode code, const std::vector<Target>& results, Place where) {
  Op empty;
  empty.code = code;
  const OpId id = f_.append(region, std::move(empty), {});
  const std::size_t outer_axes = axes_.entries.size(), outer_values = values_.entries.size();
  LoopAttr attr;
  std::vector<ValueId> operands;
  do {
    const auto dimension = static_cast<std::uint32_t>(attr.dims.size());
    attr.dims.push_back(loop_dim(id, dimension, operands));
  } while (in_.accept(","));
  const std::size_t bounds = operands.size();
  const std::vector<Target> carried = carry(operands);
  in_.expect("{");
  f_.op(id).operands = operands;
  f_.op(id).payload = std::move(attr);
  location_of(id, where);
  (void)infer_checked(id);
  const RegionId inner = carried_region(
      carried, std::vector<ValueId>(operands.begin() + static_cast<std::ptrdiff_t>(bounds),
                                    operands.end()));
  body(inner, OpCode::Yield);
  f_.op(id).regions = {inner};
  axes_.entries.resize(outer_axes);
  values_.entries.resize(outer_values);
  define_results(id, results, infer_checked(id));
}

void Parser::while_loop(RegionId region, const std::vector<Target>& results, Place where) {
  Op op;
  op.code = OpCode::While;
  const std::size_t outer_values = values_.entries.size();
  const std::vector<Target> carried = carry(op.operands);
  const std::vector<ValueId> entries = op.operands;
  in_.expect("{");
  const OpId id = f_.append(region, std::move(op), {});
  location_of(id, where);
  const RegionId condition = carried_region(carried, entries);
  body(condition, OpCode::Condition);
  values_.entries.resize(outer_values);
  in_.expect("do");
  in_.expect("{");
  const RegionId inner = carried_region(carried, entries);
  body(inner, OpCode::Yield);
  f_.op(id).regions = {condition, inner};
  values_.entries.resize(outer_values);
  define_results(id, results, infer_checked(id));
}

void Parser::branch(RegionId region, const std::vector<Target>& results, Place where) {
  Op op;
  op.code = OpCode::If;
  op.operands = {value()};
  in_.expect("{");
  const OpId id = f_.append(region, std::move(op), {});
  location_of(id, where);
  (void)infer_checked(id);
  const RegionId then = f_.add_region();
  body(then, OpCode::Yield);
  const RegionId otherwise = f_.add_region();
  if (in_.accept("else")) {
    in_.expect("{");
    body(otherwise, OpCode::Yield);
  } else {
    Op yield;
    yield.code = OpCode::Yield;
    location_of(f_.append(otherwise, std::move(yield), {}), where);
  }
  f_.op(id).regions = {then, otherwise};
  define_results(id, results, infer_checked(id));
}

}  // namespace parhelion::ir
