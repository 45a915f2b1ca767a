// SPDX-License-Identifier: Apache-2.0
#include "ir/kernel/module.h"

#include "base/diag.h"

#include <algorithm>
#include <array>

namespace parhelion::ir::kernel {
namespace {

constexpr OpRow rows[] = {
#define PH_KOP(code, text, operands, regions, effect, convergence, targets)            \
  {OpCode::code,    text, operands, regions, Effect::effect, Convergence::convergence, \
   Targets::targets},
#include "ir/kernel/ops.def"
#undef PH_KOP
};

constexpr std::string_view keys[] = {
#define PH_KATTRIBUTE(key) key,
#include "ir/kernel/attributes.def"
#undef PH_KATTRIBUTE
};

constexpr std::string_view functions[] = {
    "ceil",  "erf",     "exp",  "exp2", "exp_nonpositive", "floor", "log", "log2", "rcp",
    "rsqrt", "sigmoid", "sqrt", "tanh",
};
static_assert(std::ranges::is_sorted(functions));

}  // namespace

std::span<const OpRow> op_rows() { return rows; }

const OpRow& row(OpCode code) { return rows[static_cast<std::size_t>(code)]; }

std::optional<OpCode> parse_op(std::string_view text) {
  const auto found = std::ranges::find(rows, text, &OpRow::text);
  if (found == std::end(rows)) return std::nullopt;
  return found->code;
}

std::span<const std::string_view> attribute_keys() { return keys; }

std::span<const std::string_view> math_functions() { return functions; }

const Attribute* Op::find(std::string_view key) const {
  const auto found = std::ranges::find(attributes, key, &Attribute::key);
  return found == attributes.end() ? nullptr : &*found;
}

std::int64_t Op::integer(std::string_view key, std::int64_t fallback) const {
  const Attribute* attribute = find(key);
  if (attribute == nullptr) return fallback;
  const auto* value = std::get_if<std::int64_t>(&attribute->value);
  PH_ASSERT(value != nullptr, "attribute is no integer: " + std::string(key));
  return *value;
}

double Op::number(std::string_view key) const {
  const Attribute* attribute = find(key);
  PH_ASSERT(attribute != nullptr, "attribute is missing: " + std::string(key));
  if (const auto* value = std::get_if<std::int64_t>(&attribute->value)) {
    return static_cast<double>(*value);
  }
  const auto* value = std::get_if<double>(&attribute->value);
  PH_ASSERT(value != nullptr, "attribute is no number: " + std::string(key));
  return *value;
}

std::string_view Op::word(std::string_view key) const {
  const Attribute* attribute = find(key);
  if (attribute == nullptr) return {};
  const auto* value = std::get_if<std::string>(&attribute->value);
  PH_ASSERT(value != nullptr, "attribute is no text: " + std::string(key));
  return *value;
}

const Function* Module::find_function(std::string_view function) const {
  const auto found = std::ranges::find(functions, function, &Function::name);
  return found == functions.end() ? nullptr : &*found;
}

}  // namespace parhelion::ir::kernel
