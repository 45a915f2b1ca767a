// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"
#include "interp/machine.h"
#include "ir/tile/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

namespace parhelion::interp {

namespace {

/// Returned tensors first, then parameters that the kernel writes.
std::vector<ir::TensorId> outputs_of(const ir::Function& f) {
  std::vector<ir::TensorId> ids = f.returns;
  std::set<ir::TensorId> written;
  ir::walk(f, [&](ir::OpId id) {
    if (f.op(id).code != ir::OpCode::Store) return;
    const ir::TensorId t = std::get<ir::Access>(f.op(id).payload).tensor;
    written.insert(f.tensor(t).kind == ir::Tensor::Kind::View ? f.tensor(t).base : t);
  });
  for (const ir::TensorId id : written) {
    if (f.tensor(id).kind != ir::Tensor::Kind::Parameter) continue;
    if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  }
  return ids;
}

bool same_bits(const OutputTensor& a, const OutputTensor& b) {
  return a.integers == b.integers && a.flags == b.flags &&
         std::ranges::equal(a.values, b.values, [](double x, double y) {
           return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
         });
}

void compare_orders(Outcome& outcome, const Machine& machine) {
  for (const OutputTensor& first : outcome.outputs) {
    if (same_bits(first, machine.output(first.tensor))) continue;
    Finding finding;
    finding.kind = Finding::Kind::OrderDependent;
    finding.message = fmt::format("'{}' depends on the order of the programs", first.name);
    finding.count = 1;
    outcome.findings.push_back(std::move(finding));
  }
}

Result<ir::HostState> host_state(const ir::Function& f, const Inputs& inputs) {
  std::vector<ir::CallTensor> tensors;
  for (const TensorView& view : inputs.tensors) tensors.push_back(ir::call_tensor(view));
  std::vector<std::int64_t> integers;
  for (const Scalar& s : inputs.scalars) integers.push_back(s.integer);
  return ir::evaluate_host(f, tensors, integers);
}

}  // namespace

Result<Outcome> run_observed(const ir::Function& function, const Inputs& inputs,
                             const Options& options, const Observer& observer) {
  auto host = host_state(function, inputs);
  if (!host) return std::unexpected(host.error());
  Outcome outcome;
  const Observer* watch = observer ? &observer : nullptr;
  for (int r = 0; r < std::max(options.runs, 1); ++r) {
    Machine machine(function, inputs, options, *host, watch);
    machine.run(options.seed + static_cast<std::uint64_t>(r));
    if (r > 0) {
      compare_orders(outcome, machine);
      continue;
    }
    for (const ir::TensorId id : outputs_of(function)) {
      outcome.outputs.push_back(machine.output(id));
    }
    outcome.findings = machine.findings();
    outcome.sampled = machine.sampled();
    outcome.programs = machine.programs();
  }
  return outcome;
}

Result<Outcome> run(const ir::Function& function, const Inputs& inputs, const Options& options) {
  return run_observed(function, inputs, options, {});
}

}  // namespace parhelion::interp
