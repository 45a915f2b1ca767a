// SPDX-License-Identifier: Apache-2.0
#include "ir/kernel/module.h"

#include "base/diag.h"

#include <algorithm>
#include <utility>

namespace parhelion::ir::kernel {
namespace {

/// Names become identifiers of the text.
std::string identifier(std::string name) {
  for (char& c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!word) c = '_';
  }
  if (!name.empty() && name[0] >= '0' && name[0] <= '9') name.insert(name.begin(), 'v');
  return name;
}

Type mask_of(const Type& type) { return Type{.element = DType::Bool, .lanes = type.lanes}; }

}  // namespace

ValueId Builder::add_value(Type type, std::string name, OpId defined_by) {
  const ValueId id(module_.values.size());
  module_.values.push_back({type, identifier(std::move(name)), defined_by});
  return id;
}

OpId Builder::op(OpCode code, std::vector<ValueId> operands, std::vector<Type> results,
                 std::vector<Attribute> attributes) {
  PH_ASSERT(!open_.empty(), "an op outside of a function");
  const OpId id(module_.ops.size());
  Op made{.code = code,
          .operands = std::move(operands),
          .results = {},
          .regions = {},
          .attributes = std::move(attributes),
          .where = where_};
  for (const Type& type : results) made.results.push_back(add_value(type, {}, id));
  module_.ops.push_back(std::move(made));
  module_.region(open_.back().region).ops.push_back(id);
  return id;
}

ValueId Builder::emit_value(OpCode code, std::vector<ValueId> operands, Type type,
                            std::vector<Attribute> attributes) {
  return result(op(code, std::move(operands), {type}, std::move(attributes)));
}

ValueId Builder::result(OpId id, std::size_t index) const { return module_.op(id).results[index]; }

ValueId Builder::parameter(LaunchParameter parameter, Type type) {
  const ValueId value = add_value(type, parameter.name);
  module_.launch.parameters.push_back(std::move(parameter));
  module_.parameter_values.push_back(value);
  return value;
}

ValueId Builder::entry_value(Type type, std::string name) {
  const ValueId value = add_value(type, std::move(name));
  module_.entry_values.push_back(value);
  return value;
}

ValueId Builder::integer(std::int64_t value, DType type) {
  return emit_value(OpCode::Const, {}, {.element = type}, {{"value", value}});
}

ValueId Builder::number(double value, DType type) {
  return emit_value(OpCode::Const, {}, {.element = type}, {{"value", value}});
}

ValueId Builder::constant(std::string name, std::int64_t value, std::string comment, DType type) {
  name = identifier(std::move(name));
  const auto found = std::ranges::find(module_.constants, name, &Constant::name);
  if (found == module_.constants.end()) {
    module_.constants.push_back({name, value, std::move(comment)});
  } else {
    PH_ASSERT(found->value == value, "two values for the constant " + name);
  }
  return emit_value(OpCode::Const, {}, {.element = type}, {{"value", value}, {"constant", name}});
}

ValueId Builder::unary(OpCode code, ValueId a) { return emit_value(code, {a}, module_.type(a)); }

ValueId Builder::binary(OpCode code, ValueId a, ValueId b) {
  if (const auto folded = fold(code, a, b)) return *folded;
  return emit_value(code, {a, b}, module_.type(a));
}

ValueId Builder::compare(OpCode code, ValueId a, ValueId b) {
  return emit_value(code, {a, b}, mask_of(module_.type(a)));
}

ValueId Builder::select(ValueId c, ValueId a, ValueId b) {
  return a == b ? a : emit_value(OpCode::Select, {c, a, b}, module_.type(a));
}

ValueId Builder::fma(ValueId a, ValueId b, ValueId c) {
  return emit_value(OpCode::Fma, {a, b, c}, module_.type(a));
}

ValueId Builder::math(std::string_view function, ValueId a) {
  return emit_value(OpCode::Math, {a}, module_.type(a), {{"function", std::string(function)}});
}

ValueId Builder::convert(ValueId a, DType to) {
  Type type = module_.type(a);
  if (type.element == to) return a;
  type.element = to;
  return emit_value(OpCode::Convert, {a}, type);
}

ValueId Builder::bitcast(ValueId a, Type to) {
  return module_.type(a) == to ? a : emit_value(OpCode::Bitcast, {a}, to);
}

ValueId Builder::offset(ValueId pointer, ValueId elements) {
  const Op* constant = constant_of(elements);
  if (constant != nullptr && constant->integer("value") == 0) return pointer;
  return emit_value(OpCode::Offset, {pointer, elements}, module_.type(pointer));
}

ValueId Builder::splat(ValueId a, int lanes) {
  if (lanes == 1) return a;
  Type type = module_.type(a);
  type.lanes = static_cast<std::uint16_t>(lanes);
  return emit_value(OpCode::Splat, {a}, type);
}

ValueId Builder::load(ValueId pointer, int lanes) {
  Type type = module_.type(pointer);
  type.pointer = Space::None;
  type.lanes = static_cast<std::uint16_t>(lanes);
  return emit_value(OpCode::Load, {pointer}, type);
}

void Builder::store(ValueId pointer, ValueId value) { op(OpCode::Store, {pointer, value}, {}); }

ValueId Builder::var(Type type, std::string name, std::optional<ValueId> initial) {
  std::vector<ValueId> operands;
  if (initial) operands.push_back(*initial);
  return this->name(emit_value(OpCode::Var, std::move(operands), type), std::move(name));
}

ValueId Builder::get(ValueId variable, std::optional<ValueId> index) {
  std::vector<ValueId> operands{variable};
  if (index) operands.push_back(*index);
  return emit_value(OpCode::Get, std::move(operands), element_of(module_.type(variable)));
}

void Builder::set(ValueId variable, ValueId value, std::optional<ValueId> index) {
  std::vector<ValueId> operands{variable, value};
  if (index) operands.push_back(*index);
  op(OpCode::Set, std::move(operands), {});
}

void Builder::label(std::string text) { op(OpCode::Label, {}, {}, {{"text", std::move(text)}}); }

ValueId Builder::name(ValueId value, std::string name) {
  module_.value(value).name = identifier(std::move(name));
  return value;
}

std::vector<ValueId> Builder::call(std::string callee, const std::vector<ValueId>& arguments) {
  const OpId id = op(OpCode::Call, arguments, {}, {{"callee", std::move(callee)}});
  return module_.op(id).results;
}

}  // namespace parhelion::ir::kernel
