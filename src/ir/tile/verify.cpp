// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"
#include "ir/tile/verify_rules.h"

namespace parhelion::ir {

void Violations::add(OpId op, int code, std::string message, std::string help) {
  const Place where = op.valid() ? f_.place(f_.op(op).where) : Place{};
  found_.push_back({op, diag(code, std::move(message), where, std::move(help))});
}

std::vector<Violation> find_violations(const Function& function) {
  Violations found(function);
  if (!verify_structure(function, found)) return found.take();
  verify_host(function, found);
  if (found.empty()) verify_memory(function, found);
  return found.take();
}

Diagnostics verify(const Function& function) {
  Diagnostics result;
  for (Violation& v : find_violations(function)) result.push_back(std::move(v.diagnostic));
  return result;
}

}  // namespace parhelion::ir
