// SPDX-License-Identifier: Apache-2.0
// Canonicalisation of the tile IR. Each pass takes a verified function and gives a verified one
// that computes the same; each is idempotent and says whether it changed anything.
#pragma once

#include "ir/tile/function.h"

#include <parhelion/config.h>

namespace parhelion::passes {

struct Rewritten {
  ir::Function function;
  bool changed = false;
};

/// Constants, identities, casts that cancel, `where` on constants, branches and loops that are
/// decided; a `full` that converts gets its cast spelled out. First, so that the others see less.
/// Float re-association, x * 0 and x - x only in the Relaxed class.
[[nodiscard]] Rewritten fold(const ir::Function& function, Numerics numerics = Numerics::Bounded);
/// One value for equal pure ops, and for equal loads with no store between that may alias.
[[nodiscard]] Rewritten cse(const ir::Function& function);
/// Pure ops, and loads that no store of the loop may alias, go in front of the loops that do not
/// change them. Loads are total, so a loop of zero trips is no danger.
[[nodiscard]] Rewritten hoist_invariants(const ir::Function& function);
/// A carried value that is only ever a widened narrow one is carried narrow.
[[nodiscard]] Rewritten sink_conversions(const ir::Function& function);
/// Ops, carried values, branch results and loops that nothing stored depends on.
[[nodiscard]] Rewritten dce(const ir::Function& function);
/// Pure ops of one source line in order of their columns, as far as data allows; memory sites
/// numbered in order. Last, because the other passes move ops.
[[nodiscard]] Rewritten source_order(const ir::Function& function);

/// All of them, in the order above, until nothing changes.
[[nodiscard]] Rewritten canonicalize(const ir::Function& function,
                                     Numerics numerics = Numerics::Bounded);

}  // namespace parhelion::passes
