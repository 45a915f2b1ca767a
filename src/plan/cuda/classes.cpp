// SPDX-License-Identifier: Apache-2.0
#include "plan/cuda/classes.h"

#include "ir/tile/walk.h"
#include "plan/cuda/access.h"

#include <algorithm>
#include <set>

namespace parhelion::plan::cuda {
namespace {

using ir::OpCode;
using ir::OpId;
using ir::ValueId;

constexpr std::uint32_t no_node = 0xffffffffu;
using Nodes = std::vector<std::uint32_t>;  // by dimension; no_node for Unit

class Classifier {
 public:
  explicit Classifier(const ir::Function& function) : f_(function) {
    for (const ir::Value& v : f_.values) values_.push_back(make_nodes(v.type.axes));
  }

  ClassMap run() {
    ir::walk(f_, [this](OpId id) { visit(id); });
    return result();
  }

 private:
  Nodes make_nodes(const std::vector<ir::AxisId>& axes) {
    Nodes nodes;
    const std::size_t holder = holders_.size();
    holders_.emplace_back();
    for (const ir::AxisId axis : axes) {
      if (axis == ir::unit_axis) {
        nodes.push_back(no_node);
        continue;
      }
      const auto node = static_cast<std::uint32_t>(parent_.size());
      nodes.push_back(node);
      parent_.push_back(node);
      axis_.push_back(axis);
      members_.push_back({holder});
      holders_.back().push_back(node);
    }
    return nodes;
  }

  std::uint32_t find(std::uint32_t node) {
    while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
    return node;
  }

  void unite(std::uint32_t a, std::uint32_t b) {
    if (a == no_node || b == no_node) return;
    a = find(a);
    b = find(b);
    if (a == b || axis_[a] != axis_[b]) return;
    const auto shared = [&](std::size_t holder) { return members_[b].contains(holder); };
    if (std::ranges::any_of(members_[a], shared)) return;  // two dimensions of one value
    members_[a].insert(members_[b].begin(), members_[b].end());
    members_[b].clear();
    parent_[b] = a;
  }

  void unite_all(const Nodes& a, const Nodes& b) {
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) unite(a[i], b[i]);
  }
  // Right-aligned, as broadcasting is.
  void unite_broadcast(const Nodes& from, const Nodes& to) {
    for (std::size_t i = 1; i <= from.size() && i <= to.size(); ++i) {
      unite(from[from.size() - i], to[to.size() - i]);
    }
  }

  // Leaves are computed wherever they are needed: they tie nothing together.
  [[nodiscard]] bool is_leaf(ValueId value) const {
    const OpId by = f_.value(value).defined_by;
    return by.valid() && ir::row(f_.op(by).code).group == ir::OpGroup::Leaf;
  }

  const Nodes& nodes(ValueId value) const { return values_[value.index()]; }

  void visit(OpId id) {
    const ir::Op& op = f_.op(id);
    switch (ir::row(op.code).group) {
      case ir::OpGroup::Leaf: return;
      case ir::OpGroup::Memory: return memory(id, op);
      case ir::OpGroup::Unary:
      case ir::OpGroup::Binary:
      case ir::OpGroup::Compare:
      case ir::OpGroup::Select:
      case ir::OpGroup::Cast: return elementwise(op);
      case ir::OpGroup::Shape: return shape(op);
      case ir::OpGroup::Reduce: return reduce(op);
      case ir::OpGroup::Dot:
        if (op.operands.size() > 2) unite_all(nodes(op.operands[2]), nodes(op.results[0]));
        return;
      case ir::OpGroup::Control: return control(op);
    }
  }

  void elementwise(const ir::Op& op) {
    for (const ValueId v : op.operands) {
      if (!is_leaf(v)) unite_broadcast(nodes(v), nodes(op.results[0]));
    }
  }

  void memory(OpId id, const ir::Op& op) {
    const ir::Access& access = access_of(op);
    const bool store = op.code == OpCode::Store;
    const Nodes place = store ? make_nodes(access.axes) : nodes(op.results[0]);
    if (store) places_[id] = place;
    if (store && !is_leaf(op.operands[0])) unite_broadcast(nodes(op.operands[0]), place);
    if (access.masked && !is_leaf(op.operands.back())) {
      unite_broadcast(nodes(op.operands.back()), place);
    }
    for (const DimensionUse& use : dimension_uses(f_, op)) {
      if (use.subscript->kind != ir::Subscript::Kind::Value) continue;
      const ValueId index = op.operands[use.subscript->operand];
      if (is_leaf(index)) continue;
      for (std::size_t d = 0; d < use.value_dims.size(); ++d) {
        if (use.value_dims[d] < 0) continue;
        unite(nodes(index)[d], place[static_cast<std::size_t>(use.value_dims[d])]);
      }
    }
  }

