// SPDX-License-Identifier: Apache-2.0
#include "ir/tile/views.h"

#include <algorithm>

namespace parhelion::ir {

Tensor view_of(Function& function, TensorId source) {
  Tensor view = function.tensor(source);
  if (view.kind != Tensor::Kind::View) {
    view.base = source;
    view.offset = function.sizes.constant(0);
  }
  view.kind = Tensor::Kind::View;
  view.name.clear();
  return view;
}

std::optional<Tensor> permuted(Tensor view, const std::vector<int>& order) {
  const Tensor from = view;
  std::vector<bool> used(from.sizes.size());
  view.sizes.clear();
  view.strides.clear();
  for (const int d : order) {
    const auto at = static_cast<std::size_t>(d);
    if (d < 0 || at >= used.size() || used[at]) return std::nullopt;
    used[at] = true;
    view.sizes.push_back(from.sizes[at]);
    view.strides.push_back(from.strides[at]);
  }
  if (view.sizes.size() != from.sizes.size()) return std::nullopt;
  return view;
}

Tensor narrowed(SizeTable& sizes, Tensor view, std::size_t dimension, SizeId begin,
                SizeId length) {
  view.offset = sizes.add(view.offset, sizes.mul(begin, view.strides[dimension]));
  view.sizes[dimension] = length;
  return view;
}

std::optional<Tensor> expanded(SizeTable& sizes, Tensor view, const std::vector<SizeId>& extents,
                               const EqualSizes& equal) {
  if (extents.size() < view.sizes.size()) return std::nullopt;
  const std::size_t added = extents.size() - view.sizes.size();
  std::vector<SizeId> strides(extents.size(), sizes.constant(0));
  for (std::size_t i = added; i < extents.size(); ++i) {
    if (equal.same(extents[i], view.sizes[i - added])) strides[i] = view.strides[i - added];
  }
  view.sizes = extents;
  view.strides = std::move(strides);
  return view;
}

namespace {

bool same_layout(const Tensor& a, const Tensor& b) {
  return a.sizes == b.sizes && a.strides == b.strides && a.offset == b.offset;
}

std::optional<std::vector<int>> order_of(const Tensor& base, const Tensor& view) {
  if (base.sizes.size() != view.sizes.size()) return std::nullopt;
  std::vector<int> order;
  std::vector<bool> used(base.sizes.size());
  for (std::size_t i = 0; i < view.sizes.size(); ++i) {
    std::size_t j = 0;
    while (j < used.size() && (used[j] || base.sizes[j] != view.sizes[i] ||
                               base.strides[j] != view.strides[i])) {
      ++j;
    }
    if (j == used.size()) return std::nullopt;
    used[j] = true;
    order.push_back(static_cast<int>(j));
  }
  return order;
}

}  // namespace

ViewForm form_of(const Function& function, const Tensor& view) {
  ViewForm form;
  const Tensor& base = function.tensor(view.base);
  form.extra = function.sizes;
  SizeTable& sizes = *form.extra;
  Tensor whole = base;
  whole.offset = sizes.constant(0);
  if (view.offset == whole.offset) {
    if (auto order = order_of(base, view)) {
      form.kind = ViewForm::Kind::Permute;
      form.order = std::move(*order);
      return form;
    }
    const auto wide = expanded(sizes, whole, view.sizes, EqualSizes(function));
    if (wide && same_layout(*wide, view)) {
      form.kind = ViewForm::Kind::Expand;
      return form;
    }
  }
  if (view.strides != base.strides) return form;
  for (std::size_t d = 0; d < view.sizes.size(); ++d) {
    const auto begin = sizes.divide_exact(view.offset, view.strides[d]);
    if (!begin) continue;
    if (!same_layout(narrowed(sizes, whole, d, *begin, view.sizes[d]), view)) continue;
    form.kind = ViewForm::Kind::Narrow;
    form.dimension = d;
    form.begin = *begin;
    return form;
  }
  return form;
}

}  // namespace parhelion::ir
