// SPDX-License-Identifier: Apache-2.0
// Ops of the tile IR: code, operands, results, regions, a typed payload, and the user's line.
#pragma once

#include "ir/tile/types.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

namespace parhelion::ir {

enum class OpCode : std::uint8_t {
#define PH_OP(code, text, group, operands, pure) code,
#include "ir/tile/ops.def"
#undef PH_OP
};

enum class OpGroup : std::uint8_t {
  Leaf, Memory, Unary, Binary, Compare, Select, Cast, Shape, Reduce, Dot, Control,
};

struct OpRow {
  OpCode code;
  std::string_view text;
  OpGroup group;
  int operands;  // -1: varies
  bool pure;     // no effect, no memory read
};

[[nodiscard]] std::span<const OpRow> op_rows();
[[nodiscard]] const OpRow& row(OpCode code);

struct ConstAttr {
  double number = 0;         // floats and bool
  std::int64_t integer = 0;  // integers
  bool operator==(const ConstAttr&) const = default;
};
struct SizeAttr {
  SizeId size;
  bool operator==(const SizeAttr&) const = default;
};
struct ScalarAttr {
  ScalarId scalar;
  bool operator==(const ScalarAttr&) const = default;
};
struct AxisAttr {
  AxisId axis;
  bool operator==(const AxisAttr&) const = default;
};
struct ShapeAttr {
  std::vector<AxisId> axes;
  bool operator==(const ShapeAttr&) const = default;
};
struct DimAttr {
  int dim = 0;
  bool operator==(const DimAttr&) const = default;
};
struct PermuteAttr {
  std::vector<int> order;
  bool operator==(const PermuteAttr&) const = default;
};
struct ReduceAttr {
  int dim = 0;
  bool keep = false;  // leaves a Unit axis
  bool operator==(const ReduceAttr&) const = default;
};
enum class DotPrecision : std::uint8_t { Ieee, Tf32, Tf32x3 };
struct DotAttr {
  DotPrecision precision = DotPrecision::Ieee;
  bool operator==(const DotAttr&) const = default;
};

/// One subscript of an access. Tile, All and Slice each make a dimension of the place; Point none;
/// Value contributes the axes of an index value; New a Unit axis (consumes no tensor dimension).
struct Subscript {
  enum class Kind : std::uint8_t { Tile, All, Slice, Point, Value, New };
  Kind kind = Kind::All;
  AxisId axis;               // Tile; for All and Slice the Extent axis that they make
  SizeId begin;              // Slice, Point; Tile: added to the index ("tile + 1"), may be none
  int step = 1;              // Slice
  std::uint32_t operand = 0; // Value: which operand of the op holds the index
  bool operator==(const Subscript&) const = default;
};

/// A place in a tensor. Outside the tensor's edge a load gives `other`, a store does nothing.
struct Access {
  TensorId tensor;
  std::vector<Subscript> subscripts;
  std::vector<AxisId> axes;  // of the place, outermost first
  bool masked = false;       // the last operand is a bool mask
  double other = 0;
  bool in_bounds = false;    // the user's promise for index values
  SiteId site;
  bool operator==(const Access&) const = default;
};

/// A bound of a loop: a host size, or a rank-0 integer value (then `operand` of the loop op).
struct Bound {
  SizeId size;
  std::int32_t operand = -1;
  bool operator==(const Bound&) const = default;
};
struct LoopDim {
  AxisId axis;
  Bound begin, end;
  BlockId block;
  bool operator==(const LoopDim&) const = default;
};
struct LoopAttr {
  std::vector<LoopDim> dims;
  bool operator==(const LoopAttr&) const = default;
};

using Payload = std::variant<std::monostate, ConstAttr, SizeAttr, ScalarAttr, AxisAttr, ShapeAttr,
                             DimAttr, PermuteAttr, ReduceAttr, DotAttr, Access, LoopAttr>;

struct Op {
  OpCode code = OpCode::Const;
  std::vector<ValueId> operands;
  std::vector<ValueId> results;
  std::vector<RegionId> regions;
  Payload payload;
  Location where;
};

/// Arguments: For: the carried values; While: both regions take the carried values.
/// The index of a loop is no argument: ops Index, Begin ... name the axis.
/// The last op is Yield (of nothing, where nothing is carried); Condition in a While's condition.
struct Region {
  std::vector<ValueId> arguments;
  std::vector<OpId> ops;
};

struct Value {
  TileType type;
  std::string name;  // the user's variable, for display; empty: numbered
  OpId defined_by;   // invalid for region arguments
};

}  // namespace parhelion::ir
