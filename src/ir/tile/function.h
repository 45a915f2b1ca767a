// SPDX-License-Identifier: Apache-2.0
// A traced kernel: tensors, host program, and the root loops. Owns everything in vectors; ids are
// handles. Passes take a const Function& and return a Function.
#pragma once

#include "base/hash.h"
#include "ir/tile/op.h"
#include "ir/tile/sizes.h"

#include <parhelion/diagnostic.h>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace parhelion::ir {

struct Tensor {
  enum class Kind : std::uint8_t { Parameter, Empty, Filled, View };
  Kind kind = Kind::Parameter;
  std::string name;
  DType dtype = DType::F32;
  std::vector<SizeId> sizes;
  std::vector<SizeId> strides;  // in elements; symbols of a parameter, products of an Empty
  TensorId base;                // View: the parameter or Empty whose memory it shares, no View
  SizeId offset;                // View: elements added to the base pointer
  double fill = 0;              // Filled
  Location where;
};

struct ScalarParameter {
  std::string name;
  bool is_float = false;
};

/// `parameters` is the order of the kernel's arguments.
using Parameter = std::variant<TensorId, ScalarId>;

enum class Relation : std::uint8_t { Eq, Ne, Lt, Le, Gt, Ge };
[[nodiscard]] std::string_view text(Relation relation);
[[nodiscard]] bool satisfies(Relation relation, std::int64_t a, std::int64_t b);

/// Straight-line host ops in order: allocations and views appear as tensors (`made`), checks are
/// asserted at every new shape, guards decided a C++ `if` of the body and select the trace.
struct HostOp {
  enum class Kind : std::uint8_t { Make, Check, Guard };
  Kind kind = Kind::Make;
  TensorId tensor;  // Make
  SizeId left, right;
  Relation relation = Relation::Eq;
  std::string message;
  Location where;
};

/// A block size. `fixed` by the user, or chosen by the configuration in [minimum, maximum].
struct Block {
  std::string name;
  std::optional<std::int64_t> fixed;
  std::int64_t minimum = 1, maximum = 0;  // maximum 0: none
};

class Function {
 public:
  Function();  // makes the Unit axis and an empty body

  std::string name;
  std::vector<std::string> files;
  SizeTable sizes;
  std::vector<Tensor> tensors;
  std::vector<ScalarParameter> scalars;
  std::vector<Parameter> parameters;
  std::vector<HostOp> host;
  std::vector<Block> blocks;
  std::vector<Axis> axes;  // [0] is Unit
  std::vector<Value> values;
  std::vector<Op> ops;
  std::vector<Region> regions;
  RegionId body;  // holds Grid and Barrier ops only
  std::vector<TensorId> returns;
  bool returns_list = false;  // the user returned a tuple or list, even of one
  std::uint32_t sites = 0;    // number of memory sites

  [[nodiscard]] const Op& op(OpId id) const { return ops[id.index()]; }
  [[nodiscard]] Op& op(OpId id) { return ops[id.index()]; }
  [[nodiscard]] const Value& value(ValueId id) const { return values[id.index()]; }
  [[nodiscard]] Value& value(ValueId id) { return values[id.index()]; }
  [[nodiscard]] const TileType& type(ValueId id) const { return values[id.index()].type; }
  [[nodiscard]] const Region& region(RegionId id) const { return regions[id.index()]; }
  [[nodiscard]] Region& region(RegionId id) { return regions[id.index()]; }
  [[nodiscard]] const Axis& axis(AxisId id) const { return axes[id.index()]; }
  [[nodiscard]] Axis& axis(AxisId id) { return axes[id.index()]; }
  [[nodiscard]] const Tensor& tensor(TensorId id) const { return tensors[id.index()]; }
  [[nodiscard]] Tensor& tensor(TensorId id) { return tensors[id.index()]; }

  AxisId add_axis(Axis axis);
  AxisId extent_axis(SizeId extent);  // one axis per canonical extent
  ValueId add_value(TileType type, std::string name = {}, OpId defined_by = {});
  RegionId add_region();
  /// Appends to `region`; results get `types` and are defined by it.
  OpId append(RegionId region, Op op, const std::vector<TileType>& types);

  [[nodiscard]] Place place(Location where) const;
  [[nodiscard]] std::uint32_t file_index(std::string_view file);  // adds it if absent
};

/// Dense ids in order of appearance, as configurations name things (DESIGN 12.1): tiled and full
/// axes a0.., loops l0.. (one per Grid or For op), sites s0.. (SiteId), dots d0...
struct Numbering {
  std::vector<AxisId> axes;
  std::vector<OpId> loops;
  std::vector<OpId> dots;
  std::vector<OpId> sites;  // by SiteId
  [[nodiscard]] std::optional<std::size_t> axis(AxisId id) const;
  [[nodiscard]] std::optional<std::size_t> loop(OpId id) const;
  [[nodiscard]] std::optional<std::size_t> dot(OpId id) const;
};
[[nodiscard]] Numbering number(const Function& function);

/// Hash over the nameless form: names and locations leave it as it is.
[[nodiscard]] Hash hash(const Function& function);

/// A `.ph` file of this kernel, `parhelion 1` first; `locations` adds the files and `#line:col`.
/// print -> parse gives an equal text.
[[nodiscard]] std::string print(const Function& function, bool locations = true);
/// The kernel alone, without the first line and locations: for comments and listings.
[[nodiscard]] std::string print_kernel(const Function& function);
/// All kernels of a `.ph` text. PH50xx point at the line of the text.
[[nodiscard]] Result<std::vector<Function>> parse(std::string_view text, std::string_view file);

/// Empty when every rule of frontend.md section 5 holds.
[[nodiscard]] Diagnostics verify(const Function& function);

/// Type rules, shared by the tracer, the parser and the verifier: what the results of an op are,
/// or why it is refused (PH2xxx). `where` of the diagnostics is taken from the op.
[[nodiscard]] Result<std::vector<TileType>> infer(const Function& function, const Op& op);

/// torch's promotion of two dtypes.
[[nodiscard]] DType promote(DType a, DType b);
/// "f32[tm, :n]", with the display names of the axes.
[[nodiscard]] std::string text(const Function& function, const TileType& type);

/// Axes of the place that subscripts name, and for each subscript the place dimension that it walks
/// (Tile, All, Slice, New; -1 for Point and Value). An axis that an index value brings is zipped
/// with the same axis of another index value or of a Tile subscript. `operands` of the op.
struct PlaceMap {
  std::vector<AxisId> axes;
  std::vector<int> dimension;                   // per subscript
  std::vector<std::vector<int>> of_value;       // per subscript, per axis of its value; -1: Unit
};
[[nodiscard]] PlaceMap map_place(const Function& function, const Access& access,
                                 const std::vector<ValueId>& operands);
/// Sizes that the host program's `==` checks make equal; `same` answers for two of them.
class EqualSizes {
 public:
  explicit EqualSizes(const Function& function);
  [[nodiscard]] bool same(SizeId a, SizeId b) const { return find(a) == find(b); }

 private:
  [[nodiscard]] SizeId find(SizeId id) const;
  std::map<SizeId, SizeId> parent_;
};

/// Right-aligned broadcast of two axis lists, or nullopt where they clash.
[[nodiscard]] std::optional<std::vector<AxisId>> broadcast(const Function& function,
                                                           const std::vector<AxisId>& a,
                                                           const std::vector<AxisId>& b);

}  // namespace parhelion::ir
