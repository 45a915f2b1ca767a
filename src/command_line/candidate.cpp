// SPDX-License-Identifier: Apache-2.0
#include "command_line/candidate.h"

#include "driver/specialize.h"

namespace parhelion::command_line_detail {

Result<Subject> make_subject(const Options& o, std::span<const ProgramKernel> kernels) {
  Subject s;
  auto problem = make_problem(o, kernels);
  if (!problem) return std::unexpected(problem.error());
  s.problem = std::move(*problem);
  auto target = parse_target(o.target);
  if (!target) return std::unexpected(target.error());
  s.target = std::move(*target);
  auto config = parse_config(o);
  if (!config) return std::unexpected(config.error());
  s.config = std::move(*config);
  auto controls = parse_controls(o);
  if (!controls) return std::unexpected(controls.error());
  s.controls = std::move(*controls);
  auto function = s.problem.source.trace(s.problem.arguments);
  if (!function) return std::unexpected(function.error());
  s.function = std::make_shared<const ir::Function>(std::move(*function));
  const lang::FlatArguments flat = lang::flatten(s.problem.arguments);
  std::vector<ir::CallTensor> tensors;
  for (const TensorView& v : flat.tensors) tensors.push_back(ir::call_tensor(v));
  std::vector<std::int64_t> integers;
  for (const Argument* a : flat.scalars) integers.push_back(a->is_float ? 0 : a->integer);
  auto host = ir::evaluate_host(*s.function, tensors, integers);
  if (!host) return std::unexpected(host.error());
  s.specialization = driver::specialize(*s.function, *host, flat.tensors);
  if (!is_cpu(s.target)) {
    // A GPU keeps whole rows in registers: the extents of full axes are part of its code.
    for (const ir::Axis& axis : s.function->axes) {
      if (axis.kind != ir::AxisKind::Extent) continue;
      if (const auto symbol = s.function->sizes.symbol_index(axis.extent)) {
        s.specialization.symbol_static[*symbol] = true;
      }
    }
  }
  return s;
}

}  // namespace parhelion::command_line_detail
