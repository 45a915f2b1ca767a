// SPDX-License-Identifier: Apache-2.0
#include "passes/tile/passes.h"

namespace parhelion::passes {

Rewritten canonicalize(const ir::Function& function, Numerics numerics) {
  Rewritten result{function, false};
  // Each round only ever removes or moves work outward, so a few rounds end it.
  constexpr int most_rounds = 8;
  for (int round = 0; round < most_rounds; ++round) {
    bool changed = false;
    const auto apply = [&](Rewritten step) {
      changed = changed || step.changed;
      result.function = std::move(step.function);
    };
    apply(fold(result.function, numerics));
    apply(cse(result.function));
    apply(hoist_invariants(result.function));
    apply(sink_conversions(result.function));
    apply(dce(result.function));
    apply(source_order(result.function));
    if (!changed) break;
    result.changed = true;
  }
  return result;
}

}  // namespace parhelion::passes
