// SPDX-License-Identifier: Apache-2.0
// Kernel IR -> C++ text, for every target whose text is C++. This class owns names, the moving of
// expressions into their uses, control flow, columns and the line table; a target overrides the
// spellings. It prints and decides nothing.
#pragma once

#include "base/code_writer.h"
#include "emit/common/expression.h"
#include "emit/common/names.h"
#include "emit/common/usage.h"
#include "ir/kernel/module.h"

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace parhelion::emit {

struct SourceText {
  std::string text;
  LineTable lines;
};

struct Options {
  std::string version = "0.1";  // of Parhelion, for the banner
};

class CFamily {
 public:
  explicit CFamily(const ir::kernel::Module& module, Options options = {});
  virtual ~CFamily() = default;
  CFamily(const CFamily&) = delete;
  CFamily& operator=(const CFamily&) = delete;
  /// The module must verify.
  [[nodiscard]] SourceText print();

 protected:
  using Function = ir::kernel::Function;
  using Module = ir::kernel::Module;
  using Op = ir::kernel::Op;
  using OpCode = ir::kernel::OpCode;
  using RegionId = ir::kernel::RegionId;
  using Type = ir::kernel::Type;
  using ValueId = ir::kernel::ValueId;
  using Operands = std::span<const Expression>;

  // ---- What a target spells. The defaults are plain C++ of scalars. ----

  /// "float", "i64", "f32x8"; of a pointer: what it points to.
  [[nodiscard]] virtual std::string type_text(const Type& type) const;
  /// An op with one result and no regions.
  [[nodiscard]] virtual Expression spell(const Op& op, Operands operands);
  /// An op without results and regions: the statement without its semicolon.
  [[nodiscard]] virtual std::string spell_statement(const Op& op, Operands operands);
  [[nodiscard]] virtual std::string literal(double value, DType type) const;
  /// Prints an op in the target's own way (several results, own regions) and returns true.
  virtual bool custom(const Op& op);
  /// Whether an op's value may stand inside a larger expression.
  [[nodiscard]] virtual bool may_move(const Op& op) const;
  /// The line above an unrolled loop, at column 0.
  [[nodiscard]] virtual std::string unroll_pragma(std::int64_t count) const;
  /// Between the constants and the functions: structures, static_asserts of the promises.
  virtual void print_declarations(CodeWriter& out);
  /// After banner and comment; called last, when everything else was printed.
  virtual void print_prelude(CodeWriter& out) = 0;
  /// Up to the brace; entries bind parameter and entry values here, with their names in scope.
  [[nodiscard]] virtual std::string entry_head(const Function& function) = 0;
  /// First lines of an entry, where parameters get their names.
  virtual void begin_entry(const Function& function);
  [[nodiscard]] virtual std::string function_head(const Function& function);

  // ---- What the target's code may use. ----

  [[nodiscard]] const Module& module() const { return module_; }
  [[nodiscard]] const Usage& usage() const { return usage_; }
  [[nodiscard]] ScopedNames& names() { return names_; }
  /// The expression of an operand; one that was waiting is consumed.
  [[nodiscard]] Expression use(ValueId value);
  [[nodiscard]] std::vector<Expression> use_all(const Op& op);
  void bind(ValueId value, Expression expression);
  /// A fresh name in scope for a value: its own, else `hint`.
  [[nodiscard]] std::string fresh_name(ValueId value, std::string_view hint);
  /// Writes a line that comes from the op.
  void line(const Op& op, const std::string& text);
  void open(const Op& op, const std::string& head);
  void close(std::string_view tail = "}");
  /// A preprocessor line, at column 0.
  void pragma(const std::string& text) { out_.raw(text + "\n"); }
  /// `const float* p`, `f32x8 acc[4]`.
  [[nodiscard]] std::string declaration(ValueId value, const std::string& name,
                                        bool constant) const;
  /// Ops of a region into the scope that is open, without its terminator, which is returned.
  const Op* print_region(RegionId region);
  /// Names waiting expressions that the op or its regions would change.
  void settle(const Writes& writes);
  /// Prints `const T name = expression;` and makes the name the value's expression.
  Expression name_it(const Op& op, ValueId value, const Expression& expression);
  /// Whether nothing is stored through a pointer: it may point to const.
  [[nodiscard]] bool read_only(ValueId pointer) const;
  /// Columns that are left in a line at this depth.
  [[nodiscard]] std::size_t columns() const { return 100 - 2 * depth_; }
  /// Comments, wrapped at the column limit.
  void comment(std::string_view text);
  /// `head(a, b, c)tail`, broken after commas like clang-format does; `after` columns follow it.
  [[nodiscard]] std::vector<std::string> wrapped(const std::string& head,
                                                 const std::vector<std::string>& parts,
                                                 const std::string& tail, std::size_t after) const;

 private:
  struct Waiting {
    const Op* op;
    ValueId value;
  };

  void print_header(CodeWriter& out);
  void print_constants(CodeWriter& out);
  void print_function(const Function& function);
  void print_op(const Op& op);
  void print_value(const Op& op);
  void print_statement(const Op& op);
  void print_label(const Op& op);
  void print_variable(const Op& op);
  void print_filled_array(const Op& op, const Expression& value);
  void print_for(const Op& op);
  void print_each(const Op& op);
  void print_if(const Op& op);
  void print_while(const Op& op);
  void print_call(const Op& op);
  Expression loop_bound(const Op& op, ValueId value, std::string_view hint);
  void open_carry(const Op& op, std::size_t first_operand, std::size_t first_argument,
                  RegionId region);
  bool takes_over(const Op& loop, ValueId entry) const;
  void assign(const Op& end, std::span<const ValueId> targets);
  void assign_through_copies(const Op& end, std::span<const ValueId> targets,
                             std::vector<Expression>& values);
  bool waits(const Op& op) const;
  /// Operands of an op, the longest ones named until `make` gives a text that fits.
  template <class Make>
  auto fit(const Op& op, std::size_t limit, Make make);
  void find_stores();

  const Module& module_;
  Options options_;
  Usage usage_;
  ScopedNames names_;
  CodeWriter out_;
  std::size_t depth_ = 0;
  bool block_start_ = true;
  std::unordered_map<ValueId, Expression> bound_;
  std::vector<Waiting> waiting_;
  std::vector<bool> stored_through_;  // by root pointer
};

}  // namespace parhelion::emit
