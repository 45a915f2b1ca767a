// SPDX-License-Identifier: Apache-2.0
#include "interp/reduce.h"

#include "interp/accumulate.h"
#include "interp/steps.h"

#include <cmath>
#include <limits>

namespace parhelion::interp {

using ir::OpCode;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The lanes that one result reads: `first`, then every `step`-th.
struct Run {
  std::size_t first, step, count;
};

Lane sum_of(const Tile& a, const Run& run, DType result, const Accumulation& how) {
  Sum sum;
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::size_t at = run.first + k * run.step;
    sum.add(a.x[at], a.error_at(at));
  }
  return sum.finish(run.count, result, result, how);
}

Lane mean_of(const Tile& a, const Run& run, DType result, const Accumulation& how) {
  Sum sum;
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::size_t at = run.first + k * run.step;
    const double x = a.is_float() ? a.x[at] : integer_value(a.i[at], a.dtype);
    sum.add(x, a.error_at(at));
  }
  const Lane total = sum.finish(run.count, DType::F64, result, how);
  const auto n = static_cast<double>(run.count);
  // A backend may multiply by the reciprocal of the count: one more rounding.
  Step step{.result = total.x / n, .propagated = total.error / n, .exact = false};
  const double exact = step.result * n - total.x;
  step.exact = exact == 0 && (run.count & (run.count - 1)) == 0;
  if (!step.exact) step.propagated += format(DType::F32).ulp * std::abs(step.result);
  if (!std::isfinite(step.result)) step.propagated = 0;
  Lane lane = settle(step, format(result));
  lane.unsure = lane.unsure || total.unsure;
  return lane;
}

Lane product_of(const Tile& a, const Run& run, DType result) {
  const Format& f = format(is_float(result) && size_bytes(result) > 4 ? result : DType::F32);
  Step step{.result = 1};
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::size_t at = run.first + k * run.step;
    const Step next =
        binary_step(OpCode::Mul, step.result, step.propagated, a.x[at], a.error_at(at), {});
    const bool exact = next.exact && round_number(next.result, f.dtype) == next.result;
    step.exact = step.exact && exact;
    step.result = next.result;
    step.propagated = next.propagated + (exact ? 0 : f.ulp * std::abs(next.result));
  }
  return settle(step, format(result));
}

Lane extreme_of(OpCode code, const Tile& a, const Run& run) {
  const OpCode pick = code == OpCode::Amax ? OpCode::Max : OpCode::Min;
  Lane best{code == OpCode::Amax ? -infinity : infinity, 0, false};
  for (std::size_t k = 0; k < run.count; ++k) {
    const std::size_t at = run.first + k * run.step;
    const Step step = binary_step(pick, best.x, best.error, a.x[at], a.error_at(at), {});
    best.x = step.result;
    best.error = step.propagated;
  }
  return best;
}

bool any_unsure(const Tile& a, const Run& run) {
  if (a.unsure.empty()) return false;
  for (std::size_t k = 0; k < run.count; ++k) {
    if (a.unsure[run.first + k * run.step] != 0) return true;
  }
  return false;
}

Lane float_result(OpCode code, const Tile& a, const Run& run, DType result,
                  const Accumulation& how) {
  switch (code) {
    case OpCode::Sum: return sum_of(a, run, result, how);
    case OpCode::Mean: return mean_of(a, run, result, how);
    case OpCode::Prod: return product_of(a, run, result);
    default: return extreme_of(code, a, run);
  }
}

std::int64_t smallest(DType t) {
  if (!is_signed_integer(t)) return 0;
  return wrap_integer(std::int64_t(std::uint64_t{1} << (8 * size_bytes(t) - 1)), t);
}
std::int64_t largest(DType t) {
  if (t == DType::Bool) return 1;
  return is_signed_integer(t) ? ~smallest(t) : wrap_integer(-1, t);
}

std::int64_t integer_result(OpCode code, const Tile& a, const Run& run, DType result) {
  const bool is_unsigned = !is_signed_integer(a.dtype);
  std::int64_t r = 0;
  OpCode step = OpCode::Add;
  if (code == OpCode::Prod) {
    r = 1;
    step = OpCode::Mul;
  } else if (code == OpCode::Amax) {
    r = smallest(a.dtype);
    step = OpCode::Max;
  } else if (code == OpCode::Amin) {
    r = largest(a.dtype);
    step = OpCode::Min;
  }
  for (std::size_t k = 0; k < run.count; ++k) {
    r = binary_integer(step, r, a.i[run.first + k * run.step], is_unsigned);
  }
  return wrap_integer(r, result);
}

}  // namespace

Tile reduce(OpCode code, const Tile& a, std::size_t dim, std::int64_t valid, Shape shape,
            DType result, const Accumulation& accumulation) {
  Tile r = Tile::of(result, std::move(shape));
  std::size_t inner = 1;
  for (std::size_t d = dim + 1; d < a.shape.size(); ++d) {
    inner *= static_cast<std::size_t>(a.shape[d]);
  }
  const auto lanes = static_cast<std::size_t>(a.shape[dim]);
  const std::size_t n = r.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Run run{k / inner * inner * lanes + k % inner, inner, static_cast<std::size_t>(valid)};
    if (r.is_float()) {
      const Lane lane = float_result(code, a, run, result, accumulation);
      r.x[k] = lane.x;
      r.set_error(k, lane.error);
      if (lane.unsure) r.set_unsure(k);
    } else {
      r.i[k] = integer_result(code, a, run, result);
    }
    if (any_unsure(a, run)) r.set_unsure(k);
  }
  return r;
}

}  // namespace parhelion::interp
