// SPDX-License-Identifier: Apache-2.0
// The running trace: tensors and sizes of the host part, and the device part in variable form
// (nodes that read and write variables). finish() turns it into SSA.
#pragma once

#include "base/diag.h"
#include "ir/tile/function.h"

#include <parhelion/lang.h>

#include <optional>
#include <string>
#include <vector>

namespace parhelion::lang {

using VarId = std::uint32_t;
using BlockIndex = std::uint32_t;

/// One recorded step. `op.operands` hold raw values (for types); `reads` the variables behind them.
struct Node {
  ir::Op op;
  std::vector<VarId> reads, writes;
  std::vector<BlockIndex> blocks;  // bodies of For, While, If, Grid
  bool copy = false;               // writes[0] = reads[0]
};

struct Block {
  std::vector<Node> nodes;
  BlockIndex parent = 0;
  ir::Location opened;  // of the loop or branch, for notes
};

struct Variable {
  std::optional<ir::ValueId> current;  // raw value of the last write: its type
  BlockIndex block = 0;                // where it was declared
  std::string name;
  bool temporary = true;  // an expression result; false once copied or declared
  ir::Location written;
};

/// A subscripted place, kept so that an Access can be stored through later.
struct PlaceRecord {
  ir::Access access;
  std::vector<VarId> indices;
  BlockIndex block = 0;
  ir::Location where;
};

struct Frame {
  BlockIndex block = 0;
  ir::OpId loop;  // raw op id that Tile axes name; invalid for branches
  bool root = false;
};

/// What a traced kernel starts from.
struct ExampleTensor {
  std::string name;
  DType dtype = DType::F32;
  std::vector<std::int64_t> sizes, strides;
};

class Trace {
 public:
  Trace(std::string name, std::string file, std::uint32_t line);
  ~Trace();
  Trace(const Trace&) = delete;
  Trace& operator=(const Trace&) = delete;

  [[nodiscard]] std::uint32_t generation() const { return generation_; }
  [[nodiscard]] Handle handle(std::uint32_t id) const { return {id, generation_}; }

  // Parameters, in order of the arguments.
  parhelion::Tensor add_tensor(const ExampleTensor& example);
  parhelion::Scalar add_scalar(std::string name, bool is_float);

  // Variables and nodes.
  VarId new_variable(bool temporary);
  [[nodiscard]] Variable& variable(Handle handle, Loc where);
  /// Raw value of a variable that is read here: set (PH3001), its axes in scope (PH1207).
  ir::ValueId read(VarId id, Loc where);
  void write_copy(VarId to, VarId from, Loc where);
  /// Records an op; infers its results (throws at `where`); returns the variable of the result.
  VarId record(ir::OpCode code, std::vector<VarId> reads, ir::Payload payload, Loc where);
  VarId record_typed(ir::OpCode code, std::vector<VarId> reads, ir::Payload payload,
                     ir::TileType type, Loc where);
  void record_effect(ir::OpCode code, std::vector<VarId> reads, ir::Payload payload, Loc where);

  // Axes.
  [[nodiscard]] ir::AxisId find(ir::AxisId id) const;
  /// True when the two are one axis from here on; adds the host check that this rests on.
  bool unite(ir::AxisId a, ir::AxisId b, Loc where);
  void unite_by_check(ir::SizeId a, ir::SizeId b);

  // Sizes.
  [[nodiscard]] std::int64_t example(ir::SizeId id) const;
  [[nodiscard]] bool depends_on_blocks(ir::SizeId id) const;

  [[nodiscard]] ir::Location location(Loc where);
  [[nodiscard]] Place place(Loc where) const;
  [[noreturn]] void fail(int code, std::string message, Loc where, std::string help = {},
                         std::vector<DiagnosticNote> notes = {}) const;
  void warn(int code, std::string message, Loc where, std::string help = {});

  // Frames.
  [[nodiscard]] bool in_device_code() const { return !frames.empty(); }
  void require_device(std::string_view what, Loc where) const;
  void require_host(std::string_view what, Loc where) const;
  BlockIndex open_block(Loc where);
  [[nodiscard]] Block& block() { return blocks[current_block]; }

  ir::Function function;  // tensors, axes, sizes, raw values; its body is made by finish()
  std::vector<Block> blocks;
  BlockIndex current_block = 0;
  std::vector<Frame> frames;
  std::vector<Variable> variables;
  std::vector<PlaceRecord> places;
  std::vector<std::int64_t> examples;  // by symbol index
  std::vector<ir::OpId> open_loops;
  std::uint32_t next_loop = 0;
  bool roots_seen = false;
  std::optional<Diagnostic> poison;  // first mistake found in a destructor
  Diagnostics warnings;
  std::vector<std::uint32_t> guard_lines;

 private:
  std::vector<ir::AxisId> parents_;
  std::uint32_t generation_;
};

/// The innermost running trace of this thread (PH1001).
[[nodiscard]] Trace& current(std::string_view what, Loc where);
[[nodiscard]] Trace* current_or_null();
/// The same, and `handle` must belong to it (PH1002).
[[nodiscard]] Trace& current(Handle handle, std::string_view what, Loc where);

/// Variable of an operand; numbers become constants of the dtype that `peer` asks for.
[[nodiscard]] VarId materialize(Trace& trace, const Operand& operand, std::optional<DType> peer);
[[nodiscard]] VarId variable_of(Trace& trace, const Value& value, Loc where);
[[nodiscard]] ir::SizeId size_id(Trace& trace, Size size);
[[nodiscard]] Size to_size(Trace& trace, ir::SizeId id);
[[nodiscard]] VarId cast_to(Trace& trace, VarId v, DType dtype, Loc where);
[[nodiscard]] inline Value as_value(Trace& trace, VarId id) { return Value(trace.handle(id)); }

/// "f32[tm, :n]"
[[nodiscard]] std::string type_text(const ir::Function& function, const ir::TileType& type);

/// Variable form -> SSA: liveness, renaming, dead code, source order, names, site numbers.
[[nodiscard]] ir::Function finish(Trace& trace);

}  // namespace parhelion::lang
