// SPDX-License-Identifier: Apache-2.0
#include "plan/cuda/hazards.h"

#include "ir/tile/walk.h"
#include "plan/cuda/access.h"

#include <algorithm>
#include <set>

namespace parhelion::plan::cuda {
namespace {

ir::TensorId memory_of(const ir::Function& function, const ir::Op& op) {
  const ir::TensorId tensor = access_of(op).tensor;
  const ir::Tensor& t = function.tensor(tensor);
  return t.kind == ir::Tensor::Kind::View ? t.base : tensor;
}

/// Is an op behind the first later store to the load's memory computed from the load?
bool used_after_store(const ir::Function& function, const std::vector<ir::OpId>& order,
                      std::size_t load) {
  const ir::TensorId memory = memory_of(function, function.op(order[load]));
  std::set<ir::ValueId> dependent(function.op(order[load]).results.begin(),
                                  function.op(order[load]).results.end());
  bool stored = false;
  for (std::size_t i = load + 1; i < order.size(); ++i) {
    const ir::Op& op = function.op(order[i]);
    const bool depends =
        std::ranges::any_of(op.operands, [&](ir::ValueId v) { return dependent.contains(v); });
    if (depends && stored) return true;
    if (depends) {
      dependent.insert(op.results.begin(), op.results.end());
      for (const ir::RegionId region : op.regions) {
        const auto& arguments = function.region(region).arguments;
        dependent.insert(arguments.begin(), arguments.end());
      }
    }
    stored = stored || (op.code == ir::OpCode::Store && memory_of(function, op) == memory);
  }
  return false;
}

}  // namespace

std::vector<bool> overwritten_before_use(const ir::Function& function, const ClassMap& map) {
  std::vector<ir::OpId> order;
  ir::walk(function, [&](ir::OpId id) { order.push_back(id); });
  std::vector<bool> found(map.axes.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ir::Op& op = function.op(order[i]);
    if (op.code != ir::OpCode::Load || !used_after_store(function, order, i)) continue;
    for (const ClassId id : map.values[op.results[0].index()]) {
      if (id.valid()) found[id.index()] = true;
    }
  }
  return found;
}

}  // namespace parhelion::plan::cuda
