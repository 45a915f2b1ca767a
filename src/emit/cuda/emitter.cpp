// SPDX-License-Identifier: Apache-2.0
#include "emit/cuda/emitter.h"

#include "base/diag.h"
#include "base/half.h"
#include "base/text.h"
#include "emit/cuda/helpers.h"
#include "emit/cuda/prelude_texts.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <utility>

namespace parhelion::emit::cuda {
namespace {

using ir::kernel::Space;

bool is_half(DType t) { return t == DType::F16 || t == DType::BF16; }

/// `x + n`, folded where x is a number.
std::string plus(const std::string& text, int n) {
  if (n == 0) return text;
  if (const auto number = parse_integer(text)) return std::to_string(*number + n);
  return fmt::format("{} + {}", text, n);
}

class Emitter final : public CFamily {
 public:
  Emitter(const Module& module, Options options) : CFamily(module, std::move(options)) {
    for (const Wrapper& w : prelude_wrappers()) names().reserve(w.name);
    for (const char* word :
         {"u16",       "u32",       "u64",      "shared",    "launch_shape", "PH_DEVICE", "min",
          "max",       "uint4",     "float4",   "threadIdx", "blockIdx",     "exp",       "log",
          "floor_div", "floor_mod", "absolute", "erf",       "tanh",         "floor",     "ceil",
          "fma",       "sqrt",      "step",     "exp2",      "log2",         "y0",        "y1",
          "j0",        "j1",        "gamma"}) {
      names().reserve(word);
    }
  }

 protected:
  std::string type_text(const Type& type) const override;
  Expression spell(const Op& op, Operands operands) override;
  std::string spell_statement(const Op& op, Operands operands) override;
  std::string literal(double value, DType type) const override;
  bool custom(const Op& op) override;
  bool may_move(const Op& op) const override {
    // A region of shared memory is declared, never moved.
    return op.code != OpCode::Shared && CFamily::may_move(op);
  }
  std::string unroll_pragma(std::int64_t count) const override {
    return fmt::format("#pragma unroll {}", count);
  }
  void print_prelude(CodeWriter& out) override;
  void print_declarations(CodeWriter& out) override;
  std::string entry_head(const Function& function) override;

 private:
  bool print_fold(const Op& op);
  bool print_matrix(const Op& op);
  Expression spell_number(const Op& op, Operands operands);
  Expression spell_convert(const Op& op, Operands operands);
  Expression spell_math(const Op& op, Operands operands);
  Expression spell_least(const Op& op, Operands operands);
  Expression spell_memory(const Op& op, Operands operands);
  std::string place(const Expression& pointer, const Type& value, bool constant) const;
  std::string access(const Op& op, const Expression& pointer, const Type& value,
                     bool constant) const;
  Type type_of(const Op& op, std::size_t operand) const {
    return module().type(op.operands[operand]);
  }
  const LaunchPhase& phase_of(const Function& function) const;

