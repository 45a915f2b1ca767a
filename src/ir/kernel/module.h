// SPDX-License-Identifier: Apache-2.0
// Kernel IR: how a kernel runs, spelled out. Structured; SSA for scalars and vectors; arrays are
// variables. One thread's view on CUDA, one worker's on the CPU. The emitter prints it and decides
// nothing. The op table grows by rows of ops.def; each target uses the rows that name it.
#pragma once

#include "base/id.h"
#include "base/launch.h"

#include <parhelion/diagnostic.h>
#include <parhelion/dtype.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace parhelion::ir::kernel {

using ValueId = Id<struct KernelValueTag>;
using OpId = Id<struct KernelOpTag>;
using RegionId = Id<struct KernelRegionTag>;

enum class Space : std::uint8_t { None, Global, Shared, Local };  // None: not a pointer

/// `f32`, `f32x8` (vector), `f32[64]` / `f32x8[12]` (array variable), `ptr<global, f32>`.
struct Type {
  DType element = DType::I64;
  std::uint16_t lanes = 1;
  std::uint32_t count = 0;      // 0: no array
  Space pointer = Space::None;  // a pointer to `element` there
  bool operator==(const Type&) const = default;
};
[[nodiscard]] std::string text(const Type& type);
[[nodiscard]] std::optional<Type> parse_type(std::string_view text);
/// What a variable of this type holds: one element of an array, else the type itself.
[[nodiscard]] Type element_of(Type type);

enum class OpCode : std::uint8_t {
#define PH_KOP(code, text, operands, regions, effect, convergence, targets) code,
#include "ir/kernel/ops.def"
#undef PH_KOP
};
enum class Effect : std::uint8_t { None, Read, Write, Both };
enum class Convergence : std::uint8_t { Thread, Warp, Warpgroup, Block, Cluster };
enum class Targets : std::uint8_t { Both, Cpu, Cuda };

struct OpRow {
  OpCode code;
  std::string_view text;
  int operands, regions;  // -1: varies
  Effect effect;
  Convergence convergence;
  Targets targets;
};
[[nodiscard]] std::span<const OpRow> op_rows();
[[nodiscard]] const OpRow& row(OpCode code);
[[nodiscard]] std::optional<OpCode> parse_op(std::string_view text);
/// Keys that attributes may have (attributes.def): literals, to which Attribute::key points.
[[nodiscard]] std::span<const std::string_view> attribute_keys();
/// Functions of Math, sorted.
[[nodiscard]] std::span<const std::string_view> math_functions();

/// Position in the user's source; `file` indexes Module::files.
struct Location {
  std::uint32_t file = 0xffffffffu;
  std::uint32_t line = 0, column = 0;
  bool operator==(const Location&) const = default;
};

/// Named attribute of an op: `value`, `count`, `function`, `combine`, `cache`, `index`, `callee`...
struct Attribute {
  std::string_view key;  // a literal
  std::variant<std::int64_t, double, std::string> value;
  bool operator==(const Attribute&) const = default;
};

struct Op {
  OpCode code = OpCode::Const;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<RegionId> regions;
  std::vector<Attribute> attributes;
  Location where;
  [[nodiscard]] const Attribute* find(std::string_view key) const;
  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t fallback = 0) const;
  [[nodiscard]] double number(std::string_view key) const;
  [[nodiscard]] std::string_view word(std::string_view key) const;  // "" when absent
};

struct Region {
  std::vector<ValueId> arguments;
  std::vector<OpId> ops;
};

struct Value {
  Type type;
  std::string name;  // becomes the variable's name in the text
  OpId defined_by;
};

/// A function of the text: an entry (phase) or an internal one called with arrays by reference.
struct Function {
  std::string name;
  bool entry = false;
  bool noinline_ = false;
  std::vector<ValueId> parameters;  // entries: none, they see the module's parameters
  RegionId body;
};

/// A named constant on top of the text: `constexpr int block_m = 64;` plus its comment.
struct Constant {
  std::string name;
  std::int64_t value = 0;
  std::string comment;
  bool operator==(const Constant&) const = default;
};

struct Module {
  std::string name;
  std::string target;                 // "cpu x86-64-v3", "cuda sm_90a"
  std::string config;                 // canonical text, for the banner
  std::string source_hash;            // hash of the tile IR
  std::vector<std::string> comment;   // the tile IR's source form above the kernel
  std::vector<std::string> promises;  // static_asserts of the Plan
  std::vector<Constant> constants;
  LaunchFacts launch;  // parameters in order; phases name entry functions
  std::vector<std::string> files;

  std::vector<Value> values;
  std::vector<Op> ops;
  std::vector<Region> regions;
  std::vector<Function> functions;
  std::vector<ValueId> parameter_values;  // what entries see of launch.parameters, same order
  // What an entry gets from its caller: CPU: first, last program and worker; CUDA: none (ops).
  std::vector<ValueId> entry_values;

