// SPDX-License-Identifier: Apache-2.0
#include "passes/tile/edit.h"

#include "ir/tile/walk.h"

#include <algorithm>
#include <map>

namespace parhelion::passes {

using ir::OpId;
using ir::RegionId;
using ir::ValueId;

namespace {

class Compactor {
 public:
  explicit Compactor(const ir::Function& from)
      : from_(from), out_(from), values_(from.values.size()), ops_(from.ops.size()) {
    out_.values.clear();
    out_.ops.clear();
    out_.regions.clear();
  }

  ir::Function run() {
    out_.body = region(from_.body);
    for (ir::Axis& axis : out_.axes) {
      if (axis.kind != ir::AxisKind::Tile) continue;
      axis.loop = axis.loop.index() < ops_.size() ? ops_[axis.loop.index()] : OpId();
    }
    sites();
    return std::move(out_);
  }

 private:
  ValueId value(ValueId old, OpId defined_by) {
    const ir::Value& v = from_.value(old);
    return values_[old.index()] = out_.add_value(v.type, v.name, defined_by);
  }

  RegionId region(RegionId old) {
    const RegionId id = out_.add_region();
    for (const ValueId v : from_.region(old).arguments) {
      const ValueId mine = value(v, {});
      out_.region(id).arguments.push_back(mine);
    }
    for (const OpId o : from_.region(old).ops) op(o, id);
    return id;
  }

  void op(OpId old, RegionId into) {
    const ir::Op& o = from_.op(old);
    ir::Op copy = o;
    copy.results.clear();
    copy.regions.clear();
    for (ValueId& v : copy.operands) v = values_[v.index()];
    const OpId id = out_.append(into, std::move(copy), {});
    ops_[old.index()] = id;
    std::vector<RegionId> regions;
    for (const RegionId r : o.regions) regions.push_back(region(r));
    out_.op(id).regions = std::move(regions);
    for (const ValueId v : o.results) {
      const ValueId mine = value(v, id);
      out_.op(id).results.push_back(mine);
    }
  }

  void sites() {
    std::map<ir::SiteId, ir::SiteId> dense;
    for (const ir::Op& o : out_.ops) {
      if (const ir::Access* a = access_of(o)) dense[a->site] = {};
    }
    std::uint32_t next = 0;
    for (auto& [old, site] : dense) site = ir::SiteId(next++);
    for (ir::Op& o : out_.ops) {
      if (auto* a = std::get_if<ir::Access>(&o.payload)) a->site = dense.at(a->site);
    }
    out_.sites = next;
  }

  const ir::Function& from_;
  ir::Function out_;
  std::vector<ValueId> values_;
  std::vector<OpId> ops_;
};

}  // namespace

ir::Function compact(const ir::Function& function) { return Compactor(function).run(); }

const ir::Access* access_of(const ir::Op& op) { return std::get_if<ir::Access>(&op.payload); }

std::uint32_t storage_class(const ir::Function& function, ir::TensorId tensor) {
  const ir::Tensor* t = &function.tensor(tensor);
  if (t->kind == ir::Tensor::Kind::View) {
    tensor = t->base;
    t = &function.tensor(tensor);
  }
  const auto dtypes = static_cast<std::uint32_t>(dtype_count);
  if (t->kind == ir::Tensor::Kind::Parameter) return static_cast<std::uint32_t>(t->dtype);
  return dtypes + tensor.value;
}

bool stores_to(const ir::Function& function, const std::vector<RegionId>& regions,
               std::uint32_t storage) {
  bool found = false;
  for (const RegionId r : regions) {
    ir::walk(function, r, [&](OpId id) {
      const ir::Op& op = function.op(id);
      if (op.code != ir::OpCode::Store) return;
      found = found || storage_class(function, access_of(op)->tensor) == storage;
    });
  }
  return found;
}

}  // namespace parhelion::passes
