// SPDX-License-Identifier: Apache-2.0
// State of the lowering. A tile value is held in registers (an array of what one thread has of it),
// or it is virtual: computed element by element where a store, a reduction or a dot needs it.
#pragma once

#include "ir/kernel/module.h"
#include "ir/tile/function.h"
#include "ir/tile/specialization.h"
#include "plan/cuda/access.h"
#include "plan/cuda/dots.h"
#include "plan/cuda/plan.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::passes::cuda {

namespace k = ir::kernel;
using plan::cuda::Classes;
using plan::cuda::ClassId;

/// What a thread holds of a value, for the classes that its dimensions have at the use.
struct Held {
  Classes at;
  std::vector<ClassId> order;   // of the array, slowest first
  k::ValueId variable;          // an array; a plain value where there is no class
  std::optional<DType> packed;  // pairs of this 16-bit type in u32
};

/// A Tile axis while its loop is open.
struct AxisBinding {
  k::ValueId begin, limit;  // first index; valid elements of this tile (i32)
  k::ValueId tile_id, tiles;
};

/// What is known in one region of the text and the regions inside of it.
struct Frame {
  std::map<ir::ValueId, std::vector<Held>> held;
  std::map<std::pair<ir::ValueId, Classes>, k::ValueId> computed;
  std::set<std::pair<ir::ValueId, Classes>> prepared;
  std::map<ClassId, k::ValueId> index;  // register index while its loop is open
  std::map<ClassId, k::ValueId> chunk;  // first element of the chunk that is open
  std::map<ClassId, k::ValueId> local, valid;
  std::map<ir::AxisId, AxisBinding> axes;
};

class Engine {
 public:
  Engine(const ir::Function& function, const plan::cuda::Plan& plan,
         const ir::Specialization& specialization);
  k::Module run();

 private:
  // ---- sizes.cpp: what the host passes
  k::ValueId size_value(ir::SizeId size);
  k::ValueId tensor_pointer(ir::TensorId tensor);
  k::ValueId scalar_value(ir::ScalarId scalar);
  k::ValueId add_parameter(LaunchParameter parameter, k::Type type);
  void mark_written();
  std::string unique(std::string name);

  // ---- programs.cpp
  void entry(const plan::cuda::RootPlan& root, const plan::ProgramPlan& program,
             std::size_t number);
  void bind_program(const plan::ProgramPlan& program);
  void bind_axis(const ir::LoopDim& dim, k::ValueId begin, k::ValueId end, k::ValueId tile_id,
                 k::ValueId tiles);
  [[nodiscard]] bool counts_tiles(ir::AxisId axis) const;
  void find_kept();
  [[nodiscard]] bool worth_keeping(const ir::Op& op) const;

  // ---- positions.cpp: where a thread stands
  void make_thread_parts(const plan::cuda::RootPlan& root);
  k::ValueId register_part(const layout::Stripe& stripe, k::ValueId index);
  k::ValueId local(ClassId id);       // coordinate along the axis inside of the tile, i32
  k::ValueId valid(ClassId id);       // bool: not past the axis' end
  k::ValueId limit(ir::AxisId axis);  // valid elements, i32
  k::ValueId axis_begin(ir::AxisId axis);
  std::optional<k::ValueId> all_valid(const Classes& classes);
  std::optional<k::ValueId> owner(const Classes& classes);
  [[nodiscard]] bool masked(ClassId id) const { return plan_.of(id).masked; }
  void each_register(const std::vector<ClassId>& classes, const std::function<void()>& body);
  void each_vector(ClassId id, int vector, const std::function<void()>& body);
  void each_element(ClassId id, int vector, const std::function<void(k::ValueId)>& body);
  void each_chunk(const std::vector<ClassId>& classes, const std::function<void()>& body);
  [[nodiscard]] bool bound_chunk(ClassId id) const;
  [[nodiscard]] bool has_open_chunk(const Classes& classes) const;

