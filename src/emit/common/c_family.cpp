// SPDX-License-Identifier: Apache-2.0
// The frame of a text, and the statements of a region.
#include "emit/common/c_family.h"

#include "base/diag.h"

#include <algorithm>
#include <limits>

namespace parhelion::emit {
namespace {

using ir::kernel::Effect;

/// Longer expressions get a name even where they are used once: a line should say one thing.
constexpr std::size_t longest_inline = 64;

std::string upto(std::string_view text, std::size_t end) {
  return std::string(text.substr(0, end));
}

}  // namespace

CFamily::CFamily(const Module& module, Options options)
    : module_(module), options_(std::move(options)), usage_(module) {
  for (const ir::kernel::Constant& constant : module.constants) names_.reserve(constant.name);
  for (const Function& function : module.functions) names_.reserve(function.name);
  find_stores();
}

SourceText CFamily::print() {
  for (const Function& function : module_.functions) print_function(function);
  // What stands above the functions depends on what they used.
  CodeWriter declarations;
  print_constants(declarations);
  print_declarations(declarations);
  CodeWriter top;
  print_header(top);
  print_prelude(top);
  top.raw(declarations.text());
  SourceText result;
  result.text = top.text() + out_.text();
  result.lines = out_.lines();
  for (LineTable::Entry& entry : result.lines.entries) entry.line += top.current_line() - 1;
  return result;
}

void CFamily::print_header(CodeWriter& out) {
  std::string target = module_.target;
  if (const std::size_t space = target.find(' '); space != std::string::npos) {
    target.erase(0, space + 1);
  }
  const std::string head =
      "// " + module_.name + " | parhelion " + options_.version + " | " + target;
  std::string rest;
  if (!module_.config.empty()) rest += " | " + module_.config;
  if (!module_.source_hash.empty()) rest += " | ir " + upto(module_.source_hash, 6);
  if (head.size() + rest.size() <= 100) {
    out.line(head + rest);
  } else {
    out.line(head);
    out.line("// " + rest.substr(3));
  }
  for (const std::string& text : module_.comment) out.line("//   " + text);
}

void CFamily::print_constants(CodeWriter& out) {
  if (module_.constants.empty()) return;
  out.line("");
  std::vector<std::string> lines;
  std::size_t widest = 0;
  for (const ir::kernel::Constant& c : module_.constants) {
    // Products of two `int` constants must not overflow.
    const bool small = c.value > -32768 && c.value < 32768;
    const std::string type = small ? "int" : type_text(Type{});
    lines.push_back("constexpr " + type + " " + c.name + " = " + std::to_string(c.value) + ";");
    if (!c.comment.empty()) widest = std::max(widest, lines.back().size());
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& comment = module_.constants[i].comment;
    const bool beside = widest + 5 + comment.size() <= 100;
    if (!comment.empty() && !beside) out.line("// " + comment);
    std::string text = lines[i];
    if (!comment.empty() && beside) {
      text += std::string(widest - text.size() + 2, ' ') + "// " + comment;
    }
    out.line(text);
  }
}

void CFamily::print_function(const Function& function) {
  out_.line("");
  names_.open();
  const std::string head = function.entry ? entry_head(function) : function_head(function);
  // All but the last line of a broken head are complete.
  std::size_t begin = 0;
  for (std::size_t end = head.find('\n'); end != std::string::npos; end = head.find('\n', begin)) {
    out_.line(head.substr(begin, end - begin));
    begin = end + 1;
  }
  out_.open(head.substr(begin));
  ++depth_;
  block_start_ = true;
  if (function.entry) begin_entry(function);
  print_region(function.body);
  close();
  names_.close();
}

void CFamily::line(const Op& op, const std::string& text) {
  if (op.where.line != 0 && op.where.file < module_.files.size()) {
    out_.mark(module_.files[op.where.file], static_cast<int>(op.where.line),
              static_cast<int>(op.where.column));
  }
  out_.line(text);
  block_start_ = false;
}

void CFamily::open(const Op& op, const std::string& head) {
  line(op, head + " {");
  out_.indent();
  ++depth_;
  block_start_ = true;
}

void CFamily::close(std::string_view tail) {
  out_.close(tail);
  --depth_;
  block_start_ = false;
}

const CFamily::Op* CFamily::print_region(RegionId region) {
  const Op* end = nullptr;
  for (const ir::kernel::OpId id : module_.region(region).ops) {
    const Op& op = module_.op(id);
    if (op.code == OpCode::Yield || op.code == OpCode::Condition) {
      end = &op;
    } else {
      print_op(op);
    }
  }
  return end;
}

void CFamily::print_op(const Op& op) {
  if (!usage_.lives(op) || custom(op)) return;
  switch (op.code) {
    case OpCode::For: return print_for(op);
    case OpCode::Each: return print_each(op);
    case OpCode::If: return print_if(op);
    case OpCode::While: return print_while(op);
    case OpCode::Label: return print_label(op);
    case OpCode::Var: return print_variable(op);
    case OpCode::Call: return print_call(op);
    default: break;
  }
  PH_ASSERT(op.regions.empty() && op.results.size() <= 1, "an op that no one prints");
  if (op.results.empty()) return print_statement(op);
  print_value(op);
}

template <class Make>
auto CFamily::fit(const Op& op, std::size_t limit, Make make) {
  for (;;) {
    std::vector<Expression> operands;
    for (const ValueId id : op.operands) operands.push_back(bound_.at(id));
    auto result = make(operands);
    std::size_t length = 0;
    if constexpr (std::is_same_v<decltype(result), Expression>) {
      length = result.text.size();
    } else {
      length = result.size();
    }
    const Waiting* longest = nullptr;
    for (const Waiting& candidate : waiting_) {
      const bool mine = std::ranges::count(op.operands, candidate.value) != 0;
      const std::size_t size = bound_.at(candidate.value).text.size();
      const bool longer = longest == nullptr || size > bound_.at(longest->value).text.size();
      if (mine && size > 12 && longer) longest = &candidate;
    }
    if (length <= limit || longest == nullptr) {
      for (const ValueId id : op.operands) static_cast<void>(use(id));
      return result;
    }
    const Waiting named = *longest;
    name_it(*named.op, named.value, use(named.value));
  }
}

bool CFamily::waits(const Op& op) const {
  const ir::kernel::OpId user = usage_.only_user(op.results[0]);
  const ir::kernel::OpId self = module_.value(op.results[0]).defined_by;
  return user.valid() && usage_.region_of(user) == usage_.region_of(self) && may_move(op);
}

void CFamily::print_value(const Op& op) {
  const ValueId value = op.results[0];
  if (op.code == OpCode::Const) return bind(value, spell(op, {}));
  const bool wait = waits(op);
  const std::size_t taken = declaration(value, module_.value(value).name, true).size() + 8;
  const std::size_t room = columns() - std::min(columns(), taken);
  const std::size_t limit = wait ? std::min(longest_inline, room) : room;
  Expression expression = fit(op, limit, [&](Operands operands) { return spell(op, operands); });
  const Effect effect = ir::kernel::row(op.code).effect;
  const bool writes = effect == Effect::Write || effect == Effect::Both;
  if (writes) settle(usage_.writes(op));
  if (usage_.count(value) == 0) return line(op, expression.text + ";");
  if (wait) {
    bind(value, std::move(expression));
    waiting_.push_back({&op, value});
    return;
  }
  name_it(op, value, expression);
}

void CFamily::print_statement(const Op& op) {
  const std::string text =
      fit(op, columns() - 1, [&](Operands operands) { return spell_statement(op, operands); });
  settle(usage_.writes(op));
  if (!text.empty()) line(op, text + ";");
}

void CFamily::print_label(const Op& op) {
  if (!block_start_) out_.line("");
  comment(op.word("text"));
}

void CFamily::comment(std::string_view text) {
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end + 3 > columns()) {
      end = text.rfind(' ', columns() - 3);
      if (end == std::string_view::npos || end == 0) end = text.size();
    }
    out_.line("// " + upto(text, end));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  block_start_ = true;
}

