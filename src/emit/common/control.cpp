// SPDX-License-Identifier: Apache-2.0
// Loops, branches, calls, and the mutable locals that stand for carried values.
#include "emit/common/c_family.h"

#include "base/diag.h"

#include <algorithm>

namespace parhelion::emit {

using ir::kernel::OpId;

/// A loop that continues where the last one stopped goes on with its variable: no copy, and the
/// reader sees one accumulator.
bool CFamily::takes_over(const Op& loop, ValueId entry) const {
  const OpId by = module_.value(entry).defined_by;
  if (!by.valid() || usage_.count(entry) != 1) return false;
  const Op& from = module_.op(by);
  const bool made_by_control =
      from.code == OpCode::For || from.code == OpCode::While || from.code == OpCode::If;
  if (!made_by_control || module_.type(entry).count != 0) return false;
  const bool result = std::ranges::count(from.results, entry) != 0;
  const OpId self = module_.value(loop.results[0]).defined_by;
  // A result of an earlier loop in the same region, or the carried value of the loop around.
  if (result) return usage_.region_of(by) == usage_.region_of(self);
  // (The test of a while shares its variables with the body, so it changes none.)
  const bool around = !from.regions.empty() && from.regions.back() == usage_.region_of(self);
  const bool index =
      from.code == OpCode::For && module_.region(from.regions[0]).arguments[0] == entry;
  return around && !index;
}

void CFamily::open_carry(const Op& op, std::size_t first_operand, std::size_t first_argument,
                         RegionId region) {
  const std::vector<ValueId>& arguments = module_.region(region).arguments;
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    const ValueId entry = op.operands[first_operand + i];
    const ValueId argument = arguments[first_argument + i];
    const Expression value = use(entry);
    Expression variable = value;
    if (!takes_over(op, entry)) {
      const std::string name = fresh_name(argument, "s");
      line(op, declaration(argument, name, false) + " = " + value.text + ";");
      variable = name_of(name);
      variable.cells = {argument};
    }
    bind(argument, variable);
    bind(op.results[i], variable);
  }
}

void CFamily::assign(const Op& end, std::span<const ValueId> targets) {
  std::vector<Expression> values = use_all(end);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i + 1; j < values.size(); ++j) {
      const Expression& target = bound_.at(targets[i]);
      const bool kept = values[i].text == target.text;
      const bool read_later = std::ranges::count(values[j].cells, target.cells.front()) != 0;
      if (read_later && !kept) return assign_through_copies(end, targets, values);
    }
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& target = bound_.at(targets[i]).text;
    if (values[i].text != target) line(end, assignment(target, values[i]) + ";");
  }
}

void CFamily::assign_through_copies(const Op& end, std::span<const ValueId> targets,
                                    std::vector<Expression>& values) {
  std::vector<std::string> copies;
  for (std::size_t i = 0; i < values.size(); ++i) {
    copies.push_back(names_.take("next"));
    line(end, declaration(targets[i], copies[i], true) + " = " + values[i].text + ";");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    line(end, bound_.at(targets[i]).text + " = " + copies[i] + ";");
  }
}

/// A bound is evaluated at every trip: what costs something or reads gets a name before the loop.
Expression CFamily::loop_bound(const Op& op, ValueId value, std::string_view hint) {
  const Expression bound = use(value);
  const bool simple = bound.name || (!bound.text.contains('(') && bound.text.size() <= 24);
  const bool cheap = simple && !bound.reads();
  if (cheap) return bound;
  const std::string& own = module_.value(value).name;
  const std::string name = names_.take(own.empty() ? hint : own);
  line(op, declaration(value, name, true) + " = " + bound.text + ";");
  bind(value, name_of(name));
  return name_of(name);
}

