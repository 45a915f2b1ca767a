// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "interp/interp.h"
#include "support/array.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace parhelion::test {

inline ir::Function kernel(std::string_view text) {
  auto parsed = ir::parse(text, "k.ph");
  if (!parsed) FAIL(render_text(parsed.error()[0]));
  return std::move(parsed->front());
}

inline interp::Outcome interpret(const ir::Function& f, std::vector<Array*> arrays,
                                 const interp::Options& options = {},
                                 std::vector<interp::Scalar> scalars = {}) {
  interp::Inputs inputs;
  for (Array* a : arrays) inputs.tensors.push_back(a->view());
  inputs.scalars = std::move(scalars);
  auto outcome = interp::run(f, inputs, options);
  if (!outcome) FAIL(render_text(outcome.error()[0]));
  return std::move(*outcome);
}

}  // namespace parhelion::test
