// SPDX-License-Identifier: Apache-2.0
#include "interp/accumulate.h"

namespace parhelion::interp {

double accumulation_factor(std::size_t terms, const Accumulation& how) {
  const auto k = static_cast<double>(terms);
  const auto lanes = static_cast<double>(std::max(how.lanes, 1));
  switch (how.kind) {
    case Accumulation::Kind::Exact: return 1;
    case Accumulation::Kind::Mma: return 8 + k / 16;
    case Accumulation::Kind::Chain: break;
  }
  return 2 + 2 * std::sqrt(k / lanes + std::log2(lanes));
}

bool exact_in_any_order(double magnitude, int lowest, DType accumulator) {
  const int bits = accumulator == DType::F64 ? 53 : 24;
  if (!std::isfinite(magnitude)) return false;
  return magnitude == 0 || magnitude <= std::ldexp(1.0, std::min(lowest, 1023 - bits) + bits);
}

Lane Sum::finish(std::size_t terms, DType result, DType accumulator,
                 const Accumulation& how) const {
  if (accumulator != DType::F64) accumulator = DType::F32;
  Step step{.result = total, .propagated = propagated};
  const bool exact = propagated == 0 && exact_in_any_order(magnitude, lowest, DType::F32);
  if (!exact && terms > 1 && std::isfinite(magnitude)) {
    step.propagated += accumulation_factor(terms, how) * format(accumulator).unit * magnitude;
  }
  step.exact = exact;
  if (!std::isfinite(total)) step.propagated = 0;
  return settle(step, format(result));
}

}  // namespace parhelion::interp
