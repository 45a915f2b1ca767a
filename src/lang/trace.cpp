// SPDX-License-Identifier: Apache-2.0
#include "lang/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>

namespace parhelion::lang {

namespace {

// One of the two documented exceptions to "no singletons": builders find the running trace here.
thread_local std::vector<Trace*> stack;

std::uint32_t next_generation() {
  static std::atomic<std::uint32_t> counter{1};
  return counter.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

Trace::Trace(std::string name, std::string file, std::uint32_t line)
    : generation_(next_generation()) {
  function.name = std::move(name);
  if (!file.empty()) (void)function.file_index(file);
  (void)line;
  blocks.emplace_back();
  stack.push_back(this);
}

Trace::~Trace() { std::erase(stack, this); }

Trace* current_or_null() { return stack.empty() ? nullptr : stack.back(); }

Trace& current(std::string_view what, Loc where) {
  if (stack.empty()) {
    throw Error(diag(1001, fmt::format("'{}' is used outside a kernel", what),
                     {where.file, static_cast<int>(where.line), static_cast<int>(where.column)},
                     "values exist only while ph::kernel runs its lambda"));
  }
  return *stack.back();
}

Trace& current(Handle handle, std::string_view what, Loc where) {
  Trace& trace = current(what, where);
  if (handle.generation != 0 && handle.generation != trace.generation()) {
    trace.fail(1002, fmt::format("a value used by '{}' belongs to another trace", what), where,
               "do not keep values in globals, statics or captures between calls");
  }
  return trace;
}

ir::Location Trace::location(Loc where) {
  if (where.line == 0) return {};
  return {function.file_index(where.file), where.line, where.column};
}

Place Trace::place(Loc where) const {
  return {where.file, static_cast<int>(where.line), static_cast<int>(where.column)};
}

void Trace::fail(int code, std::string message, Loc where, std::string help,
                 std::vector<DiagnosticNote> notes) const {
  Diagnostic d = diag(code, std::move(message), place(where), std::move(help));
  d.notes = std::move(notes);
  for (BlockIndex b = current_block; b != 0; b = blocks[b].parent) {
    if (blocks[b].opened.known()) {
      const Place at = function.place(blocks[b].opened);
      d.notes.push_back({fmt::format("in the block opened at line {}", at.line), at});
    }
  }
  throw Error(std::move(d));
}

void Trace::warn(int code, std::string message, Loc where, std::string help) {
  warnings.push_back(diag(code, std::move(message), place(where), std::move(help)));
}

void Trace::require_device(std::string_view what, Loc where) const {
  if (frames.empty()) {
    fail(1101, fmt::format("{} is only allowed inside a tile loop", what), where,
         "wrap it in for (auto t : ph::tile(n))");
  }
}

void Trace::require_host(std::string_view what, Loc where) const {
  if (!frames.empty()) {
    fail(1102, fmt::format("{} inside a tile loop", what), where,
         "allocate before the loop; for a register tile use ph::zeros");
  }
}

VarId Trace::new_variable(bool temporary) {
  Variable v;
  v.block = current_block;
  v.temporary = temporary;
  variables.push_back(std::move(v));
  return static_cast<VarId>(variables.size() - 1);
}

Variable& Trace::variable(Handle handle, Loc where) {
  if (handle.generation != generation_ || handle.id >= variables.size()) {
    fail(1002, "a value belongs to another trace", where,
         "do not keep values in globals, statics or captures between calls");
  }
  return variables[handle.id];
}

ir::ValueId Trace::read(VarId id, Loc where) {
  const Variable& v = variables[id];
  if (!v.current) {
    fail(3001, "a value is read before it is set", where,
         "ph::Value acc = ph::zeros({tm, tn}, ph::f32)");
  }
  for (ir::AxisId& a : function.value(*v.current).type.axes) {
    a = find(a);  // it may have been united with another one since
    const ir::Axis& axis = function.axis(a);
    if (axis.kind == ir::AxisKind::Tile &&
        std::ranges::find(open_loops, axis.loop) == open_loops.end()) {
      fail(1208, fmt::format("tile '{}' is used after its loop", axis.name), where,
           "take what you need out of the loop as a value");
    }
  }
  return *v.current;
}

void Trace::write_copy(VarId to, VarId from, Loc where) {
  const ir::ValueId raw = read(from, where);
  Node node;
  node.copy = true;
  node.reads = {from};
  node.writes = {to};
  node.op.where = where.line != 0 ? location(where) : variables[from].written;
  variables[to].current = raw;
  variables[to].temporary = false;
  variables[to].written = node.op.where;
  block().nodes.push_back(std::move(node));
}

VarId Trace::record(ir::OpCode code, std::vector<VarId> reads, ir::Payload payload, Loc where) {
  ir::Op op;
  op.code = code;
  op.payload = std::move(payload);
  for (const VarId r : reads) op.operands.push_back(read(r, where));
  op.where = where.line != 0 || reads.empty() ? location(where) : variables[reads[0]].written;
  auto types = ir::infer(function, op);
  if (!types) {
    Diagnostics ds = types.error();
    for (Diagnostic& d : ds) {
      if (d.where.line == 0) d.where = function.place(op.where);
    }
    throw Error(std::move(ds));
  }
  const VarId result = new_variable(true);
  variables[result].current = function.add_value(types->at(0));
  variables[result].written = op.where;
  Node node;
  node.op = std::move(op);
  node.op.results = {*variables[result].current};
  node.reads = std::move(reads);
  node.writes = {result};
  block().nodes.push_back(std::move(node));
  return result;
}

VarId Trace::record_typed(ir::OpCode code, std::vector<VarId> reads, ir::Payload payload,
                          ir::TileType type, Loc where) {
  Node node;
  node.op.code = code;
  node.op.payload = std::move(payload);
  for (const VarId r : reads) node.op.operands.push_back(read(r, where));
  node.op.where = where.line != 0 || reads.empty() ? location(where) : variables[reads[0]].written;
  const VarId result = new_variable(true);
  variables[result].current = function.add_value(std::move(type));
  variables[result].written = node.op.where;
  node.op.results = {*variables[result].current};
  node.reads = std::move(reads);
  node.writes = {result};
  block().nodes.push_back(std::move(node));
  return result;
}

void Trace::record_effect(ir::OpCode code, std::vector<VarId> reads, ir::Payload payload,
                          Loc where) {
  Node node;
  node.op.code = code;
  node.op.payload = std::move(payload);
  for (const VarId r : reads) node.op.operands.push_back(read(r, where));
  node.op.where = location(where);
  node.reads = std::move(reads);
  block().nodes.push_back(std::move(node));
}

BlockIndex Trace::open_block(Loc where) {
  blocks.push_back({.nodes = {}, .parent = current_block, .opened = location(where)});
  current_block = static_cast<BlockIndex>(blocks.size() - 1);
  return current_block;
}

ir::AxisId Trace::find(ir::AxisId id) const {
  while (id.index() < parents_.size() && parents_[id.index()].valid()) {
    id = parents_[id.index()];
  }
  return id;
}

namespace {

/// A plain symbol of a tensor's size, or a constant.
bool is_plain(const ir::SizeTable& sizes, ir::SizeId id) {
  return sizes.symbol_index(id).has_value() || sizes.value(id).has_value();
}

bool of_one_tensor(const ir::SizeTable& sizes, ir::SizeId a, ir::SizeId b) {
  const auto x = sizes.symbol_index(a), y = sizes.symbol_index(b);
  return x && y && sizes.symbols()[*x].tensor == sizes.symbols()[*y].tensor;
}

}  // namespace

bool Trace::unite(ir::AxisId a, ir::AxisId b, Loc where) {
  a = find(a);
  b = find(b);
  if (a == b) return true;
  const ir::Axis& x = function.axis(a);
  const ir::Axis& y = function.axis(b);
  if (x.kind != ir::AxisKind::Extent || y.kind != ir::AxisKind::Extent) return false;
  if (!is_plain(function.sizes, x.extent) || !is_plain(function.sizes, y.extent)) return false;
  if (of_one_tensor(function.sizes, x.extent, y.extent)) return false;
  if (example(x.extent) != example(y.extent)) return false;
  ir::HostOp check;
  check.kind = ir::HostOp::Kind::Check;
  check.left = x.extent;
  check.right = y.extent;
  check.where = location(where);
  function.host.push_back(check);
  parents_.resize(function.axes.size());
  parents_[std::max(a, b).index()] = std::min(a, b);
  return true;
}

void Trace::unite_by_check(ir::SizeId a, ir::SizeId b) {
  const ir::AxisId x = find(function.extent_axis(a)), y = find(function.extent_axis(b));
  if (x == y) return;
  parents_.resize(function.axes.size());
  parents_[std::max(x, y).index()] = std::min(x, y);
}

std::int64_t Trace::example(ir::SizeId id) const {
  return function.sizes.evaluate(
      id, examples, [this](ir::BlockId b) { return function.blocks[b.index()].fixed.value_or(1); });
}

bool Trace::depends_on_blocks(ir::SizeId id) const {
  bool depends = false;
  (void)function.sizes.evaluate(id, examples, [&](ir::BlockId b) {
    depends = depends || !function.blocks[b.index()].fixed;
    return std::int64_t{1};
  });
  return depends;
}

}  // namespace parhelion::lang
