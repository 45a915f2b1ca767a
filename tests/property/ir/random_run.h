// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interp/interp.h"
#include "support/random_kernel/random_kernel.h"

#include <doctest/doctest.h>

namespace parhelion::test {

inline ir::Function parsed(const std::string& text) {
  auto functions = ir::parse(text, "random.ph");
  if (!functions) FAIL(render_text(functions.error()[0]) << "\n" << text);
  return std::move(functions->front());
}

inline interp::Inputs inputs_of(RandomKernel& kernel) {
  interp::Inputs inputs;
  for (Array& a : kernel.arrays) inputs.tensors.push_back(a.view());
  return inputs;
}

inline interp::Outcome interpreted(const ir::Function& f, RandomKernel& kernel,
                                   const interp::Options& options) {
  auto outcome = interp::run(f, inputs_of(kernel), options);
  if (!outcome) FAIL(render_text(outcome.error()[0]) << "\n" << kernel.text);
  return std::move(*outcome);
}

}  // namespace parhelion::test
