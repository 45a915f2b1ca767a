// SPDX-License-Identifier: Apache-2.0
// Right or wrong: the outputs of a call against the interpreter's values and running bounds. Large
// problems are judged on the first and last tiles, every tail and 16 random ones.
#pragma once

#include "interp/interp.h"
#include "session/state.h"

#include <span>
#include <string>
#include <vector>

namespace parhelion::session {

struct Judgement {
  std::vector<interp::Comparison> outputs;
  std::vector<interp::Finding> findings;
  bool sampled = false;       // not every tile was judged by the bound
  std::int64_t programs = 0;  // tiles that were
  [[nodiscard]] bool ok() const;
  [[nodiscard]] std::string text() const;
};

[[nodiscard]] Result<Judgement> judge(const Entry& entry, std::span<const Argument> arguments,
                                      std::span<const Buffer> outputs, std::uint64_t seed);

}  // namespace parhelion::session
