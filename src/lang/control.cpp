// SPDX-License-Identifier: Apache-2.0
// Branches and loops on device values: both sides run once while tracing.
#include "lang/trace.h"

#include <fmt/format.h>

namespace parhelion {

using lang::Trace;
using lang::VarId;

namespace {

using Snapshot = std::vector<std::optional<ir::ValueId>>;

Snapshot snapshot(const Trace& trace) {
  Snapshot s;
  s.reserve(trace.variables.size());
  for (const lang::Variable& v : trace.variables) s.push_back(v.current);
  return s;
}

void restore(Trace& trace, const Snapshot& s) {
  for (std::size_t i = 0; i < s.size(); ++i) trace.variables[i].current = s[i];
}

VarId condition_variable(Trace& trace, const Operand& condition, Loc where) {
  const VarId c = lang::materialize(trace, condition, std::nullopt);
  const ir::TileType type = trace.function.type(trace.read(c, where));
  if (type.rank() != 0) {
    trace.fail(3201,
               fmt::format("ph::when needs one condition, this has {}",
                           lang::type_text(trace.function, type)),
               where, "ph::where chooses per element");
  }
  return lang::cast_to(trace, c, DType::Bool, where);
}

/// Runs `body` in a block of its own; returns the block.
lang::BlockIndex run_block(Trace& trace, const std::function<void()>& body, Loc where) {
  const lang::BlockIndex b = trace.open_block(where);
  trace.frames.push_back({b, {}, false});
  const auto leave = [&] {
    trace.current_block = trace.blocks[b].parent;
    trace.frames.pop_back();
  };
  try {
    body();
  } catch (...) {
    leave();
    throw;
  }
  leave();
  return b;
}

/// A variable that both sides write must leave them with one type.
void check_branch_types(Trace& trace, const Snapshot& before, const Snapshot& after_then,
                        Loc where) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto &a = after_then[i], &b = trace.variables[i].current;
    if (!a || !b) {
      // Set on one side only: an error when it is read afterwards (PH3002), so forget it here.
      if (a) trace.variables[i].current = a;
      continue;
    }
    if (trace.function.type(*a) == trace.function.type(*b)) continue;
    trace.fail(3004,
               fmt::format("the branches leave a value as {} and {}",
                           lang::type_text(trace.function, trace.function.type(*a)),
                           lang::type_text(trace.function, trace.function.type(*b))),
               where, "cast in one branch");
  }
}

}  // namespace

void when(Operand condition, const std::function<void()>& then,
          const std::function<void()>& otherwise, Loc where) {
  Trace& trace = lang::current("ph::when", where);
  trace.require_device("ph::when", where);
  const VarId c = condition_variable(trace, condition, where);
  lang::Node node;
  node.op.code = ir::OpCode::If;
  node.op.operands = {trace.read(c, where)};
  node.op.where = trace.location(where);
  node.reads = {c};
  const Snapshot before = snapshot(trace);
  node.blocks.push_back(run_block(trace, then, where));
  const Snapshot after_then = snapshot(trace);
  restore(trace, before);
  node.blocks.push_back(run_block(trace, otherwise, where));
  check_branch_types(trace, before, after_then, where);
  trace.block().nodes.push_back(std::move(node));
}

void when(Operand condition, const std::function<void()>& then, Loc where) {
  when(
      Operand(lang::as_value(
                  lang::current("ph::when", where),
                  lang::materialize(lang::current("ph::when", where), condition, std::nullopt)),
              condition.where),
      then, [] {}, where);
}

void loop_while(const std::function<Value()>& condition, const std::function<void()>& body,
                Loc where) {
  Trace& trace = lang::current("ph::loop_while", where);
  trace.require_device("ph::loop_while", where);
  lang::Node node;
  node.op.code = ir::OpCode::While;
  node.op.where = trace.location(where);
  node.blocks.push_back(run_block(
      trace,
      [&] {
        const Value c = condition();
        const VarId v = condition_variable(trace, Operand(c, where), where);
        trace.record_effect(ir::OpCode::Condition, {v}, std::monostate{}, where);
      },
      where));
  node.blocks.push_back(run_block(trace, body, where));
  trace.block().nodes.push_back(std::move(node));
}

void name(const Value& value, std::string_view text) {
  Trace& trace = lang::current(value.handle(), "ph::name", Loc{});
  trace.variables[lang::variable_of(trace, value, Loc{})].name = text;
}

}  // namespace parhelion
