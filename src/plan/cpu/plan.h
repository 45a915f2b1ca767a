// SPDX-License-Identifier: Apache-2.0
// The CPU's Plan: strips, where values live, panels of a GEMM, scratch. reference: cpu_backend.md.
#pragma once

#include "plan/common/plan.h"

#include <parhelion/target.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::plan::cpu {

/// Where a value that several passes over a row need is kept between them.
enum class Hold : std::uint8_t { Recompute, Scratch, Output };

struct HeldValue {
  ir::ValueId value;
  Hold hold = Hold::Recompute;
  ir::OpId store;  // Output: the store whose place holds it meanwhile
};

/// acc = dot(load a, load b, acc) over one loop, then an epilogue and a store: run by panels.
struct GemmPlan {
  ir::OpId root, loop, dot;
  ir::AxisId m, n, k;
  ir::ValueId a, b;     // operands of the dot: pure functions of loads
  ir::ValueId result;   // of the loop: what the epilogue starts from
  int mr = 6, nr = 16;  // register block: rows x columns (nr = vectors x lanes)
  std::int64_t kc = 256, mc = 96, nc = 512;
  std::int64_t m_part = 1536;  // rows of one program
};

struct RootPlan {
  ir::OpId root;
  std::vector<ir::AxisId> scalar_axes;  // walked one index at a time around the whole body
  std::optional<GemmPlan> gemm;
  int strip = 4;  // vectors a trip
  int chunk = 0;  // programs a worker takes at once; 0: static ranges
};

struct Plan {
  CommonPlan common;
  std::string level = "x86-64-v3";  // what the text relies on
  Numerics numerics = Numerics::Bounded;
  int simd_bytes = 32;  // of one vector
  int lanes = 8;        // 32-bit lanes of one vector
  std::vector<RootPlan> roots;
  std::vector<HeldValue> held;
  std::vector<bool> non_temporal;    // by SiteId: stores that go around the caches
  std::vector<std::int64_t> blocks;  // by BlockId, bound
  std::string config;                // canonical text
};

/// Everything that a Plan is made from, besides the configuration.
struct Subject {
  const ir::Function& function;
  const ir::Specialization& specialization;
  const CpuTarget& target;
  Numerics numerics = Numerics::Bounded;
};

/// Well under a millisecond: the search asks for thousands.
[[nodiscard]] std::expected<Plan, Refusal> make_plan(const Subject& subject, const Config& config);

}  // namespace parhelion::plan::cpu
