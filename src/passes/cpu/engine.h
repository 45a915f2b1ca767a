// SPDX-License-Identifier: Apache-2.0
// State of the lowering. Tile values are virtual: they are computed where a store, a reduction, a
// dot or a loop needs them, at one position of a loop nest, as scalars or as vectors along one
// axis.
#pragma once

#include "ir/kernel/module.h"
#include "ir/tile/function.h"
#include "ir/tile/specialization.h"
#include "plan/cpu/plan.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion::passes::cpu {

namespace k = ir::kernel;

/// An axis while its loop is open. Lanes run over [begin, begin + count); `index` is the local
/// position where the axis is walked one index at a time.
struct AxisBinding {
  k::ValueId begin, count;
  k::ValueId tile_id, tiles;
  std::optional<k::ValueId> index;
};

/// The axis that is walked by vectors: lane 0 stands at local index `start`.
struct Lanes {
  ir::AxisId axis;
  k::ValueId start;
  int lanes = 1;
  std::optional<k::ValueId> valid;  // a tail: only this many lanes
};

/// Memory that holds a tile value: element (i, j, ...) at pointer + sum of index * stride.
struct Buffer {
  k::ValueId pointer;
  DType element = DType::F32;
  std::vector<std::pair<ir::AxisId, k::ValueId>> strides;
  bool absolute = false;  // indices count from the axis' origin (an output), not from the tile
};

/// What has been computed in an open block of the kernel IR.
struct Scope {
  std::map<ir::ValueId, k::ValueId> values;
  std::map<ir::ValueId, k::ValueId> reciprocals;  // of row constants that divide
};

class Engine {
 public:
  Engine(const ir::Function& function, const plan::cpu::Plan& plan,
         const ir::Specialization& specialization);
  k::Module run();

  // ---- sizes.cpp: host numbers as parameters
  k::ValueId size_value(ir::SizeId size);
  k::ValueId tensor_pointer(ir::TensorId tensor, bool written);
  k::ValueId scalar_value(ir::ScalarId scalar);
  Buffer allocate(const std::vector<ir::AxisId>& axes, DType element, std::string_view name);
  k::ValueId workspace(ir::SizeId bytes);
  [[nodiscard]] std::int64_t block_size(ir::BlockId block) const;
  [[nodiscard]] ir::SizeId bound_extent(ir::AxisId axis);  // most lanes that the axis can have

  // ---- expressions.cpp: a tile value at the current position
  k::ValueId eval(ir::ValueId value, const Lanes* lanes);
  k::ValueId eval_vector(ir::ValueId value, const Lanes& lanes);  // splat where it is a scalar
  k::ValueId as_lanes(k::ValueId value, int lanes);
  k::ValueId store_form(k::ValueId value, DType dtype);  // from the form that is computed in
  k::ValueId compute_form(k::ValueId value, DType dtype);
  k::ValueId rounded(k::ValueId value, DType dtype);
  k::ValueId position(ir::AxisId axis, const Lanes* lanes, bool absolute);
  k::ValueId compute(const ir::Op& op, ir::ValueId value, const Lanes* lanes);
  k::ValueId leaf(const ir::Op& op, const Lanes* lanes);
  k::ValueId convert(const ir::Op& op, const Lanes* lanes);
  k::ValueId unary(const ir::Op& op, const Lanes* lanes);
  k::ValueId binary(const ir::Op& op, const Lanes* lanes);
  k::ValueId select(const ir::Op& op, const Lanes* lanes);
  [[nodiscard]] bool depends_on(ir::ValueId value, ir::AxisId axis) const;
  void evaluate_invariants(ir::ValueId value, ir::AxisId axis);

