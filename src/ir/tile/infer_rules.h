// SPDX-License-Identifier: Apache-2.0
// What the type rules share: the op under inference, its operand types, and how it is refused.
#pragma once

#include "base/diag.h"
#include "ir/tile/function.h"

#include <fmt/core.h>

namespace parhelion::ir {

using Types = Result<std::vector<TileType>>;

struct Inference {
  const Function& f;
  const Op& op;

  [[nodiscard]] std::string_view name() const { return row(op.code).text; }
  [[nodiscard]] const TileType& operand(std::size_t i) const { return f.type(op.operands[i]); }
  [[nodiscard]] std::string show(const TileType& type) const { return text(f, type); }
  [[nodiscard]] std::string show(std::size_t i) const { return text(f, operand(i)); }
  [[nodiscard]] std::unexpected<Diagnostics> refuse(int code, std::string message,
                                                    std::string help = {}) const {
    return fail(code, std::move(message), f.place(op.where), std::move(help));
  }
  template <class T>
  [[nodiscard]] const T& payload() const {
    const T* attr = std::get_if<T>(&op.payload);
    PH_ASSERT(attr != nullptr, fmt::format("payload of '{}'", name()));
    return *attr;
  }
};

[[nodiscard]] Types infer_leaf(const Inference& in);
[[nodiscard]] Types infer_pointwise(const Inference& in);
[[nodiscard]] Types infer_access(const Inference& in);
[[nodiscard]] Types infer_shape(const Inference& in);
[[nodiscard]] Types infer_reduce(const Inference& in);
[[nodiscard]] Types infer_dot(const Inference& in);
[[nodiscard]] Types infer_control(const Inference& in);

}  // namespace parhelion::ir
