// SPDX-License-Identifier: Apache-2.0
// Views of the host part. The IR keeps what a view is (sizes, strides, offset of one base); the
// text says how it was made where one of these three forms does.
#pragma once

#include "ir/tile/function.h"

namespace parhelion::ir {

/// A view of the whole of `source`; of a view, it has that view's base.
[[nodiscard]] Tensor view_of(Function& function, TensorId source);
[[nodiscard]] std::optional<Tensor> permuted(Tensor view, const std::vector<int>& order);
[[nodiscard]] Tensor narrowed(SizeTable& sizes, Tensor view, std::size_t dimension, SizeId begin,
                              SizeId length);
/// A dimension keeps its stride where the size is the same, else it repeats one element.
[[nodiscard]] std::optional<Tensor> expanded(SizeTable& sizes, Tensor view,
                                             const std::vector<SizeId>& extents,
                                             const EqualSizes& equal);

struct ViewForm {
  enum class Kind : std::uint8_t { Permute, Narrow, Expand, General };
  Kind kind = Kind::General;
  std::vector<int> order;
  std::size_t dimension = 0;
  SizeId begin;  // of the Function's sizes, or of `extra` where it had to be made
  std::optional<SizeTable> extra;
};
[[nodiscard]] ViewForm form_of(const Function& function, const Tensor& view);

}  // namespace parhelion::ir
