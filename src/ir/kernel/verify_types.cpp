// SPDX-License-Identifier: Apache-2.0
// Type rules of the core and of the CPU's ops; ops of CUDA have theirs beside their lowering.
#include "ir/kernel/verify.h"

#include <algorithm>

namespace parhelion::ir::kernel {
namespace {

class TypeRules {
 public:
  TypeRules(const Module& module, const Op& op, Findings& findings)
      : module_(module), op_(op), findings_(findings) {}

  void check() {
    switch (op_.code) {
      case OpCode::Const: return constant();
      case OpCode::Add:
      case OpCode::Sub:
      case OpCode::Mul:
      case OpCode::Div:
      case OpCode::MinNan:
      case OpCode::MaxNan:
      case OpCode::MinNumber:
      case OpCode::MaxNumber:
      case OpCode::Neg:
      case OpCode::Abs:
        return need(arithmetic(operand(0)) && all_equal(), "takes numbers of one type");
      case OpCode::Rem:
      case OpCode::FloorDiv:
      case OpCode::FloorMod:
      case OpCode::Shl:
      case OpCode::Shr:
        return need(is_integer(operand(0).element) && all_equal(), "takes integers of one type");
      case OpCode::Fma:
        return need(floating(operand(0)) && all_equal(), "takes floats of one type");
      case OpCode::And:
      case OpCode::Or:
      case OpCode::Xor:
      case OpCode::Not:
        return need(bits(operand(0)) && all_equal(), "takes integers or bools of one type");
      case OpCode::Eq:
      case OpCode::Ne:
      case OpCode::Lt:
      case OpCode::Le:
      case OpCode::Gt:
      case OpCode::Ge: return comparison();
      case OpCode::Select: return selection();
      case OpCode::Convert: return need(conversion(), "keeps the lanes and takes numbers");
      case OpCode::Bitcast: return need(same_bits(), "keeps the number of bits");
      case OpCode::Math: return math();
      case OpCode::Offset:
        return need(is_pointer(operand(0)) && integer_scalar(operand(1)) && result() == operand(0),
                    "takes a pointer and a scalar integer");
      case OpCode::Load: return need(access(operand(0), result()), "reads what the pointer names");
      case OpCode::Store:
      case OpCode::StoreNt:
        return need(access(operand(0), operand(1)), "writes what the pointer names");
      case OpCode::Var: return variable();
      case OpCode::For:
      case OpCode::While: return carry();
      case OpCode::If: return need(truth(operand(0)), "takes a scalar bool");
      case OpCode::Condition: return need(truth(operand(0)), "takes a scalar bool");
      case OpCode::Call: return call();
      default: return cpu_ops();
    }
  }

 private:
  void cpu_ops() {
    switch (op_.code) {
      case OpCode::Splat:
        return need(operand(0).lanes == 1 && with_lanes(operand(0), result()) == result(),
                    "makes a vector of a scalar");
      case OpCode::Lane:
        return need(with_lanes(operand(0), result()) == result() && result().lanes == 1 &&
                        op_.integer("index", -1) >= 0 && op_.integer("index") < operand(0).lanes,
                    "takes one lane of a vector");
      case OpCode::Iota: return need(is_integer(result().element), "makes integers");
      case OpCode::LoadFirst:
        return need(access(operand(0), result()) && integer_scalar(operand(1)) &&
                        with_lanes(result(), operand(2)) == operand(2) && operand(2).lanes == 1,
                    "takes a pointer, a count and a scalar for the other lanes");
      case OpCode::StoreFirst:
        return need(access(operand(0), operand(2)) && integer_scalar(operand(1)),
                    "takes a pointer, a count and the value");
      case OpCode::Fold: return fold();
      case OpCode::WidenEven:
      case OpCode::WidenOdd: return need(pairs(operand(0), result()), "makes f32 of u32");
      case OpCode::NarrowPairs:
        return need(all_operands_equal() && pairs(result(), operand(0)), "makes u32 of two f32");
      default: return;
    }
  }

  void need(bool holds, const std::string& message) {
    if (!holds) findings_.report(type_rule, op_, message + shown());
  }

  std::string shown() const {
    std::string list = " (";
    for (const ValueId id : op_.operands) list += text(module_.type(id)) + " ";
    list += "->";
    for (const ValueId id : op_.results) list += " " + text(module_.type(id));
    return list + ")";
  }

  Type operand(std::size_t i) const { return module_.type(op_.operands[i]); }
  Type result() const { return op_.results.empty() ? Type{} : module_.type(op_.results[0]); }