  // ---- held.cpp
  [[nodiscard]] const Held* find_held(ir::ValueId value, const Classes& at) const;
  [[nodiscard]] const Held* any_held(ir::ValueId value) const;
  k::ValueId array_index(const std::vector<ClassId>& order);
  /// An element of a variable; the index does not matter where there is but one.
  void put(k::ValueId variable, k::ValueId value, k::ValueId index);
  k::ValueId take(k::ValueId variable, k::ValueId index);
  [[nodiscard]] k::Type array_type(DType element, std::int64_t count) const;
  [[nodiscard]] std::int64_t count(const std::vector<ClassId>& order) const;
  k::ValueId read_held(const Held& held, DType dtype);
  void hold(ir::ValueId value, Held held) { frames_.back().held[value].push_back(std::move(held)); }
  Held make_array(ir::ValueId value, const Classes& at, DType element, ClassId fastest = {},
                  std::optional<k::ValueId> initial = {});
  void prepare(ir::ValueId value, const Classes& at);
  void keep(ir::ValueId value, const Classes& at);
  void exchange(ir::ValueId value, const Held& held, const Classes& at);

  // ---- element.cpp: one element of a value
  k::ValueId element(ir::ValueId value, const Classes& at);
  k::ValueId compute(const ir::Op& op, ir::ValueId value, const Classes& at);
  k::ValueId leaf(const ir::Op& op, ir::ValueId value, const Classes& at);
  k::ValueId unary(const ir::Op& op, const Classes& at);
  k::ValueId binary(const ir::Op& op, const Classes& at);
  k::ValueId select(const ir::Op& op, const Classes& at);
  k::ValueId cast(k::ValueId x, DType from, DType to);
  k::ValueId operand(const ir::Op& op, std::size_t index, const Classes& at);
  [[nodiscard]] Classes operand_classes(const ir::Op& op, std::size_t index,
                                        const Classes& at) const;
  [[nodiscard]] Classes broadcast(ir::ValueId value, const Classes& at) const;
  k::ValueId rounded(k::ValueId v, DType dtype);
  k::ValueId store_form(k::ValueId v, DType dtype);
  k::ValueId compute_form(k::ValueId v, DType dtype);
  k::ValueId constant(double number, DType dtype);

  // ---- memory.cpp
  struct Place {
    k::ValueId pointer;
    std::optional<k::ValueId> inside;  // edges of the tensor, and the user's mask
  };
  Place place(const ir::Op& op, const Classes& at);
  k::ValueId dimension_index(const ir::Op& op, const plan::cuda::DimensionUse& use,
                             const Classes& at);
  [[nodiscard]] plan::cuda::SitePath path(const ir::Op& op, const Classes& at) const;
  k::ValueId load_element(const ir::Op& op, const Classes& at);
  void load_array(const ir::Op& op, const Classes& at);
  void load_vector(const ir::Op& op, const Held& held, const plan::cuda::SitePath& path);
  void load_tail(const ir::Op& op, const Held& held, const plan::cuda::SitePath& path);
  void store(ir::OpId id);
  void store_scalars(const ir::Op& op, const Classes& at);
  void store_vector(const ir::Op& op, const Classes& at, const plan::cuda::SitePath& path);
  std::optional<k::ValueId> vector_condition(const Classes& at, const plan::cuda::SitePath& path,
                                             std::optional<k::ValueId> inside);
  [[nodiscard]] k::ValueId unrounded(k::ValueId v, DType dtype) const;
  k::ValueId vector_value(k::ValueId elements, int vector, DType dtype);
  k::ValueId guarded_load(k::ValueId pointer, std::optional<k::ValueId> condition, k::Type type,
                          k::ValueId other, bool once);
  [[nodiscard]] bool stored(ir::TensorId tensor) const;
  [[nodiscard]] ir::TensorId memory_of(ir::TensorId tensor) const;
  void order_access(ir::TensorId tensor, bool write);
  void prepare_place(const ir::Op& op, const Classes& at);

  // ---- reduce.cpp
  void reduce(const ir::Op& op);
  [[nodiscard]] k::OpCode combine_code(const ir::Op& op) const;
  k::ValueId combine(const ir::Op& op, k::ValueId a, k::ValueId b);
  k::ValueId neutral(const ir::Op& op);
  [[nodiscard]] DType accumulator(const ir::Op& op) const;
  void reduce_lanes(const ir::Op& op, const Held& parts, ClassId reduced);
  void reduce_warps(const ir::Op& op, const Held& parts, ClassId reduced);
  k::ValueId finish(const ir::Op& op, k::ValueId total, ClassId reduced);

