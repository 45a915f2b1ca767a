// SPDX-License-Identifier: Apache-2.0
// Tracing a kernel for tensors of given layouts, without memory behind them.
#pragma once

#include "lang/kernel_trace.h"

#include <initializer_list>
#include <vector>

namespace parhelion::test {

struct Layout {
  DType dtype;
  std::vector<std::int64_t> sizes;
};

inline std::vector<Argument> tensors(std::initializer_list<Layout> layouts) {
  std::vector<Argument> list;
  for (const Layout& l : layouts) {
    list.push_back(Argument::of(TensorView(nullptr, l.dtype, std::span(l.sizes))));
  }
  return list;
}

template <class Kernel>
Result<lang::TracedKernel> trace(const Kernel& kernel, std::initializer_list<Layout> layouts) {
  const std::vector<Argument> list = tensors(layouts);
  return lang::trace_checked(kernel, list);
}

}  // namespace parhelion::test
