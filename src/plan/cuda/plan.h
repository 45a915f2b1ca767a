// SPDX-License-Identifier: Apache-2.0
// The Plan of a CUDA kernel: which thread holds which element of every tile value, how the dots are
// done, what lies in shared memory. The lowering writes it down and decides nothing.
#pragma once

#include "base/id.h"
#include "layout/stripe.h"
#include "plan/common/plan.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::plan::cuda {

/// What of the device the text relies on.
struct Machine {
  std::string arch = "sm_90a";
  std::int64_t shared_bytes = 232448;  // of one block
  int threads = 1024;                  // of one block
  int registers = 255;                 // of one thread
};

/// Dimensions of values that must lie alike form one class: elementwise ops unite them, dots and
/// reduced axes do not. A class has one stripe, so values of it never move.
using ClassId = Id<struct ClassTag>;
/// By dimension of a value; an invalid id stands for a Unit axis.
using Classes = std::vector<ClassId>;

struct ClassPlan {
  ir::AxisId axis;
  layout::Stripe stripe;               // of the axis, or of one chunk of it
  std::optional<std::int64_t> extent;  // most elements: block or static size; none: run time
  std::int64_t chunk = 0;              // > 0: walked by chunks of the stripe's extent
  bool masked = true;                  // the stripe has places past the axis' valid end
  bool operator==(const ClassPlan&) const = default;
};

enum class DotFamily : std::uint8_t {
  Mma,  // mma.sync m16n8k16, 16-bit operands, f32 accumulators
  Fma,  // a register block of multiply-adds a thread
};

/// One operand of a dot as a tile in shared memory, in rows of `width` bytes: a row of k for each m
/// or n (K-major), or a row of m or n for each k. Wider rows are cut into columns of 128 bytes.
struct OperandPlan {
  ir::ValueId value;
  std::optional<ir::OpId> load;  // copied by cp.async from this site; none: written from registers
  bool k_major = true;
  int copy_bytes = 16;                 // of one cp.async
  DType dtype = DType::F32;            // of the image's elements
  std::int64_t rows = 0, columns = 0;  // of the image, padded to the instruction
  [[nodiscard]] int width() const;     // bytes of a row in one column block: the swizzle's width
  [[nodiscard]] std::int64_t bytes() const { return rows * columns * size_bytes(dtype); }
  bool operator==(const OperandPlan&) const = default;
};

struct DotPlan {
  ir::OpId dot;
  DotFamily family = DotFamily::Fma;
  ClassId m, n;  // of the result
  ir::AxisId k_axis;
  std::int64_t k = 0;  // depth of one step, padded to the instruction
  int warps_m = 1, warps_n = 1;
  OperandPlan a, b;
  int stages = 1;                // slots of the ring; 1: no ring, both operands through registers
  std::optional<ir::OpId> loop;  // the loop that the ring runs along
  [[nodiscard]] std::int64_t shared_bytes() const { return stages * (a.bytes() + b.bytes()); }
};

struct SitePath {
  int vector = 1;        // elements of one access
  ClassId along;         // the contiguous dimension, when vector > 1
  bool guarded = false;  // the axis may end inside a vector
};

struct RootPlan {
  ir::OpId root;
  int warps = 4;
  std::int64_t shared_bytes = 0;  // images of the dots and parts of reductions
  std::vector<DotPlan> dots;
  int registers = 0;  // estimate of one thread
};

struct Plan {
  CommonPlan common;
  Machine machine;
  std::vector<std::int64_t> blocks;  // by BlockId, bound
  std::vector<RootPlan> roots;       // as common.programs
  std::vector<ClassPlan> classes;
  std::vector<Classes> values;         // by ValueId
  std::map<ir::OpId, Classes> places;  // of stores
  std::vector<SitePath> paths;         // by SiteId
  std::string config;                  // canonical text

  [[nodiscard]] const ClassPlan& of(ClassId id) const { return classes[id.index()]; }
  [[nodiscard]] const RootPlan* root(ir::OpId id) const;
  [[nodiscard]] const DotPlan* dot(ir::OpId id) const;
};

/// Compared in golden tests and shown by `explain`.
[[nodiscard]] std::string text(const Plan& plan, const ir::Function& function);

/// What a configuration says, by the ids of one function.
struct Choices {
  std::vector<std::int64_t> blocks;  // by BlockId
  int warps = 4;
  std::map<ir::OpId, int> group, unroll, stages;  // by loop
  std::map<ir::OpId, std::vector<std::int64_t>> order;
  std::map<ir::AxisId, std::int64_t> reduce;          // full axes: chunk, 0 = resident
  std::map<ir::SiteId, int> vector_bytes;             // most bytes of one access
  std::map<ir::OpId, std::pair<int, int>> warp_grid;  // by dot: warps along m, n
};

}  // namespace parhelion::plan::cuda