  static bool plain(const Type& t) { return t.count == 0 && t.pointer == Space::None; }
  static bool is_pointer(const Type& t) { return t.pointer != Space::None && t.count == 0; }
  static bool integer_scalar(const Type& t) {
    return plain(t) && t.lanes == 1 && is_integer(t.element);
  }
  static bool truth(const Type& t) { return t == Type{.element = DType::Bool}; }
  static bool bits(const Type& t) {
    return plain(t) && (is_integer(t.element) || t.element == DType::Bool);
  }
  static Type with_lanes(Type t, const Type& like) {
    t.lanes = like.lanes;
    return t;
  }
  static bool pairs(const Type& u, const Type& f) {
    return plain(u) && plain(f) && u.element == DType::U32 && f.element == DType::F32 &&
           u.lanes == f.lanes;
  }
  static bool access(const Type& pointer, const Type& value) {
    return is_pointer(pointer) && plain(value) && pointer.element == value.element;
  }
  /// The CPU computes in f32 and f64; smaller floats are storage there.
  bool floating(const Type& t) const {
    const bool storage = t.element == DType::F8E4M3 || t.element == DType::F8E5M2 ||
                         (module_.target.starts_with("cpu") && size_bytes(t.element) == 2);
    return plain(t) && is_float(t.element) && !storage;
  }
  bool arithmetic(const Type& t) const {
    return plain(t) && (is_integer(t.element) || floating(t));
  }
  bool all_operands_equal() const {
    return std::ranges::all_of(op_.operands,
                               [&](ValueId id) { return module_.type(id) == operand(0); });
  }
  bool all_equal() const {
    return op_.results.size() == 1 && result() == operand(0) && all_operands_equal();
  }

  void constant() {
    const Attribute* value = op_.find("value");
    const bool scalar = plain(result()) && result().lanes == 1;
    if (value == nullptr || op_.results.size() != 1 || !scalar) {
      return need(false, "makes one scalar from its value");
    }
    const bool integer = std::holds_alternative<std::int64_t>(value->value);
    need(integer != is_float(result().element), "its value is of another kind than its type");
    const auto found = std::ranges::find(module_.constants, op_.word("constant"), &Constant::name);
    const bool named = !op_.word("constant").empty();
    need(!named || (found != module_.constants.end() && found->value == op_.integer("value")),
         "names no constant of the module with this value");
  }

  void comparison() {
    const Type mask{.element = DType::Bool, .lanes = operand(0).lanes};
    need(plain(operand(0)) && all_operands_equal() && result() == mask,
         "compares one type into bools");
  }

  void selection() {
    const Type c = operand(0), a = operand(1);
    const bool lanes = c.lanes == 1 || c.lanes == a.lanes;
    need(plain(c) && c.element == DType::Bool && lanes && a.count == 0 && a == operand(2) &&
             a == result(),
         "takes bools and two values of one type");
  }

  bool conversion() const {
    return plain(operand(0)) && plain(result()) && operand(0).lanes == result().lanes;
  }

  bool same_bits() const {
    const Type from = operand(0), to = result();
    if (is_pointer(from)) return is_pointer(to) && from.pointer == to.pointer;
    const auto bytes = [](const Type& t) { return size_bytes(t.element) * t.lanes; };
    return plain(from) && plain(to) && bytes(from) == bytes(to);
  }

  void math() {
    const bool known = std::ranges::binary_search(math_functions(), op_.word("function"));
    need(known, "does not know the function '" + std::string(op_.word("function")) + "'");
    need(floating(operand(0)) && all_equal(), "takes floats of one type");
  }

  void variable() {
    const bool fits = op_.operands.empty() || operand(0) == element_of(result());
    need(op_.results.size() == 1 && fits, "its initial value has another type");
  }

  void carry() {
    const bool loop = op_.code == OpCode::For;
    const std::size_t bounds = loop ? 3 : 0;
    if (loop) {
      need(integer_scalar(operand(0)) && operand(0) == operand(1) && operand(0) == operand(2),
           "its bounds are not scalar integers of one type");
    }
    for (const RegionId id : op_.regions) {
      const std::vector<ValueId>& arguments = module_.region(id).arguments;
      if (loop) {
        need(module_.type(arguments[0]) == operand(0),
             "its index has another type than its bounds");
      }
      for (std::size_t i = 0; i < op_.results.size(); ++i) {
        const Type type = module_.type(op_.results[i]);
        need(type == operand(bounds + i) && type == module_.type(arguments[i + (loop ? 1 : 0)]),
             "carries a value through several types");
      }
    }
  }

  void call() {
    const Function* callee = module_.find_function(op_.word("callee"));
    if (callee == nullptr || callee->entry) {
      return need(false, "calls '" + std::string(op_.word("callee")) + "', which is no function");
    }
    bool same = callee->parameters.size() == op_.operands.size() && op_.results.empty();
    for (std::size_t i = 0; same && i < op_.operands.size(); ++i) {
      same = module_.type(callee->parameters[i]) == operand(i);
    }
    need(same, "its arguments differ from the parameters of " + callee->name);
  }

  void fold() {
    constexpr std::string_view numbers[] = {"add",     "max_nan",    "max_number",
                                            "min_nan", "min_number", "mul"};
    const bool mask = operand(0).element == DType::Bool;
    const std::string_view combine = op_.word("combine");
    const bool known =
        mask ? combine == "and" || combine == "or" : std::ranges::binary_search(numbers, combine);
    need(known, "cannot combine by '" + std::string(combine) + "'");
    need(plain(operand(0)) && with_lanes(operand(0), Type{}) == result(),
         "makes a scalar of a vector");
  }

  const Module& module_;
  const Op& op_;
  Findings& findings_;
};

}  // namespace

void verify_types(const Module& module, const Op& op, Findings& findings) {
  TypeRules(module, op, findings).check();
}

}  // namespace parhelion::ir::kernel