  [[nodiscard]] const Op& op(OpId id) const { return ops[id.index()]; }
  [[nodiscard]] Op& op(OpId id) { return ops[id.index()]; }
  [[nodiscard]] const Value& value(ValueId id) const { return values[id.index()]; }
  [[nodiscard]] Value& value(ValueId id) { return values[id.index()]; }
  [[nodiscard]] const Type& type(ValueId id) const { return values[id.index()].type; }
  [[nodiscard]] const Function* find_function(std::string_view function) const;
  [[nodiscard]] const Region& region(RegionId id) const { return regions[id.index()]; }
  [[nodiscard]] Region& region(RegionId id) { return regions[id.index()]; }
};

[[nodiscard]] std::string print(const Module& module);
[[nodiscard]] Result<Module> parse(std::string_view text, std::string_view file);
/// Rules of cuda_lowering.md section 8 that concern the ops in use; empty when all hold.
[[nodiscard]] Diagnostics verify(const Module& module);

/// Appends ops to a stack of open regions; one method per shape of op, types are inferred.
class Builder {
 public:
  explicit Builder(Module& module) : module_(module) {}
  [[nodiscard]] Module& module() { return module_; }

  void at(Location where) { where_ = where; }
  /// A parameter of the launch, and a value that an entry gets from its caller.
  ValueId parameter(LaunchParameter parameter, Type type);
  ValueId entry_value(Type type, std::string name);
  ValueId integer(std::int64_t value, DType type = DType::I64);
  /// An integer that prints as the named constant on top of the text, added there when absent.
  ValueId constant(std::string name, std::int64_t value, std::string comment = {},
                   DType type = DType::I64);
  ValueId number(double value, DType type = DType::F32);
  ValueId unary(OpCode code, ValueId a);
  ValueId binary(OpCode code, ValueId a, ValueId b);  // folds integer constants and identities
  ValueId compare(OpCode code, ValueId a, ValueId b);
  ValueId select(ValueId c, ValueId a, ValueId b);
  ValueId fma(ValueId a, ValueId b, ValueId c);
  ValueId math(std::string_view function, ValueId a);
  ValueId convert(ValueId a, DType to);
  ValueId bitcast(ValueId a, Type to);
  ValueId offset(ValueId pointer, ValueId elements);  // nothing for a constant 0
  ValueId splat(ValueId a, int lanes);                // CPU; a scalar for lanes == 1
  ValueId load(ValueId pointer, int lanes = 1);
  void store(ValueId pointer, ValueId value);
  ValueId var(Type type, std::string name, std::optional<ValueId> initial = {});
  ValueId get(ValueId variable, std::optional<ValueId> index = {});
  void set(ValueId variable, ValueId value, std::optional<ValueId> index = {});
  void label(std::string text);
  /// Renames a value: the name of its variable in the text. Returns it.
  ValueId name(ValueId value, std::string name);
  std::vector<ValueId> call(std::string callee, const std::vector<ValueId>& arguments);
  /// Any other op.
  OpId op(OpCode code, std::vector<ValueId> operands, std::vector<Type> results,
          std::vector<Attribute> attributes = {});
  [[nodiscard]] ValueId result(OpId id, std::size_t index = 0) const;

  // Control: open... close. `carry` values become region arguments; the results are the carry.
  OpId open_for(ValueId begin, ValueId end, ValueId step, const std::vector<ValueId>& carry,
                std::string name);
  [[nodiscard]] ValueId loop_index() const;            // of the innermost open For or Each
  [[nodiscard]] ValueId carried(std::size_t i) const;  // of the innermost open For or While
  OpId open_each(std::int64_t count, std::string name);
  OpId open_if(ValueId condition, const std::vector<Type>& results = {});
  /// Ends the open region with a yield and opens the op's next one (the second one of an If).
  void otherwise(const std::vector<ValueId>& yielded = {});
  OpId open_while(const std::vector<ValueId>& carry);  // region of the condition
  void condition(ValueId go_on);                       // ends it, opens the body
  /// Any other op with regions: opens the first one with these arguments; `otherwise` the next.
  OpId open(OpCode code, std::vector<ValueId> operands, const std::vector<Type>& results,
            const std::vector<std::pair<Type, std::string>>& arguments = {},
            std::vector<Attribute> attributes = {});
  std::vector<ValueId> close(const std::vector<ValueId>& yielded = {});

  /// Starts a function; ops go into its body until close().
  Function& open_function(std::string name, bool entry,
                          const std::vector<std::pair<Type, std::string>>& parameters = {});

 private:
  struct Open {
    OpId op;
    RegionId region;
    std::size_t index = 0;  // which region of the op
  };
  ValueId add_value(Type type, std::string name, OpId defined_by = {});
  ValueId emit_value(OpCode code, std::vector<ValueId> operands, Type type,
                     std::vector<Attribute> attributes = {});
  [[nodiscard]] const Op* constant_of(ValueId value) const;  // its Const, if an integer one
  [[nodiscard]] std::optional<ValueId> fold(OpCode code, ValueId a, ValueId b);
  RegionId add_region(const std::vector<std::pair<Type, std::string>>& arguments, OpId owner);
  void otherwise_region();
  void end_region(OpCode terminator, const std::vector<ValueId>& operands);
  [[nodiscard]] const Op& innermost(bool with_carry) const;
  Module& module_;
  Location where_;
  std::vector<Open> open_;
};

}  // namespace parhelion::ir::kernel