  // ---- statements.cpp
  void region(ir::RegionId region);
  void statement(ir::OpId id);
  void branch(const ir::Op& op);
  void loop(ir::OpId id);
  void while_loop(const ir::Op& op);
  void prepare_outside(const ir::Op& op);
  struct Carry {
    std::vector<std::size_t> scalars, arrays;  // positions among the carried values
    std::vector<Held> variables;               // of the arrays
  };
  Carry open_carry(const ir::Op& op, std::size_t first, const std::vector<ir::ValueId>& arguments);
  std::vector<k::ValueId> scalar_values(const std::vector<ir::ValueId>& values, const Carry& carry);
  void assign(const Carry& carry, const std::vector<ir::ValueId>& yielded,
              const std::vector<ir::ValueId>& arguments);
  [[nodiscard]] bool reads(ir::ValueId value, ir::ValueId argument) const;
  void copy(ir::ValueId value, const Held& to);
  k::ValueId bound_value(const ir::Op& op, const ir::Bound& bound);
  struct Bounds {
    k::ValueId begin, end;
  };
  std::vector<k::ValueId> open_loops(ir::OpId id, const std::vector<Bounds>& bounds,
                                     std::vector<k::ValueId>& values);
  void hold_results(const ir::Op& op, const Carry& carry, const std::vector<k::ValueId>& scalars);
  void hold_arguments(const std::vector<ir::ValueId>& arguments, const Carry& carry,
                      const std::vector<k::ValueId>& scalars);

  // ---- dot.cpp, ring.cpp, mma.cpp, fma.cpp
  struct Image {
    const plan::cuda::OperandPlan* plan = nullptr;
    k::ValueId pointer;  // to elements of the first slot
    k::ValueId address;  // the same in bytes, u32
  };
  struct Ring {
    const plan::cuda::DotPlan* dot = nullptr;
    Image a, b;
    k::ValueId read, write;  // variables: the slots in use
  };
  void dot(ir::OpId id);
  Held dot_result(const ir::Op& op);
  void dot_from_registers(const plan::cuda::DotPlan& plan, const Held& result);
  void fill_image(const Image& image, const Classes& at, bool is_a);
  void clear_image(const Image& image);
  k::ValueId local_in_chunk(ClassId id);
  Image make_image(const plan::cuda::OperandPlan& plan, int stages, const char* name);
  k::ValueId chunk_offset(const plan::cuda::OperandPlan& plan, k::ValueId row, k::ValueId chunk);
  k::ValueId element_offset(const plan::cuda::OperandPlan& plan, k::ValueId row, k::ValueId column);
  Image slot(const Image& image, std::optional<k::ValueId> number);
  void multiply(const plan::cuda::DotPlan& plan, const Held& result, const Image& a,
                const Image& b);
  void multiply_mma(const plan::cuda::DotPlan& plan, const Held& result, const Image& a,
                    const Image& b);
  k::ValueId warp_part(ClassId id);
  void load_fragments(const Image& image, k::ValueId array, k::ValueId step, ClassId id, bool is_a);
  void multiply_fma(const plan::cuda::DotPlan& plan, const Held& result, const Image& a,
                    const Image& b);
  void load_panel(const Image& image, k::ValueId array, k::ValueId step, ClassId id);
  void open_rings(ir::OpId loop, const Bounds& bounds);
  void advance_rings(ir::OpId loop, const Bounds& bounds);
  void close_rings(ir::OpId loop);
  void fill_slot(const Ring& ring, ir::OpId loop, k::ValueId begin, const Bounds& bounds);
  void copy_operand(const Image& image);
  void copy_chunk(const Image& image, const ir::Op& load, k::ValueId row, k::ValueId column);
  void bump(k::ValueId variable, int stages);
  [[nodiscard]] bool ring_load(ir::OpId id) const;

