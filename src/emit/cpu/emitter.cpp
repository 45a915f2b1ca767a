// SPDX-License-Identifier: Apache-2.0
#include "emit/cpu/emitter.h"

#include "base/diag.h"
#include "base/half.h"
#include "emit/cpu/prelude.h"

#include <algorithm>
#include <array>
#include <utility>

namespace parhelion::emit::cpu {
namespace {

using ir::kernel::Space;

class Emitter final : public CFamily {
 public:
  Emitter(const Module& module, Options options)
      : CFamily(module, std::move(options)), prelude_(usual_lanes(module)) {
    for (const std::string& name : Prelude::names()) names().reserve(name);
    names().reserve("args");
    names().reserve("Arguments");
  }

 protected:
  std::string type_text(const Type& type) const override;
  Expression spell(const Op& op, Operands operands) override;
  std::string spell_statement(const Op& op, Operands operands) override;
  std::string literal(double value, DType type) const override;
  void print_prelude(CodeWriter& out) override;
  void print_declarations(CodeWriter& out) override;
  std::string entry_head(const Function& function) override;
  void begin_entry(const Function& function) override;

 private:
  static int usual_lanes(const Module& module);
  Expression piece(std::string_view name, const Type& type, Operands operands);
  Expression spell_vector(const Op& op, Operands operands);
  Expression spell_number(const Op& op, Operands operands);
  Expression spell_convert(const Op& op, Operands operands);
  Expression spell_load(const Op& op, Operands operands);
  Expression spell_mask(const Op& op, Operands operands);
  Expression spell_least(const Op& op, Operands operands);
  Expression spell_splat(const Type& type, const Expression& operand);
  Expression convert_plain(const Expression& value, const Type& from, const Type& to) const;
  std::string iota(const Type& type) const;
  Type type_of(const Op& op, std::size_t operand) const {
    return module().type(op.operands[operand]);
  }

