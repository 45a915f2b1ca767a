// SPDX-License-Identifier: Apache-2.0
#include "ir/tile/function.h"
#include "ir/tile/walk.h"

#include <algorithm>

namespace parhelion::ir {

namespace {

class Walker {
 public:
  explicit Walker(const Function& function) : f_(function) {}

  Numbering run() {
    result_.sites.resize(f_.sites);
    walk(f_, [this](OpId id) { visit(id); });
    return std::move(result_);
  }

 private:
  void axis(AxisId id) {
    const Axis& a = f_.axis(id);
    if (a.kind == AxisKind::Unit) return;
    for (const AxisId factor : a.factors) axis(factor);
    if (a.kind != AxisKind::Product && std::ranges::find(result_.axes, id) == result_.axes.end()) {
      result_.axes.push_back(id);
    }
  }

  void visit(OpId id) {
    const Op& op = f_.op(id);
    if (const auto* loop = std::get_if<LoopAttr>(&op.payload)) {
      for (const LoopDim& dim : loop->dims) axis(dim.axis);
      result_.loops.push_back(id);
    }
    if (op.code == OpCode::Dot) result_.dots.push_back(id);
    if (const auto* access = std::get_if<Access>(&op.payload)) {
      for (const AxisId a : access->axes) axis(a);
      if (access->site.index() < result_.sites.size()) result_.sites[access->site.index()] = id;
    }
    for (const ValueId v : op.results) {
      for (const AxisId a : f_.type(v).axes) axis(a);
    }
  }

  const Function& f_;
  Numbering result_;
};

template <class T>
std::optional<std::size_t> find_in(const std::vector<T>& items, T item) {
  const auto it = std::ranges::find(items, item);
  if (it == items.end()) return std::nullopt;
  return static_cast<std::size_t>(it - items.begin());
}

}  // namespace

std::optional<std::size_t> Numbering::axis(AxisId id) const { return find_in(axes, id); }
std::optional<std::size_t> Numbering::loop(OpId id) const { return find_in(loops, id); }
std::optional<std::size_t> Numbering::dot(OpId id) const { return find_in(dots, id); }

Numbering number(const Function& function) { return Walker(function).run(); }

}  // namespace parhelion::ir