void CFamily::print_variable(const Op& op) {
  const ValueId value = op.results[0];
  const std::string name = fresh_name(value, "v");
  const std::string declared = declaration(value, name, false);
  if (op.operands.empty()) {
    line(op, declared + ";");
  } else {
    const Expression initial = use(op.operands[0]);
    const std::uint32_t count = module_.type(value).count;
    if (count == 0) {
      line(op, declared + " = " + initial.text + ";");
    } else {
      const Expression element = initial.name ? initial : name_it(op, op.operands[0], initial);
      std::string list = element.text;
      for (std::uint32_t i = 1; i < count; ++i) list += ", " + element.text;
      const std::string text = declared + " = {" + list + "};";
      if (count <= 8 && text.size() <= columns()) {
        line(op, text);
      } else {
        line(op, declared + ";");
        bind(value, name_of(name));
        print_filled_array(op, element);
      }
    }
  }
  bind(value, name_of(name));
}

void CFamily::print_filled_array(const Op& op, const Expression& value) {
  const std::string array = bound_.at(op.results[0]).text;
  const std::string count = std::to_string(module_.type(op.results[0]).count);
  names_.open();
  const std::string i = names_.take("i");
  out_.raw(unroll_pragma(module_.type(op.results[0]).count) + "\n");
  open(op, "for (int " + i + " = 0; " + i + " < " + count + "; ++" + i + ")");
  line(op, array + "[" + i + "] = " + value.text + ";");
  close();
  names_.close();
}

}  // namespace parhelion::emit