  Helpers helpers_;
};

std::string Emitter::type_text(const Type& type) const {
  const std::string_view scalar = scalar_type(type.element);
  if (type.lanes == 1) return std::string(scalar);
  const std::string_view stem = type.element == DType::U32 ? "uint" : scalar;
  return fmt::format("{}{}", stem, type.lanes);
}

std::string Emitter::literal(double value, DType type) const {
  if (size_bytes(type) <= 2) return std::to_string(to_bits(value, type));
  if (std::isnan(value) || std::isinf(value)) {
    const char* bits = std::isnan(value) ? "0x7fffffff" : value < 0 ? "0xff800000u" : "0x7f800000";
    const char* function = value < 0 ? "__uint_as_float" : "__int_as_float";
    const std::string text = fmt::format("{}({})", function, bits);
    return type == DType::F64 ? fmt::format("static_cast<double>({})", text) : text;
  }
  return CFamily::literal(value, type);
}

Expression Emitter::spell(const Op& op, Operands operands) {
  switch (op.code) {
    case OpCode::Load:
    case OpCode::LoadIf: return spell_memory(op, operands);
    case OpCode::Convert: return spell_convert(op, operands);
    case OpCode::Math: return spell_math(op, operands);
    case OpCode::MinNan:
    case OpCode::MaxNan:
    case OpCode::MinNumber:
    case OpCode::MaxNumber: return spell_least(op, operands);
    case OpCode::Fma:
    case OpCode::Abs:
    case OpCode::FloorDiv:
    case OpCode::FloorMod:
    case OpCode::Bitcast:
    case OpCode::Element:
    case OpCode::Pack:
    case OpCode::LowHalf:
    case OpCode::HighHalf:
    case OpCode::PackHalves:
    case OpCode::ShuffleXor: return spell_number(op, operands);
    case OpCode::Program: return name_of("static_cast<int>(blockIdx.x)");
    case OpCode::ThreadId: return name_of("static_cast<int>(threadIdx.x)");
    case OpCode::LaneId: return made_of("lane_id()", Binding::Primary, {});
    case OpCode::WarpId: return made_of("warp_id()", Binding::Primary, {});
    case OpCode::BlockUniform: return operands[0];
    case OpCode::SharedAddress: return call("shared_address", operands);
    default: return CFamily::spell(op, operands);
  }
}

Expression Emitter::spell_number(const Op& op, Operands operands) {
  const Type type = module().type(op.results[0]);
  switch (op.code) {
    case OpCode::Fma: return call(type.element == DType::F32 ? "fmaf" : "fma", operands);
    case OpCode::Abs:
      if (type.element == DType::F32) return call("fabsf", operands);
      return call(helpers_.absolute(type.element), operands);
    case OpCode::FloorDiv: return call(helpers_.floor_division(false, type.element), operands);
    case OpCode::FloorMod: return call(helpers_.floor_division(true, type.element), operands);
    case OpCode::Element: {
      const char field = "xyzw"[op.integer("index")];
      return made_of(fmt::format("{}.{}", within(operands[0], Binding::Primary), field),
                     Binding::Primary, operands);
    }
    case OpCode::Pack: {
      std::string list;
      for (const Expression& e : operands) list += (list.empty() ? "" : ", ") + e.text;
      return made_of(fmt::format("{}{{{}}}", type_text(type), list), Binding::Primary, operands);
    }
    case OpCode::LowHalf: return call(fmt::format("low_{}", op.word("dtype")), operands);
    case OpCode::HighHalf: return call(fmt::format("high_{}", op.word("dtype")), operands);
    case OpCode::PackHalves: return call(fmt::format("pack_{}", op.word("dtype")), operands);
    case OpCode::ShuffleXor:
      return made_of(
          fmt::format("__shfl_xor_sync(0xffffffffu, {}, {})", operands[0].text, op.integer("step")),
          Binding::Primary, operands);
    default: break;
  }
  // Bitcast: pointers; 16-bit floats are their bits already.
  if (type.pointer == Space::None) return operands[0];
  const std::string constant = read_only(op.results[0]) ? "const " : "";
  return made_of(
      fmt::format("reinterpret_cast<{}{}*>({})", constant, type_text(type), operands[0].text),
      Binding::Primary, operands);
}

Expression Emitter::spell_convert(const Op& op, Operands operands) {
  const DType from = type_of(op, 0).element, to = module().type(op.results[0]).element;
  if (is_half(from)) {
    Expression wide = call(fmt::format("from_{}", name(from)), operands);
    if (to == DType::F32) return wide;
    return made_of(fmt::format("static_cast<{}>({})", scalar_type(to), wide.text), Binding::Primary,
                   operands);
  }
  if (is_half(to)) {
    if (from == DType::F32) return call(fmt::format("to_{}", name(to)), operands);
    return made_of(fmt::format("to_{}(static_cast<float>({}))", name(to), operands[0].text),
                   Binding::Primary, operands);
  }
  if (is_float(from) && is_integer(to)) return call(helpers_.saturate(from, to), operands);
  return made_of(fmt::format("static_cast<{}>({})", scalar_type(to), operands[0].text),
                 Binding::Primary, operands);
}

Expression Emitter::spell_math(const Op& op, Operands operands) {
  const bool single = module().type(op.results[0]).element == DType::F32;
  const std::string_view function = op.word("function");
  const std::string one = single ? "1.0f" : "1.0", suffix = single ? "f" : "";
  const std::string x = within(operands[0], Binding::Unary);
  if (function == "rcp") {
    return made_of(fmt::format("{} / {}", one, x), Binding::Product, operands);
  }
  if (function == "sigmoid") {
    const std::string negative = prefix("-", operands[0]).text;
    return made_of(fmt::format("{0} / ({0} + exp{1}({2}))", one, suffix, negative),
                   Binding::Product, operands);
  }
  if (function == "rsqrt" && !single) {
    return made_of(fmt::format("1.0 / sqrt({})", operands[0].text), Binding::Product, operands);
  }
  const std::string_view stem = function == "exp_nonpositive" ? "exp" : function;
  return call(fmt::format("{}{}", stem, suffix), operands);
}

Expression Emitter::spell_least(const Op& op, Operands operands) {
  const DType dtype = module().type(op.results[0]).element;
  const bool least = op.code == OpCode::MinNan || op.code == OpCode::MinNumber;
  if (dtype == DType::F64) return call(helpers_.least_f64(least), operands);
  const std::string stem = least ? "min" : "max";
  return call(is_float(dtype) ? stem + "_nan" : stem, operands);
}

/// The pointer of a vector access: its cast names the vector.
std::string Emitter::place(const Expression& pointer, const Type& value, bool constant) const {
  std::string text = pointer.text;
  const std::string cast = "reinterpret_cast<";
  const auto open = text.find(">(");
  if (text.starts_with(cast) && open != std::string::npos && text.ends_with(')')) {
    text = text.substr(open + 2, text.size() - open - 3);
  }
  return fmt::format("reinterpret_cast<{}{}*>({})", constant ? "const " : "", type_text(value),
                     text);
}

std::string Emitter::access(const Op& op, const Expression& pointer, const Type& value,
                            bool constant) const {
  const bool once = op.word("cache") == "once";
  if (value.lanes > 1) {
    const std::string text = place(pointer, value, constant);
    return once ? fmt::format("load_once({})", text) : "*" + text;
  }
  if (once) return fmt::format("load_once({})", pointer.text);
  if (!pointer.base.empty()) return fmt::format("{}[{}]", pointer.base, pointer.index);
  return "*" + within(pointer, Binding::Primary);
}

Expression Emitter::spell_memory(const Op& op, Operands operands) {
  const Type type = module().type(op.results[0]);
  const std::string loaded = access(op, operands[0], type, read_only(op.operands[0]));
  const Binding binding = loaded.starts_with('*') ? Binding::Unary : Binding::Primary;
  Expression result = made_of(loaded, binding, operands);
  if (op.code == OpCode::LoadIf) {
    result = made_of(fmt::format("{} ? {} : {}", within(operands[1], Binding::LogicalOr), loaded,
                                 within(operands[2], Binding::LogicalOr)),
                     Binding::Conditional, operands);
  }
  result.memory = true;
  return result;
}

std::string Emitter::spell_statement(const Op& op, Operands operands) {
  switch (op.code) {
    case OpCode::Store: {
      const Type value = type_of(op, 1);
      const bool once = op.word("cache") == "once";
      if (value.lanes == 1 && !once) return CFamily::spell_statement(op, operands);
      const std::string target =
          value.lanes > 1 ? place(operands[0], value, false) : operands[0].text;
      if (once) return fmt::format("store_once({}, {})", target, operands[1].text);
      return fmt::format("*{} = {}", target, operands[1].text);
    }
    case OpCode::BlockSync: return "__syncthreads()";
    case OpCode::CpAsync:
      return fmt::format("cp_async<{}>({}, {}, {})", op.integer("bytes"), operands[0].text,
                         operands[1].text, operands[2].text);
    case OpCode::CpAsyncCommit: return "cp_async_commit()";
    case OpCode::CpAsyncWait: return fmt::format("cp_async_wait<{}>()", op.integer("pending"));
    default: return CFamily::spell_statement(op, operands);
  }
}

bool Emitter::custom(const Op& op) {
  if (op.code == OpCode::FoldLanes) return print_fold(op);
  if (op.code == OpCode::Ldmatrix || op.code == OpCode::Mma) return print_matrix(op);
  if (op.code != OpCode::Shared) return false;
  const ValueId value = op.results[0];
  if (usage().count(value) == 0) return true;
  const std::string name = fresh_name(value, "tile"), type = type_text(module().type(value));
  if (op.find("offset") != nullptr) {
    const std::int64_t offset = op.integer("offset");
    const std::string from = offset == 0 ? "shared" : fmt::format("shared + {}", offset);
    line(op, fmt::format("{}* const {} = reinterpret_cast<{}*>({});", type, name, type, from));
  } else {
    line(op, fmt::format("__shared__ __align__({}) {} {}[{}];", op.integer("align"), type, name,
                         op.integer("count")));
  }
  bind(value, name_of(name));
  return true;
}

/// `for (int step = 16; step > 0; step /= 2) m = max_nan(m, shuffled m);`
bool Emitter::print_fold(const Op& op) {
  const std::vector<Expression> operands = use_all(op);
  settle(usage().writes(op));
  const Type type = element_of(module().type(op.operands[0]));
  Expression cell = operands[0];
  if (operands.size() > 1) cell.text += "[" + operands[1].text + "]";
  const Expression other = made_of(fmt::format("__shfl_xor_sync(0xffffffffu, {}, step)", cell.text),
                                   Binding::Primary, {});
  const std::string combine(op.word("combine"));
  std::string value;
  if (combine == "add" || combine == "mul") {
    value = infix(combine == "add" ? "+" : "*", combine == "add" ? Binding::Sum : Binding::Product,
                  cell, other)
                .text;
  } else {
    const Expression both[] = {cell, other};
    const bool least = combine.starts_with("min");
    const std::string stem = least ? "min" : "max";
    const std::string function = type.element == DType::F64 ? helpers_.least_f64(least)
                                 : is_float(type.element)   ? stem + "_nan"
                                                            : stem;
    value = call(function, both).text;
  }
  const std::int64_t first = op.integer("step"), last = op.integer("last");
  pragma(unroll_pragma(std::bit_width(static_cast<unsigned>(first / last))));
  open(op, fmt::format("for (int step = {}; step > {}; step /= 2)", first, last / 2));
  line(op, fmt::format("{} = {};", cell.text, value));
  close();
  return true;
}

/// Fragments go by reference, register by register.
bool Emitter::print_matrix(const Op& op) {
  const std::vector<Expression> operands = use_all(op);
  settle(usage().writes(op));
  std::vector<std::string> parts;
  const auto elements = [&](const Expression& array, const Expression& first, int n) {
    for (int i = 0; i < n; ++i)
      parts.push_back(fmt::format("{}[{}]", array.text, plus(first.text, i)));
  };
  std::string function;
  if (op.code == OpCode::Ldmatrix) {
    function = op.integer("trans") != 0 ? "load_matrix_x4_trans(" : "load_matrix_x4(";
    elements(operands[0], operands[1], 4);
    parts.push_back(operands[2].text);
  } else {
    function = fmt::format("mma_m16n8k16_{}(", op.word("dtype"));
    elements(operands[0], operands[1], 2);
    elements(operands[0], operands[2], 2);
    elements(operands[3], operands[4], 4);
    elements(operands[5], operands[6], 2);
  }
  const std::vector<std::string> lines = wrapped(function, parts, ")", 1);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    line(op, lines[i] + (i + 1 == lines.size() ? ";" : ""));
  }
  return true;
}

void Emitter::print_prelude(CodeWriter& out) {
  out.line("#include \"prelude.cuh\"");
  out.raw(helpers_.text());
}

void Emitter::print_declarations(CodeWriter& out) {
  const auto& phases = module().launch.phases;
  if (phases.size() == 1) {
    out.line("");
    out.line("// threads of a block, bytes of dynamic shared memory");
    out.line(fmt::format("extern \"C\" __constant__ int launch_shape[] = {{{}, {}}};",
                         phases[0].threads, phases[0].dynamic_shared_bytes));
  }
  for (const LaunchPhase& phase : phases) {
    if (phase.dynamic_shared_bytes == 0) continue;
    out.line("");
    out.line("extern __shared__ __align__(1024) unsigned char shared[];");
    break;
  }
}

const LaunchPhase& Emitter::phase_of(const Function& function) const {
  for (const LaunchPhase& phase : module().launch.phases) {
    if (phase.entry == function.name) return phase;
  }
  PH_ASSERT(false, "an entry that no phase names");
  return module().launch.phases.front();
}

std::string Emitter::entry_head(const Function& function) {
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < module().parameter_values.size(); ++i) {
    const ValueId value = module().parameter_values[i];
    const std::string name = fresh_name(value, "argument");
    bind(value, name_of(name));
    parameters.push_back(declaration(value, name, false));
  }
  const auto lines = wrapped("    " + function.name + "(", parameters, ")", 2);
  std::string text = fmt::format("extern \"C\" __global__ void __launch_bounds__({}, 1)",
                                 phase_of(function).threads);
  for (const std::string& next : lines) text += "\n" + next;
  return text;
}

}  // namespace

SourceText print(const ir::kernel::Module& module, Options options) {
  return Emitter(module, std::move(options)).print();
}

}  // namespace parhelion::emit::cuda
