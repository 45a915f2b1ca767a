// SPDX-License-Identifier: Apache-2.0
// Display names read from the user's source file, if it can be read. Hashes leave names out.
#pragma once

#include <parhelion/lang.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace parhelion::lang {

/// `for (auto [tm, tn] : ph::tile(...))` -> tm, tn; else `t` and a running number.
[[nodiscard]] std::vector<std::string> loop_names(Loc where, std::size_t count,
                                                  std::size_t running);
/// `auto v = ...`, `ph::Value acc = ...`, `acc = ...` on this line -> the variable.
[[nodiscard]] std::optional<std::string> assigned_name(const std::string& file, int line);
/// `auto [m, k] = a.sizes<2>()` -> m, k; `auto n = b.size(1)` -> n.
[[nodiscard]] std::vector<std::string> bound_names(const std::string& file, int line);
/// Parameters of the lambda that starts at or after `line`: `(ph::Tensor x, ph::Tensor w)` -> x, w.
[[nodiscard]] std::vector<std::string> parameter_names(const std::string& file, int line);

}  // namespace parhelion::lang