void CFamily::print_for(const Op& op) {
  const RegionId region = op.regions[0];
  const ValueId index = module_.region(region).arguments[0];
  open_carry(op, 3, 1, region);
  const std::string stem = module_.value(index).name.empty() ? "i" : module_.value(index).name;
  const Expression begin = use(op.operands[0]);
  const Expression end = loop_bound(op, op.operands[1], stem + "_end");
  const Expression step = loop_bound(op, op.operands[2], stem + "_step");
  settle(usage_.writes(op));
  names_.open();
  const std::string i = names_.take(stem);
  bind(index, name_of(i));
  const std::string advance = step.text == "1" ? "++" + i : i + " += " + step.text;
  if (const std::int64_t trips = op.integer("unroll"); trips > 1) {
    out_.raw(unroll_pragma(trips) + "\n");
  }
  open(op, "for (" + type_text(module_.type(index)) + " " + i + " = " + begin.text + "; " + i +
               " < " + within(end, Binding::Sum) + "; " + advance + ")");
  const Op* yield = print_region(region);
  assign(*yield, std::span(module_.region(region).arguments).subspan(1));
  close();
  names_.close();
}

void CFamily::print_each(const Op& op) {
  const RegionId region = op.regions[0];
  const ValueId index = module_.region(region).arguments[0];
  settle(usage_.writes(op));
  const std::string count = std::to_string(op.integer("count"));
  names_.open();
  const std::string i =
      names_.take(module_.value(index).name.empty() ? "i" : module_.value(index).name);
  bind(index, name_of(i));
  out_.raw(unroll_pragma(op.integer("count")) + "\n");
  open(op, "for (int " + i + " = 0; " + i + " < " + count + "; ++" + i + ")");
  static_cast<void>(print_region(region));
  close();
  names_.close();
}

void CFamily::print_if(const Op& op) {
  for (const ValueId result : op.results) {
    const std::string name = fresh_name(result, "chosen");
    line(op, declaration(result, name, false) + ";");
    Expression variable = name_of(name);
    variable.cells = {result};
    bind(result, variable);
  }
  const Expression condition = use(op.operands[0]);
  settle(usage_.writes(op));
  open(op, "if (" + condition.text + ")");
  names_.open();
  assign(*print_region(op.regions[0]), op.results);
  names_.close();
  const bool empty = module_.region(op.regions[1]).ops.size() == 1 && op.results.empty();
  if (!empty) {
    out_.outdent();
    out_.open("} else");
    block_start_ = true;
    names_.open();
    assign(*print_region(op.regions[1]), op.results);
    names_.close();
  }
  close();
}

void CFamily::print_while(const Op& op) {
  const ir::kernel::Region& test = module_.region(op.regions[0]);
  const ir::kernel::Region& body = module_.region(op.regions[1]);
  open_carry(op, 0, 0, op.regions[0]);
  for (std::size_t i = 0; i < op.results.size(); ++i) {
    bind(body.arguments[i], bound_.at(test.arguments[i]));
  }
  settle(usage_.writes(op));
  const bool one_expression = std::ranges::all_of(test.ops, [&](OpId id) {
    const Op& inner = module_.op(id);
    if (inner.code == OpCode::Condition || inner.code == OpCode::Const) return true;
    return inner.results.size() == 1 && inner.regions.empty() && waits(inner);
  });
  names_.open();
  if (one_expression) {
    const Op* end = print_region(op.regions[0]);
    open(op, "while (" + use(end->operands[0]).text + ")");
  } else {
    open(op, "while (true)");
    const Op* end = print_region(op.regions[0]);
    open(*end, "if (" + prefix("!", use(end->operands[0])).text + ")");
    line(*end, "break;");
    close();
  }
  const Op* yield = print_region(op.regions[1]);
  assign(*yield, body.arguments);
  close();
  names_.close();
}

void CFamily::print_call(const Op& op) {
  std::vector<std::string> arguments;
  for (const Expression& argument : use_all(op)) arguments.push_back(argument.text);
  settle(usage_.writes(op));
  const auto lines = wrapped(std::string(op.word("callee")) + "(", arguments, ")", 1);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    line(op, lines[i] + (i + 1 == lines.size() ? ";" : ""));
  }
}

}  // namespace parhelion::emit
