// SPDX-License-Identifier: Apache-2.0
// Visiting every op of a function, regions after the op that holds them, in order of the text.
#pragma once

#include "ir/tile/function.h"

namespace parhelion::ir {

template <class F>
void walk(const Function& function, RegionId region, const F& visit) {
  for (const OpId id : function.region(region).ops) {
    visit(id);
    for (const RegionId inner : function.op(id).regions) walk(function, inner, visit);
  }
}

template <class F>
void walk(const Function& function, const F& visit) {
  walk(function, function.body, visit);
}

}  // namespace parhelion::ir