  // ---- small words
  static k::Type i32() { return {.element = DType::I32}; }
  static k::Type u32() { return {.element = DType::U32}; }
  static k::Type boolean() { return {.element = DType::Bool}; }
  [[nodiscard]] DType index_dtype() const { return spec_.wide_index ? DType::I64 : DType::I32; }
  k::ValueId c32(std::int64_t v) { return b.integer(v, DType::I32); }
  k::ValueId add(k::ValueId x, k::ValueId y) { return b.binary(k::OpCode::Add, x, y); }
  k::ValueId sub(k::ValueId x, k::ValueId y) { return b.binary(k::OpCode::Sub, x, y); }
  k::ValueId mul(k::ValueId x, k::ValueId y) { return b.binary(k::OpCode::Mul, x, y); }
  k::ValueId div(k::ValueId x, k::ValueId y) { return b.binary(k::OpCode::Div, x, y); }
  k::ValueId rem(k::ValueId x, k::ValueId y) { return b.binary(k::OpCode::Rem, x, y); }
  k::ValueId min(k::ValueId x, k::ValueId y) { return b.binary(k::OpCode::MinNumber, x, y); }
  k::ValueId both(std::optional<k::ValueId> x, k::ValueId y) {
    return x ? b.binary(k::OpCode::And, *x, y) : y;
  }
  k::ValueId as(k::ValueId x, DType dtype) { return b.convert(x, dtype); }
  k::ValueId one(k::OpCode code, std::vector<k::ValueId> operands, k::Type type,
                 std::vector<k::Attribute> attributes = {}) {
    return b.result(b.op(code, std::move(operands), {type}, std::move(attributes)));
  }
  [[nodiscard]] std::optional<std::int64_t> known(k::ValueId value) const;  // of an integer
  [[nodiscard]] bool is_constant(k::ValueId value) const;
  /// Names a value that has no name yet, for the text.
  k::ValueId named(k::ValueId value, std::string name);
  [[nodiscard]] std::string axis_name(ir::AxisId axis) const;
  void open_each(std::int64_t n, const char* name);
  void sync() { b.op(k::OpCode::BlockSync, {}, {}); }
  void at(const ir::Op& op) { b.at({op.where.file, op.where.line, op.where.column}); }
  [[nodiscard]] const Classes& classes(ir::ValueId value) const {
    return plan_.values[value.index()];
  }
  static std::vector<ClassId> present(const Classes& classes);
  static bool is_scalar(const Classes& classes) { return present(classes).empty(); }
  template <class T>
  const T* lookup(std::map<ClassId, T> Frame::*table, ClassId id) const {
    for (std::size_t i = frames_.size(); i-- > 0;) {
      const auto at = (frames_[i].*table).find(id);
      if (at != (frames_[i].*table).end()) return &at->second;
    }
    return nullptr;
  }
  class Scope {  // a frame for as long as a region is open
   public:
    explicit Scope(Engine& engine) : engine_(engine) { engine_.frames_.emplace_back(); }
    ~Scope() { engine_.frames_.pop_back(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Engine& engine_;
  };

  const ir::Function& f_;
  const plan::cuda::Plan& plan_;
  const ir::Specialization& spec_;
  plan::cuda::Facts facts_;
  ir::SizeTable sizes_;  // the function's, and what the lowering adds
  k::Module m;
  k::Builder b;
  std::vector<Frame> frames_;
  const plan::cuda::RootPlan* root_ = nullptr;
  plan::cuda::Parents parents_;
  std::vector<int> uses_;              // by ValueId
  std::vector<bool> kept_;             // by ValueId: pure values that get registers
  std::vector<bool> stored_, loaded_;  // by TensorId of memory: anywhere in the function
  /// Memory that is loaded and stored: its accesses since the last barrier, true for stores.
  std::set<std::pair<ir::TensorId, bool>> touched_;
  std::map<ClassId, k::ValueId> thread_part_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, k::ValueId> owners_;
  k::ValueId lane_, warp_;
  std::map<ir::OpId, Ring> rings_;  // by dot
  int loops_ = 0;                   // device loops that are open: their barriers guard both ends
  std::map<ir::SizeId, k::ValueId> size_values_;
  std::map<ir::TensorId, k::ValueId> pointers_;
  std::map<ir::ScalarId, k::ValueId> scalars_;
  std::set<std::string> names_;
};

/// The dtype that values of `dtype` are computed in: f32 for 16-bit floats, i32 for small integers.
[[nodiscard]] DType compute_dtype(DType dtype);

}  // namespace parhelion::passes::cuda
