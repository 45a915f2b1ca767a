// SPDX-License-Identifier: Apache-2.0
// The part of the builder that opens and closes regions.
#include "ir/kernel/module.h"

#include "base/diag.h"

#include <ranges>
#include <utility>

namespace parhelion::ir::kernel {

RegionId Builder::add_region(const std::vector<std::pair<Type, std::string>>& arguments,
                             OpId owner) {
  Region region;
  for (const auto& [type, name] : arguments) {
    region.arguments.push_back(add_value(type, name, owner));
  }
  const RegionId id(module_.regions.size());
  module_.regions.push_back(std::move(region));
  if (owner.valid()) module_.op(owner).regions.push_back(id);
  return id;
}

OpId Builder::open(OpCode code, std::vector<ValueId> operands, const std::vector<Type>& results,
                   const std::vector<std::pair<Type, std::string>>& arguments,
                   std::vector<Attribute> attributes) {
  const OpId id = op(code, std::move(operands), results, std::move(attributes));
  open_.push_back({id, add_region(arguments, id)});
  return id;
}

OpId Builder::open_for(ValueId begin, ValueId end, ValueId step, const std::vector<ValueId>& carry,
                       std::string name) {
  std::vector<ValueId> operands{begin, end, step};
  std::vector<Type> types;
  std::vector<std::pair<Type, std::string>> arguments{{module_.type(begin), name}};
  for (const ValueId value : carry) {
    operands.push_back(value);
    types.push_back(module_.type(value));
    arguments.emplace_back(module_.type(value), module_.value(value).name);
  }
  return open(OpCode::For, std::move(operands), types, arguments);
}

OpId Builder::open_each(std::int64_t count, std::string name) {
  return open(OpCode::Each, {}, {}, {{Type{}, std::move(name)}}, {{"count", count}});
}

OpId Builder::open_if(ValueId condition, const std::vector<Type>& results) {
  const OpId id = open(OpCode::If, {condition}, results);
  return id;
}

OpId Builder::open_while(const std::vector<ValueId>& carry) {
  std::vector<Type> types;
  std::vector<std::pair<Type, std::string>> arguments;
  for (const ValueId value : carry) {
    types.push_back(module_.type(value));
    arguments.emplace_back(module_.type(value), module_.value(value).name);
  }
  return open(OpCode::While, carry, types, arguments);
}

void Builder::end_region(OpCode terminator, const std::vector<ValueId>& operands) {
  PH_ASSERT(!open_.empty(), "no region is open");
  op(terminator, operands, {});
}

void Builder::condition(ValueId go_on) {
  end_region(OpCode::Condition, {go_on});
  Open& top = open_.back();
  PH_ASSERT(module_.op(top.op).code == OpCode::While, "condition() outside of open_while()");
  std::vector<std::pair<Type, std::string>> arguments;
  for (const ValueId value : module_.region(top.region).arguments) {
    arguments.emplace_back(module_.type(value), module_.value(value).name);
  }
  top = {top.op, add_region(arguments, top.op), top.index + 1};
}

void Builder::otherwise(const std::vector<ValueId>& yielded) {
  end_region(OpCode::Yield, yielded);
  Open& top = open_.back();
  top = {top.op, add_region({}, top.op), top.index + 1};
}

std::vector<ValueId> Builder::close(const std::vector<ValueId>& yielded) {
  PH_ASSERT(!open_.empty(), "close() without open");
  if (!open_.back().op.valid()) {
    PH_ASSERT(yielded.empty(), "a function yields nothing");
    open_.pop_back();
    return {};
  }
  end_region(OpCode::Yield, yielded);
  const OpId closed = open_.back().op;
  // An `if` without otherwise() has an empty second region.
  if (module_.op(closed).code == OpCode::If && open_.back().index == 0) {
    PH_ASSERT(yielded.empty(), "an if with results needs otherwise()");
    otherwise_region();
  }
  open_.pop_back();
  return module_.op(closed).results;
}

void Builder::otherwise_region() {
  Open& top = open_.back();
  top = {top.op, add_region({}, top.op), top.index + 1};
  end_region(OpCode::Yield, {});
}

const Op& Builder::innermost(bool with_carry) const {
  for (const Open& open : open_ | std::views::reverse) {
    if (!open.op.valid()) break;
    const Op& op = module_.op(open.op);
    const bool loop =
        op.code == OpCode::For || op.code == (with_carry ? OpCode::While : OpCode::Each);
    if (loop) return op;
  }
  PH_ASSERT(false, "no loop is open");
  std::unreachable();
}

ValueId Builder::loop_index() const {
  return module_.region(innermost(false).regions[0]).arguments[0];
}

ValueId Builder::carried(std::size_t i) const {
  const Op& loop = innermost(true);
  const std::size_t first = loop.code == OpCode::For ? 1 : 0;
  return module_.region(loop.regions.back()).arguments[first + i];
}

Function& Builder::open_function(std::string name, bool entry,
                                 const std::vector<std::pair<Type, std::string>>& parameters) {
  PH_ASSERT(open_.empty(), "functions do not nest");
  Function function;
  function.name = std::move(name);
  function.entry = entry;
  for (const auto& [type, label] : parameters) {
    function.parameters.push_back(add_value(type, label));
  }
  function.body = add_region({}, {});
  open_.push_back({OpId{}, function.body});
  module_.functions.push_back(std::move(function));
  return module_.functions.back();
}

}  // namespace parhelion::ir::kernel
