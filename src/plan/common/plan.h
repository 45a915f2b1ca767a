// SPDX-License-Identifier: Apache-2.0
// A Plan answers "how" for one configuration, as a value and before any text. This is the part that
// both targets share; plan/cpu and plan/cuda add their own. The heuristics, the constraint table
// and the code generator all read the same Plan.
#pragma once

#include "config/config.h"
#include "config/constraint.h"
#include "ir/tile/function.h"
#include "ir/tile/specialization.h"

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

namespace parhelion::plan {

/// Why a configuration is refused: the row of the constraint table, the numbers in its message, and
/// the repair: the configuration nearest to it that the row accepts.
struct Refusal {
  config::ConstraintId constraint{};
  std::string message;         // "register_block[d0] = 14x2 needs 31 vector registers, 16 exist"
  std::string help;            // "use 6x2"
  config::Config repaired;     // equals the refused one when no repair is known
};

/// One root loop: which tile a program computes.
struct ProgramPlan {
  ir::OpId root;
  std::vector<ir::AxisId> axes;         // in grid order, slowest first
  std::vector<std::int64_t> block;      // extent of each axis' tile
  std::vector<ir::SizeId> tiles;        // number of tiles along each axis
  int group = 1;                        // band of the slowest axis walked together (L2 reuse)
};

enum class TripUse : std::uint8_t { Full, Masked, Peeled };  // all trips full | masked | last alone

struct LoopPlan {
  ir::OpId loop;
  std::vector<std::int64_t> block;
  ir::SizeId trips;                     // none when bounded by device values
  TripUse trip = TripUse::Masked;
  int unroll = 1;
};

enum class MaskKind : std::uint8_t { None, PadOnly, Predicate };

struct SitePlan {
  ir::OpId op;
  std::int64_t bytes = 0;               // moved per program
  MaskKind mask = MaskKind::Predicate;
  int vector_bytes = 0;                 // of one access
  int alignment = 1;
};

/// What the rules and the time model read: work of the whole call for the example sizes.
struct Estimate {
  double bytes_read = 0, bytes_written = 0;
  double flops = 0, special_functions = 0;
  std::int64_t programs = 0;
};

struct Note {
  std::string choice, reason;
};

struct CommonPlan {
  std::vector<ProgramPlan> programs;
  std::vector<LoopPlan> loops;
  std::vector<SitePlan> sites;          // by SiteId
  Estimate estimate;
  std::vector<Note> notes;
};

}  // namespace parhelion::plan