  mutable Prelude prelude_;  // type_text only reports what is in use
};

int Emitter::usual_lanes(const Module& module) {
  int most = 1;
  for (const ir::kernel::Value& value : module.values) {
    most = std::max<int>(most, value.type.lanes);
  }
  return most;
}

std::string Emitter::type_text(const Type& type) const {
  prelude_.need_type(type.element, type.lanes);
  return type_name(type.element, type.lanes);
}

Expression Emitter::piece(std::string_view name, const Type& type, Operands operands) {
  return call(prelude_.need(name, type.element, type.lanes), operands);
}

std::string Emitter::literal(double value, DType type) const {
  if (size_bytes(type) <= 2) return std::to_string(to_bits(value, type));
  return CFamily::literal(value, type);
}

Expression Emitter::spell(const Op& op, Operands operands) {
  switch (op.code) {
    case OpCode::Load: return spell_load(op, operands);
    case OpCode::Convert: return spell_convert(op, operands);
    case OpCode::Eq:
    case OpCode::Ne:
    case OpCode::Lt:
    case OpCode::Le:
    case OpCode::Gt:
    case OpCode::Ge:
    case OpCode::Select: return spell_mask(op, operands);
    case OpCode::MinNan:
    case OpCode::MaxNan:
    case OpCode::MinNumber:
    case OpCode::MaxNumber: return spell_least(op, operands);
    case OpCode::Fma:
    case OpCode::Abs:
    case OpCode::FloorDiv:
    case OpCode::FloorMod:
    case OpCode::Math:
    case OpCode::Bitcast: return spell_number(op, operands);
    case OpCode::Splat:
    case OpCode::Lane:
    case OpCode::Iota:
    case OpCode::LoadFirst:
    case OpCode::Fold:
    case OpCode::WidenEven:
    case OpCode::WidenOdd:
    case OpCode::NarrowPairs: return spell_vector(op, operands);
    default: return CFamily::spell(op, operands);
  }
}

Expression Emitter::spell_load(const Op& op, Operands operands) {
  const Type type = module().type(op.results[0]);
  if (type.lanes == 1) return CFamily::spell(op, operands);
  const bool mask = type.element == DType::Bool;
  Expression loaded = piece(mask ? "load_mask" : "load", type, operands);
  loaded.memory = true;
  return loaded;
}

/// Masks have 32-bit lanes; comparisons and selections of other widths convert.
Expression Emitter::spell_mask(const Op& op, Operands operands) {
  const bool selects = op.code == OpCode::Select;
  const Type compared = type_of(op, selects ? 1 : 0);
  const Type mask{.element = DType::Bool, .lanes = compared.lanes};
  const bool vector = compared.lanes > 1 && (!selects || type_of(op, 0).lanes > 1);
  if (!vector || size_bytes(compared.element) == 4 || compared.element == DType::Bool) {
    return CFamily::spell(op, operands);
  }
  if (!selects) {
    const Expression narrow = CFamily::spell(op, operands);
    const std::string text =
        "__builtin_convertvector(" + narrow.text + ", " + type_text(mask) + ")";
    return made_of(text, Binding::Primary, operands);
  }
  constexpr std::array<DType, 9> integers = {DType::I8,  DType::I8,  DType::I16,
                                             DType::I16, DType::I32, DType::I32,
                                             DType::I32, DType::I32, DType::I64};
  const Type wide{.element = integers[static_cast<std::size_t>(size_bytes(compared.element))],
                  .lanes = compared.lanes};
  std::vector<Expression> parts(operands.begin(), operands.end());
  const std::string text =
      "__builtin_convertvector(" + operands[0].text + ", " + type_text(wide) + ")";
  parts[0] = made_of(text, Binding::Primary, operands.first(1));
  return CFamily::spell(op, parts);
}

Expression Emitter::spell_least(const Op& op, Operands operands) {
  const Type type = module().type(op.results[0]);
  const bool least = op.code == OpCode::MinNan || op.code == OpCode::MinNumber;
  if (is_float(type.element)) {
    const bool nan = op.code == OpCode::MinNan || op.code == OpCode::MaxNan;
    const std::string name = std::string(least ? "min" : "max") + (nan ? "_nan" : "_number");
    return piece(name, type, operands);
  }
  if (type.lanes > 1) return piece(least ? "min_number" : "max_number", type, operands);
  Expression result = piece(least ? "min" : "max", Type{}, operands);
  if (type.element == DType::I64) return result;
  return made_of("(" + type_text(type) + ")" + result.text, Binding::Unary, operands);
}

Expression Emitter::spell_number(const Op& op, Operands operands) {
  const Type type = module().type(op.results[0]);
  switch (op.code) {
    case OpCode::Fma: return piece("fma", type, operands);
    case OpCode::Abs: return piece("abs", type, operands);
    case OpCode::FloorDiv: return piece("floor_div", Type{}, operands);
    case OpCode::FloorMod: return piece("floor_mod", Type{}, operands);
    case OpCode::Math: return piece(op.word("function"), type, operands);
    default: break;
  }
  if (type.pointer == Space::None) {
    const std::string text =
        "__builtin_bit_cast(" + type_text(type) + ", " + operands[0].text + ")";
    return made_of(text, Binding::Primary, operands);
  }
  const std::string constant = read_only(op.results[0]) ? "const " : "";
  const std::string text =
      "(" + constant + type_text(type) + "*)" + within(operands[0], Binding::Unary);
  return made_of(text, Binding::Unary, operands);
}

/// Between numbers that C++ knows; masks count as 0 and 1.
Expression Emitter::convert_plain(const Expression& value, const Type& from, const Type& to) const {
  const std::span<const Expression> one(&value, 1);
  if (from == to) return value;
  if (to.lanes == 1) {
    const std::string text = "(" + type_text(to) + ")" + within(value, Binding::Unary);
    return made_of(text, Binding::Unary, one);
  }
  std::string text = value.text;
  if (from.element == DType::Bool) text = within(value, Binding::Unary) + " & 1";
  if (to.element == DType::Bool) text = within(value, Binding::Sum) + " != 0";
  return made_of("__builtin_convertvector(" + text + ", " + type_text(to) + ")", Binding::Primary,
                 one);
}

/// 16-bit floats are bits here, and convert through f32.
Expression Emitter::spell_convert(const Op& op, Operands operands) {
  const auto half = [](DType t) { return t == DType::F16 || t == DType::BF16; };
  Type from = type_of(op, 0);
  const Type to = module().type(op.results[0]);
  const Type single{.element = DType::F32, .lanes = from.lanes};
  Expression value = operands[0];
  if (half(from.element)) {
    value = piece(std::string(name(from.element)) + "_to_f32", single, {&value, 1});
    from = single;
  }
  if (!half(to.element)) return convert_plain(value, from, to);
  value = convert_plain(value, from, single);
  return piece("f32_to_" + std::string(name(to.element)), single, {&value, 1});
}

std::string Emitter::iota(const Type& type) const {
  std::string text = type_text(type) + "{0";
  for (int i = 1; i < type.lanes; ++i) text += ", " + std::to_string(i);
  return text + "}";
}

/// The C++ type of an integer may be narrower than its IR type (literals, indices of unrolled
/// loops), so the overload is chosen by a cast.
Expression Emitter::spell_splat(const Type& type, const Expression& operand) {
  const bool certain =
      type.element == DType::F32 || type.element == DType::F64 || type.element == DType::Bool;
  if (certain) return piece("splat", type, {&operand, 1});
  const Type scalar{.element = type.element};
  const std::string text = "(" + type_text(scalar) + ")" + within(operand, Binding::Unary);
  const Expression cast = made_of(text, Binding::Unary, {&operand, 1});
  return piece("splat", type, {&cast, 1});
}

Expression Emitter::spell_vector(const Op& op, Operands operands) {
  const Type type = module().type(op.results[0]);
  switch (op.code) {
    case OpCode::Splat: return spell_splat(type, operands[0]);
    case OpCode::Iota: return name_of(iota(type));
    case OpCode::Lane: {
      const std::string index = "[" + std::to_string(op.integer("index")) + "]";
      return made_of(within(operands[0], Binding::Primary) + index, Binding::Primary, operands);
    }
    case OpCode::LoadFirst: {
      Expression loaded = piece("load_first", type, operands);
      loaded.memory = true;
      return loaded;
    }
    case OpCode::Fold:
      return piece("fold_" + std::string(op.word("combine")), type_of(op, 0), operands);
    case OpCode::WidenEven: return piece("widen_even", type, operands);
    case OpCode::WidenOdd: return piece("widen_odd", type, operands);
    default: return piece("narrow_pairs", type_of(op, 0), operands);
  }
}

std::string Emitter::spell_statement(const Op& op, Operands operands) {
  switch (op.code) {
    case OpCode::Store: {
      const Type type = type_of(op, 1);
      if (type.lanes == 1) return CFamily::spell_statement(op, operands);
      return piece(type.element == DType::Bool ? "store_mask" : "store", type, operands).text;
    }
    case OpCode::StoreFirst: return piece("store_first", type_of(op, 2), operands).text;
    case OpCode::StoreNt: return piece("store_nt", type_of(op, 1), operands).text;
    case OpCode::StoreFence: return "__builtin_ia32_sfence()";
    case OpCode::Prefetch: return "__builtin_prefetch(" + operands[0].text + ")";
    default: return CFamily::spell_statement(op, operands);
  }
}

void Emitter::print_prelude(CodeWriter& out) { prelude_.print(out); }

void Emitter::print_declarations(CodeWriter& out) {
  for (const std::string& promise : module().promises) {
    out.line("static_assert(" + promise + ");");
  }
  out.line("");
  out.open("struct Arguments");
  for (std::size_t i = 0; i < module().parameter_values.size(); ++i) {
    const ValueId value = module().parameter_values[i];
    // Every slot has eight bytes; a narrower number lies in the lower ones.
    const Type& type = module().type(value);
    const bool narrow = type.pointer == Space::None && size_bytes(type.element) < 8;
    const std::string slot = narrow ? "alignas(8) " : "";
    out.line(slot + declaration(value, module().value(value).name, false) + ";");
  }
  out.close("};");
}

std::string Emitter::entry_head(const Function& function) {
  constexpr std::array<std::string_view, 3> roles = {"first", "last", "worker"};
  std::vector<std::string> parameters = {"const Arguments* args"};
  const std::vector<bool> used = usage().values_in(function.body);
  const bool reads =
      std::ranges::any_of(module().parameter_values, [&](ValueId id) { return used[id.index()]; });
  if (!reads) parameters[0] = "const Arguments* /*args*/";
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const bool given = i < module().entry_values.size();
    const ValueId value = given ? module().entry_values[i] : ValueId{};
    const std::string type = i < 2 ? type_text(Type{}) : "int";
    if (!given || !used[value.index()]) {
      parameters.push_back(type + " /*" + std::string(roles[i]) + "*/");
      continue;
    }
    const std::string name = fresh_name(value, roles[i]);
    parameters.push_back(type + " " + name);
    Expression bound = name_of(name);
    if (i == 2 && module().type(value).element != DType::I32) {
      bound = made_of("(" + type_text(module().type(value)) + ")" + name, Binding::Unary, {});
    }
    bind(value, bound);
  }
  const auto lines = wrapped("extern \"C\" void " + function.name + "(", parameters, ")", 2);
  std::string text = lines[0];
  for (std::size_t i = 1; i < lines.size(); ++i) text += "\n" + lines[i];
  return text;
}

void Emitter::begin_entry(const Function& function) {
  const std::vector<bool> used = usage().values_in(function.body);
  for (const ValueId value : module().parameter_values) {
    if (!used[value.index()]) continue;
    const std::string name = fresh_name(value, "argument");
    Op nowhere;
    line(nowhere, declaration(value, name, true) + " = args->" + module().value(value).name + ";");
    bind(value, name_of(name));
  }
}

}  // namespace

SourceText print(const ir::kernel::Module& module, Options options) {
  return Emitter(module, std::move(options)).print();
}

std::vector<std::string> required_flags() { return {"-std=c++20", "-ffp-contract=off"}; }

bool is_reserved(const std::string& name) {
  ScopedNames names;
  for (const std::string& word : Prelude::names()) names.reserve(word);
  return names.taken(name);
}

}  // namespace parhelion::emit::cpu