  // ---- memory.cpp
  /// Where an access stands: `room` lanes are inside the tensor (vectors), `condition` says whether
  /// the one element is (scalars).
  struct Place {
    k::ValueId pointer;
    std::optional<k::ValueId> room, condition;
  };
  Place place(const ir::Op& op, const Lanes* lanes, bool written);
  k::ValueId dimension_index(const ir::Op& op, const ir::Subscript& s, const Lanes* lanes);
  k::ValueId buffer_pointer(const Buffer& buffer, const Lanes* lanes);
  const Lanes& scalar_lane(const Lanes& lanes);
  [[nodiscard]] bool same_extent(ir::SizeId a, ir::SizeId b) const;
  k::ValueId load_place(const ir::Op& op, const Lanes* lanes);
  void store_place(const ir::Op& op, k::ValueId value, const Lanes* lanes, bool non_temporal);
  k::ValueId read_buffer(const Buffer& buffer, const Lanes* lanes);
  void write_buffer(const Buffer& buffer, k::ValueId value, const Lanes* lanes);
  /// Can this load or store be done by vectors along `axis`?
  [[nodiscard]] bool contiguous_along(const ir::Op& op, ir::AxisId axis) const;
  [[nodiscard]] bool unmasked(const ir::Access& access, std::size_t dimension,
                              const ir::Subscript& subscript) const;

  // ---- nest.cpp
  using Body = std::function<std::vector<k::ValueId>(const Lanes& lanes,
                                                     const std::vector<k::ValueId>& carry)>;
  /// Walks the axis by strips, vectors and a masked tail; `carry` holds `strip` copies of each
  /// accumulator while strips run. Returns the combined accumulators.
  std::vector<k::ValueId> strips(
      ir::AxisId axis, int lanes, int strip, const std::vector<k::ValueId>& initial,
      const std::function<k::ValueId(std::size_t, k::ValueId, k::ValueId)>& combine,
      const Body& body);
  /// Opens one scalar loop per axis, runs `inner`, closes them.
  void walk(const std::vector<ir::AxisId>& axes, const std::function<void()>& inner);
  /// Vector axis for these values, and whether vectors may be used along it.
  struct Shape {
    std::vector<ir::AxisId> outer;
    ir::AxisId inner;
    int lanes = 1;
  };
  [[nodiscard]] Shape choose(const std::vector<ir::AxisId>& axes,
                             const std::vector<ir::ValueId>& values,
                             const std::vector<const ir::Op*>& places) const;
  void bind_extent(ir::AxisId axis);
  [[nodiscard]] std::vector<ir::AxisId> live_axes(const std::vector<ir::AxisId>& axes) const;

  // ---- statements.cpp
  void region(ir::RegionId region);
  void statement(ir::OpId id);
  void materialize(ir::ValueId value);
  void store(const ir::Op& op);
  void branch(ir::OpId id);
  void loop(ir::OpId id);
  void while_loop(ir::OpId id);
  void keep_loads_before(const std::vector<ir::OpId>& ops, std::size_t position);
  void fill(const Buffer& buffer, const std::vector<ir::AxisId>& over, ir::ValueId value);
  Buffer output_buffer(const ir::Op& store);
  void begin_tees(const std::vector<ir::ValueId>& roots, const Shape& shape);
  void end_tees();

  // ---- control.cpp
  struct Carry {
    struct Tile {
      std::size_t index;
      Buffer buffer;
      std::vector<ir::AxisId> axes;
    };
    std::vector<std::size_t> scalars;
    std::vector<k::ValueId> initial;
    std::vector<Tile> tiles;
  };
  Carry open_carry(const std::vector<ir::ValueId>& entries,
                   const std::vector<ir::ValueId>& arguments);
  std::vector<k::ValueId> next_carry(const Carry& carry, const std::vector<ir::ValueId>& values);
  void define_carry(const Carry& carry, const std::vector<ir::ValueId>& results,
                    const std::vector<k::ValueId>& scalars);
  k::ValueId bound_value(const ir::Op& op, const ir::Bound& bound);

