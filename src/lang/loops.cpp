// SPDX-License-Identifier: Apache-2.0
// Tile loops. The body of a `for` over ph::tile runs once; what leaves it early poisons the trace.
#include "lang/names.h"
#include "lang/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

namespace parhelion {

using lang::Trace;
using lang::VarId;

namespace {

ir::BlockId new_block(Trace& trace, std::string name) {
  trace.function.blocks.push_back({std::move(name), std::nullopt, 1, 0});
  return ir::BlockId(trace.function.blocks.size() - 1);
}

ir::Bound bound_of(Trace& trace, const RangeBound& bound, std::vector<VarId>& reads, Loc where) {
  ir::Bound result;
  if (bound.size) {
    result.size = lang::size_id(trace, *bound.size);
    return result;
  }
  const VarId v = lang::variable_of(trace, *bound.value, where);
  const ir::TileType type = trace.function.type(trace.read(v, where));
  if (type.rank() != 0 || !is_integer(type.dtype)) {
    trace.fail(
        1206,
        fmt::format("loop bound is {}, not one integer", lang::type_text(trace.function, type)),
        where, "reduce it: ph::amax(lengths, 0)");
  }
  result.operand = static_cast<std::int32_t>(reads.size());
  reads.push_back(v);
  return result;
}

void check_constant_bounds(Trace& trace, const ir::Bound& begin, const ir::Bound& end, Loc where) {
  if (!begin.size.valid() || !end.size.valid()) return;
  const auto b = trace.function.sizes.value(begin.size), e = trace.function.sizes.value(end.size);
  if (b && e && *b > *e) {
    trace.fail(1207, fmt::format("begin {} is after end {}", *b, *e), where,
               "ph::range(begin, end) with begin <= end");
  }
}

ir::BlockId block_of(Trace& trace, const Range& range, std::string_view axis_name) {
  if (range.block) return ir::BlockId(range.block->handle().id);
  const ir::BlockId id = new_block(trace, std::string(axis_name));
  if (range.fixed > 0) trace.function.blocks[id.index()].fixed = range.fixed;
  return id;
}

}  // namespace

Block::operator Size() const {
  Trace& trace = lang::current(handle_, "a block size", Loc{});
  return lang::to_size(trace, trace.function.sizes.block(ir::BlockId(handle_.id)));
}

Block block_size(std::int64_t min, std::int64_t max, Loc where) {
  Trace& trace = lang::current("ph::block_size", where);
  if (min < 1 || (max != 0 && max < min)) {
    trace.fail(4006, fmt::format("ph::block_size({}, {})", min, max), where,
               "1 <= min <= max, or max = 0 for no limit");
  }
  const ir::BlockId id = new_block(trace, fmt::format("b{}", trace.function.blocks.size()));
  trace.function.blocks[id.index()].minimum = min;
  trace.function.blocks[id.index()].maximum = max;
  return Block(trace.handle(id.value));
}

Block fixed_block(std::int64_t size, Loc where) {
  Trace& trace = lang::current("ph::fixed_block", where);
  if (size < 1) {
    trace.fail(4006, fmt::format("ph::fixed_block({})", size), where, "a block has 1 lane or more");
  }
  const ir::BlockId id = new_block(trace, fmt::format("b{}", trace.function.blocks.size()));
  trace.function.blocks[id.index()].fixed = size;
  return Block(trace.handle(id.value));
}

void barrier(Loc where) {
  Trace& trace = lang::current("ph::barrier", where);
  if (trace.in_device_code()) {
    trace.fail(1210, "ph::barrier inside a loop", where, "only between root loops");
  }
  trace.record_effect(ir::OpCode::Barrier, {}, std::monostate{}, where);
}

Size Tile::block_size() const {
  Trace& trace = lang::current(axis_, "block_size", Loc{});
  return lang::to_size(trace, trace.function.axis(ir::AxisId(axis_.id)).extent);
}

namespace {

Value axis_op(ir::OpCode code, Handle axis, bool vector, Loc where) {
  Trace& trace = lang::current(axis, ir::row(code).text, where);
  const ir::AxisId id(axis.id);
  ir::TileType type{DType::I64, {}};
  if (vector) type.axes.push_back(id);
  if (std::ranges::find(trace.open_loops, trace.function.axis(id).loop) == trace.open_loops.end()) {
    trace.fail(1208, fmt::format("tile '{}' is used after its loop", trace.function.axis(id).name),
               where, "take what you need out of the loop as a value");
  }
  return lang::as_value(trace, trace.record_typed(code, {}, ir::AxisAttr{id}, type, where));
}

}  // namespace

Value Tile::index(Loc where) const { return axis_op(ir::OpCode::Index, axis_, true, where); }
Value Tile::begin(Loc where) const { return axis_op(ir::OpCode::Begin, axis_, false, where); }
Value Tile::end(Loc where) const { return axis_op(ir::OpCode::End, axis_, false, where); }
Value Tile::id(Loc where) const { return axis_op(ir::OpCode::TileId, axis_, false, where); }
Value Tile::count(Loc where) const { return axis_op(ir::OpCode::Count, axis_, false, where); }

namespace detail {

LoopState make_loop(std::initializer_list<const TileBound*> bounds) {
  const Loc where = (*bounds.begin())->where;
  Trace& trace = lang::current("ph::tile", where);
  const bool root = !trace.in_device_code();
  const ir::OpId loop(trace.next_loop++);
  const std::vector<std::string> names =
      lang::loop_names(where, bounds.size(), trace.function.axes.size());
  lang::Node node;
  node.op.code = root ? ir::OpCode::Grid : ir::OpCode::For;
  node.op.where = trace.location(where);
  ir::LoopAttr attr;
  LoopState state;
  for (const TileBound* b : bounds) {
    ir::LoopDim dim;
    dim.begin = bound_of(trace, b->range.begin, node.reads, where);
    dim.end = bound_of(trace, b->range.end, node.reads, where);
    if (root && (dim.begin.operand >= 0 || dim.end.operand >= 0)) {
      trace.fail(1206, "a root loop has a device value as its bound", where, "use a host size");
    }
    check_constant_bounds(trace, dim.begin, dim.end, where);
    const std::string& axis_name = names[attr.dims.size()];
    dim.block = block_of(trace, b->range, axis_name);
    ir::Axis axis;
    axis.kind = ir::AxisKind::Tile;
    axis.loop = loop;
    axis.dimension = static_cast<std::uint32_t>(attr.dims.size());
    axis.extent = trace.function.sizes.block(dim.block);
    axis.name = axis_name;
    dim.axis = trace.function.add_axis(axis);
    state.tiles.emplace_back(trace.handle(dim.axis.value));
    attr.dims.push_back(dim);
  }
  for (const VarId r : node.reads) node.op.operands.push_back(trace.read(r, where));
  node.op.payload = std::move(attr);
  trace.block().nodes.push_back(std::move(node));
  state.generation = trace.generation();
  state.frame = static_cast<std::uint32_t>(trace.block().nodes.size() - 1);
  state.exceptions = std::uncaught_exceptions();
  state.where = where;
  return state;
}

void open_loop(LoopState& state) {
  Trace& trace = lang::current("ph::tile", state.where);
  if (state.phase != LoopState::Phase::Fresh) {
    trace.fail(1203, "ph::tile is iterated twice", state.where,
               "for (auto t : ph::tile(n)) { ... }");
  }
  const lang::BlockIndex parent = trace.current_block;
  const lang::BlockIndex body = trace.open_block(state.where);
  lang::Node& node = trace.blocks[parent].nodes[state.frame];
  node.blocks = {body};
  const ir::AxisId first(state.tiles[0].handle().id);
  const ir::OpId loop = trace.function.axis(first).loop;
  trace.frames.push_back({body, loop, node.op.code == ir::OpCode::Grid});
  trace.open_loops.push_back(loop);
  trace.roots_seen = true;
  state.phase = LoopState::Phase::Open;
}

void close_loop(LoopState& state) {
  Trace& trace = lang::current("ph::tile", state.where);
  trace.current_block = trace.block().parent;
  trace.frames.pop_back();
  trace.open_loops.pop_back();
  state.phase = LoopState::Phase::Closed;
}

void abandon_loop(LoopState& state) noexcept {
  if (state.phase == LoopState::Phase::Closed) return;
  Trace* trace = lang::current_or_null();
  if (trace == nullptr || trace->generation() != state.generation) return;
  if (state.phase == LoopState::Phase::Open) {
    // Frames of loops inside this one are gone already: they were unwound first.
    trace->current_block = trace->block().parent;
    trace->frames.pop_back();
    trace->open_loops.pop_back();
    state.phase = LoopState::Phase::Closed;
    if (std::uncaught_exceptions() > state.exceptions || trace->poison) return;
    trace->poison = diag(1201, "break or return leaves a tile loop", trace->place(state.where),
                         "the body stands for every tile: use ph::when or bound the range");
    return;
  }
  if (std::uncaught_exceptions() > state.exceptions || trace->poison) return;
  trace->poison = diag(1202, "ph::tile is not the range of a for loop", trace->place(state.where),
                       "for (auto t : ph::tile(n)) { ... }");
}

}  // namespace detail
}  // namespace parhelion
