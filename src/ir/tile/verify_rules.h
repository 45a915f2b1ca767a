// SPDX-License-Identifier: Apache-2.0
// What the parts of the verifier share.
#pragma once

#include "ir/tile/function.h"

#include <vector>

namespace parhelion::ir {

struct Violation {
  OpId op;  // invalid: the function as a whole
  Diagnostic diagnostic;
};

class Violations {
 public:
  explicit Violations(const Function& function) : f_(function) {}
  void add(OpId op, int code, std::string message, std::string help = {});
  void add(Violation violation) { found_.push_back(std::move(violation)); }
  [[nodiscard]] bool empty() const { return found_.empty(); }
  [[nodiscard]] std::vector<Violation> take() { return std::move(found_); }

 private:
  const Function& f_;
  std::vector<Violation> found_;
};

/// All rules; verify() keeps the diagnostics alone.
[[nodiscard]] std::vector<Violation> find_violations(const Function& function);

// verify_structure.cpp: regions, definitions, terminators, scopes, types. False: do not go on.
[[nodiscard]] bool verify_structure(const Function& function, Violations& out);
// verify_memory.cpp: places, sites, locations of effects, roots that touch what others wrote.
void verify_memory(const Function& function, Violations& out);
// verify_host.cpp: tensors, sizes, checks, returns.
void verify_host(const Function& function, Violations& out);

}  // namespace parhelion::ir