  // ---- reduce.cpp, dot.cpp, gemm.cpp
  void reduce(const ir::Op& op);
  std::vector<k::ValueId> accumulate(const ir::Op& op, k::ValueId x, const Lanes& lanes,
                                     const std::vector<k::ValueId>& acc);
  k::ValueId iota(int lanes);
  static std::size_t reduced_dim(const ir::Op& op);
  void dot(const ir::Op& op);
  k::ValueId widen(k::ValueId v, DType dtype);
  void round_buffer(const Buffer& buffer, const std::vector<ir::AxisId>& over, DType dtype);
  struct GemmSizes {
    ir::SizeId m, n, k, panels;  // extents, and panels of mr rows
    ir::SizeId m_begin, m_end, n_begin, n_end, k_begin;
  };
  void gemm_phases(const plan::cpu::RootPlan& root);
  void micro_kernel(const plan::cpu::GemmPlan& g, const std::string& name);
  void pack_a(const plan::cpu::GemmPlan& g, const GemmSizes& s, const std::string& name);
  k::ValueId workspace_base_a(const plan::cpu::GemmPlan& g, const GemmSizes& s);
  void pack_b(const plan::cpu::GemmPlan& g, k::ValueId target, k::ValueId depth, bool vectors);
  void epilogue(const plan::cpu::RootPlan& root, const Buffer& tile);
  void multiply(const plan::cpu::RootPlan& root, const GemmSizes& s, const std::string& micro,
                const std::string& name);
  k::ValueId scratch_area(ir::SizeId bytes, std::string_view name, DType element = DType::F32);

  // ---- programs.cpp
  void root_phase(const plan::cpu::RootPlan& root);
  void open_entry(std::string name);

  const ir::Function& f;
  const plan::cpu::Plan& plan;
  const ir::Specialization& spec;
  ir::SizeTable sizes;  // the function's, and what the lowering adds
  k::Module m;
  k::Builder b;
  std::map<ir::AxisId, AxisBinding> axes;
  std::map<ir::ValueId, Buffer> buffers;
  std::vector<Scope> scopes;                         // of the open blocks, innermost last
  std::vector<std::pair<ir::ValueId, Buffer>> tees;  // held values that this nest computes

  void at(const ir::Op& op) { b.at({op.where.file, op.where.line, op.where.column}); }
  [[nodiscard]] k::ValueId* cached(ir::ValueId value);
  void remember(ir::ValueId value, k::ValueId result) { scopes.back().values[value] = result; }
  [[nodiscard]] const k::ValueId* reciprocal(ir::ValueId divisor) const;
  k::ValueId c64(std::int64_t v) { return b.integer(v); }
  k::ValueId add(k::ValueId x, k::ValueId y) { return b.binary(k::OpCode::Add, x, y); }
  k::ValueId sub(k::ValueId x, k::ValueId y) { return b.binary(k::OpCode::Sub, x, y); }
  k::ValueId mul(k::ValueId x, k::ValueId y) { return b.binary(k::OpCode::Mul, x, y); }
  k::ValueId min(k::ValueId x, k::ValueId y) { return b.binary(k::OpCode::MinNumber, x, y); }
  k::ValueId max(k::ValueId x, k::ValueId y) { return b.binary(k::OpCode::MaxNumber, x, y); }
  k::ValueId ceil_div(k::ValueId x, std::int64_t d) {
    return b.binary(k::OpCode::Div, add(x, c64(d - 1)), c64(d));
  }

 private:
  std::map<ir::SizeId, k::ValueId> size_values_;
  std::map<ir::TensorId, k::ValueId> pointers_;
  std::map<ir::ScalarId, k::ValueId> scalars_;
  k::ValueId scratch_;
  ir::SizeId scratch_bytes_;
  ir::SizeId workspace_bytes_;
  std::optional<k::ValueId> workspace_pointer_;
  std::optional<ir::SizeId> packed_a_offset_;
  k::ValueId scratch_parameter_, scratch_size_parameter_;
  k::ValueId add_parameter(LaunchParameter parameter, k::Type type);
  std::string unique(std::string name);
  std::set<std::string> names_;
  Lanes first_lane_;
  int strip_ = 4;  // of the root that is lowered
  ir::EqualSizes equal_;
};

/// The dtype that values of `dtype` are computed in: f32 for 16-bit floats, i32 for small integers.
[[nodiscard]] DType compute_dtype(DType dtype);

}  // namespace parhelion::passes::cpu