  void shape(const ir::Op& op) {
    if (is_leaf(op.operands[0])) return;
    const Nodes& from = nodes(op.operands[0]);
    const Nodes& to = nodes(op.results[0]);
    if (op.code == OpCode::Permute) {
      const auto& order = std::get<ir::PermuteAttr>(op.payload).order;
      for (std::size_t i = 0; i < order.size(); ++i) {
        unite(from[static_cast<std::size_t>(order[i])], to[i]);
      }
      return;
    }
    if (op.code == OpCode::Expand) return unite_broadcast(from, to);
    // Unsqueeze and squeeze: the other dimensions keep their order.
    const auto dim = static_cast<std::size_t>(std::get<ir::DimAttr>(op.payload).dim);
    const bool wider = op.code == OpCode::Unsqueeze;
    const Nodes& narrow = wider ? from : to;
    const Nodes& wide = wider ? to : from;
    for (std::size_t i = 0; i < narrow.size(); ++i) unite(narrow[i], wide[i < dim ? i : i + 1]);
  }

  void reduce(const ir::Op& op) {
    const auto& attr = std::get<ir::ReduceAttr>(op.payload);
    const auto dim = static_cast<std::size_t>(attr.dim);
    const Nodes& from = nodes(op.operands[0]);
    const Nodes& to = nodes(op.results[0]);
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (i == dim) continue;
      unite(from[i], to[i < dim || attr.keep ? i : i - 1]);
    }
  }

  void carry(ValueId a, ValueId b) {
    unite_all(nodes(a), nodes(b));
    for (const ValueId v : {a, b}) {
      for (const std::uint32_t node : nodes(v)) {
        if (node != no_node) carried_.push_back(node);
      }
    }
  }

  void control(const ir::Op& op) {
    if (op.code == OpCode::If) {
      for (const ir::RegionId region : op.regions) {
        const ir::Op& yield = f_.op(f_.region(region).ops.back());
        for (std::size_t i = 0; i < op.results.size(); ++i) carry(yield.operands[i], op.results[i]);
      }
      return;
    }
    if (op.code != OpCode::For && op.code != OpCode::While) return;
    const std::size_t first = op.operands.size() - op.results.size();
    for (const ir::RegionId region : op.regions) {
      const auto& arguments = f_.region(region).arguments;
      const ir::Op& end = f_.op(f_.region(region).ops.back());
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        carry(op.operands[first + i], arguments[i]);
        carry(arguments[i], op.results[i]);
        if (end.code == OpCode::Yield) carry(end.operands[i], arguments[i]);
      }
    }
  }

  ClassMap result() {
    ClassMap map;
    std::vector<ClassId> class_of(parent_.size());
    for (std::uint32_t n = 0; n < parent_.size(); ++n) {
      if (find(n) != n) continue;
      class_of[n] = ClassId(map.axes.size());
      map.axes.push_back(axis_[n]);
    }
    const auto classes = [&](const Nodes& nodes) {
      Classes list;
      for (const std::uint32_t n : nodes) {
        list.push_back(n == no_node ? ClassId{} : class_of[find(n)]);
      }
      return list;
    };
    for (const Nodes& nodes : values_) map.values.push_back(classes(nodes));
    for (const auto& [id, nodes] : places_) map.places[id] = classes(nodes);
    map.apart.resize(map.axes.size());
    for (const Nodes& holder : holders_) {
      for (const ClassId a : classes(holder)) {
        for (const ClassId b : classes(holder)) {
          if (a != b && std::ranges::find(map.apart[a.index()], b) == map.apart[a.index()].end()) {
            map.apart[a.index()].push_back(b);
          }
        }
      }
    }
    map.carried.resize(map.axes.size());
    for (const std::uint32_t n : carried_) map.carried[class_of[find(n)].index()] = true;
    return map;
  }

  const ir::Function& f_;
  std::vector<std::uint32_t> parent_;
  std::vector<ir::AxisId> axis_;                // by node
  std::vector<std::set<std::size_t>> members_;  // by root node: holders
  std::vector<Nodes> holders_;                  // values and places
  std::vector<Nodes> values_;
  std::map<OpId, Nodes> places_;
  Nodes carried_;
};

}  // namespace

ClassMap classify(const ir::Function& function) { return Classifier(function).run(); }

}  // namespace parhelion::plan::cuda
