// SPDX-License-Identifier: Apache-2.0
// The table of contents of the compiler: tile IR -> Plan -> kernel IR -> text -> artifact.
#pragma once

#include "artifact/cache.h"
#include "emit/common/c_family.h"
#include "ir/tile/function.h"
#include "ir/tile/specialization.h"
#include "plan/common/plan.h"
#include "toolchain/toolchain.h"

#include <parhelion/target.h>

#include <optional>
#include <string>
#include <vector>

namespace parhelion::driver {

/// One candidate: what is compiled, how, and for what.
struct Candidate {
  const ir::Function& function;
  const ir::Specialization& specialization;
  const Target& target;
  Config config;  // completed by the heuristic where it is silent
  Controls controls;
  Numerics numerics = Numerics::Bounded;
};

/// The text of a candidate and everything that was decided on the way.
struct Emitted {
  Config config;                  // complete
  std::vector<plan::Note> notes;  // a reason for each choice of the heuristic
  plan::Estimate estimate;
  std::string kernel_ir;
  emit::SourceText text;
  LaunchFacts launch;
  double plan_ms = 0, emit_ms = 0;
};

struct Compiled {
  Emitted emitted;
  artifact::Artifact artifact;
  bool cached = false;
  double compile_ms = 0;
};

/// PH7101 with the constraint, its reason and the repair when the configuration is refused.
[[nodiscard]] Result<Emitted> emit(const Candidate& candidate);

/// `cache` may be null.
[[nodiscard]] Result<Compiled> compile(const Candidate& candidate,
                                       const toolchain::Toolchain& toolchain,
                                       artifact::ArtifactCache* cache);

}  // namespace parhelion::driver
