// SPDX-License-Identifier: Apache-2.0
// Host integers: arithmetic, relations decided on the example arguments, checks.
#include "lang/trace.h"

#include <fmt/format.h>

namespace parhelion {

using lang::Trace;

namespace {

constexpr int max_guards = 16;
constexpr std::size_t max_guards_of_a_line = 64;

bool holds(ir::Relation relation, std::int64_t a, std::int64_t b) {
  switch (relation) {
    case ir::Relation::Eq: return a == b;
    case ir::Relation::Ne: return a != b;
    case ir::Relation::Lt: return a < b;
    case ir::Relation::Le: return a <= b;
    case ir::Relation::Gt: return a > b;
    case ir::Relation::Ge: return a >= b;
  }
  return false;
}

ir::Relation negated(ir::Relation relation) {
  switch (relation) {
    case ir::Relation::Eq: return ir::Relation::Ne;
    case ir::Relation::Ne: return ir::Relation::Eq;
    case ir::Relation::Lt: return ir::Relation::Ge;
    case ir::Relation::Le: return ir::Relation::Gt;
    case ir::Relation::Gt: return ir::Relation::Le;
    case ir::Relation::Ge: return ir::Relation::Lt;
  }
  return relation;
}

void add_guard(Trace& trace, ir::Relation relation, ir::SizeId a, ir::SizeId b, Loc where) {
  if (trace.function.sizes.value(a) && trace.function.sizes.value(b)) return;
  int guards = 0;
  std::size_t of_line = 1;
  for (const ir::HostOp& op : trace.function.host) {
    if (op.kind != ir::HostOp::Kind::Guard) continue;
    if (op.left == a && op.right == b && op.relation == relation) return;
    ++guards;
    if (where.line != 0 && op.where.line == where.line) ++of_line;
  }
  if (of_line > max_guards_of_a_line) {
    trace.fail(3203, "64 guards from one line: a C++ loop runs over a run-time size", where,
               "ph::specialize(n), or ph::tile");
  }
  if (guards >= max_guards && of_line <= 1) {
    trace.fail(4008, "the 17th guard of one kernel: each one is a new trace", where,
               "ph::specialize less, or ph::when");
  }
  ir::HostOp guard;
  guard.kind = ir::HostOp::Kind::Guard;
  guard.left = a;
  guard.right = b;
  guard.relation = relation;
  guard.where = trace.location(where);
  trace.function.host.push_back(guard);
}

}  // namespace

Size::Size(std::int64_t value, int) {
  Trace& trace = lang::current("Size", Loc{});
  handle_ = trace.handle(trace.function.sizes.constant(value).value);
}

Size Size::arithmetic(char what, Size a, Size b) {
  Trace& trace = lang::current(a.handle(), "size arithmetic", Loc{});
  const ir::SizeId x = lang::size_id(trace, a), y = lang::size_id(trace, b);
  ir::SizeTable& sizes = trace.function.sizes;
  switch (what) {
    case '+': return lang::to_size(trace, sizes.add(x, y));
    case '-': return lang::to_size(trace, sizes.sub(x, y));
    case '*': return lang::to_size(trace, sizes.mul(x, y));
    case '/': return lang::to_size(trace, sizes.floor_div(x, y));
    default: return lang::to_size(trace, sizes.mod(x, y));
  }
}

namespace {

template <class F>
Size combine(Size a, Size b, F f) {
  Trace& trace = lang::current(a.handle(), "size arithmetic", Loc{});
  return lang::to_size(trace,
                       f(trace.function.sizes, lang::size_id(trace, a), lang::size_id(trace, b)));
}

Condition relate(ir::Relation relation, Size a, const SizeOperand& b) {
  return {static_cast<std::uint8_t>(relation), a, b.size, b.where};
}

}  // namespace

Size cdiv(Size a, Size b) {
  return combine(a, b, [](ir::SizeTable& s, auto x, auto y) { return s.ceil_div(x, y); });
}
Size min(Size a, Size b) {
  return combine(a, b, [](ir::SizeTable& s, auto x, auto y) { return s.min(x, y); });
}
Size max(Size a, Size b) {
  return combine(a, b, [](ir::SizeTable& s, auto x, auto y) { return s.max(x, y); });
}

Condition operator==(Size a, SizeOperand b) { return relate(ir::Relation::Eq, a, b); }
Condition operator!=(Size a, SizeOperand b) { return relate(ir::Relation::Ne, a, b); }
Condition operator<(Size a, SizeOperand b) { return relate(ir::Relation::Lt, a, b); }
Condition operator<=(Size a, SizeOperand b) { return relate(ir::Relation::Le, a, b); }
Condition operator>(Size a, SizeOperand b) { return relate(ir::Relation::Gt, a, b); }
Condition operator>=(Size a, SizeOperand b) { return relate(ir::Relation::Ge, a, b); }

Condition::operator bool() const {
  Trace& trace = lang::current(left_.handle(), "a condition on sizes", where_);
  const ir::SizeId a = lang::size_id(trace, left_), b = lang::size_id(trace, right_);
  if (trace.depends_on_blocks(a) || trace.depends_on_blocks(b)) {
    trace.fail(4007, "a C++ if on a block size or tunable", where_,
               "ph::when: it is folded per configuration");
  }
  const auto relation = static_cast<ir::Relation>(relation_);
  const bool result = holds(relation, trace.example(a), trace.example(b));
  add_guard(trace, result ? relation : negated(relation), a, b, where_);
  return result;
}

std::int64_t specialize(Size size, Loc where) {
  Trace& trace = lang::current(size.handle(), "specialize", where);
  const ir::SizeId id = lang::size_id(trace, size);
  if (trace.depends_on_blocks(id)) {
    trace.fail(4007, "ph::specialize of a block size", where,
               "ph::when: it is folded per configuration");
  }
  const std::int64_t value = trace.example(id);
  add_guard(trace, ir::Relation::Eq, id, trace.function.sizes.constant(value), where);
  return value;
}

void check(Condition condition, std::string_view message, Loc where) {
  Trace& trace = lang::current(condition.left().handle(), "ph::check", where);
  trace.require_host("ph::check", where);
  ir::HostOp op;
  op.kind = ir::HostOp::Kind::Check;
  op.left = lang::size_id(trace, condition.left());
  op.right = lang::size_id(trace, condition.right());
  op.relation = static_cast<ir::Relation>(condition.relation());
  op.message = message;
  op.where = trace.location(where);
  const std::int64_t a = trace.example(op.left), b = trace.example(op.right);
  if (!holds(op.relation, a, b)) {
    const auto names = [](ir::BlockId) { return std::string("block"); };
    trace.fail(
        4001,
        fmt::format("check failed: {} {} {} ({} and {})", trace.function.sizes.text(op.left, names),
                    ir::text(op.relation), trace.function.sizes.text(op.right, names), a, b),
        where, std::string(message));
  }
  if (op.relation == ir::Relation::Eq) trace.unite_by_check(op.left, op.right);
  trace.function.host.push_back(op);
}

}  // namespace parhelion

namespace parhelion::lang {

ir::SizeId size_id(Trace& trace, Size size) {
  if (size.handle().generation != trace.generation()) {
    trace.fail(1002, "a size belongs to another trace", Loc{},
               "do not keep sizes in globals, statics or captures between calls");
  }
  return ir::SizeId(size.handle().id);
}

Size to_size(Trace& trace, ir::SizeId id) { return Size(trace.handle(id.value)); }

}  // namespace parhelion::lang
