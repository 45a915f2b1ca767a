// SPDX-License-Identifier: Apache-2.0
#include "base/diag.h"
#include "interp/interp.h"
#include "interp/memory.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace parhelion::interp {

bool Comparison::ok() const {
  const std::int64_t judged = compared + ambiguous;
  return mismatches == 0 && ambiguous <= std::max<std::int64_t>(2, judged / 1000);
}

std::string Comparison::text() const {
  if (mismatches == 0) {
    return fmt::format("{} elements agree, worst error {:.3g} of the bound, {} not judged",
                       compared, worst_ratio, ambiguous);
  }
  return fmt::format("{} of {} elements differ, first at {}: expected {}, got {}, bound {:.3g}",
                     mismatches, compared, *first_mismatch, expected, got, bound);
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Of the error to the bound; 0 where both are the same special value.
double ratio(double expected, double got, double bound) {
  if (std::isnan(expected) || std::isnan(got)) {
    return std::isnan(expected) == std::isnan(got) ? 0 : infinity;
  }
  if (expected == got) return 0;
  if (std::isinf(expected) || std::isinf(got)) return infinity;
  const double error = std::abs(got - expected);
  return bound > 0 ? error / bound : infinity;
}

void judge(Comparison& c, std::int64_t k, double expected, double got, double bound, double r) {
  ++c.compared;
  c.worst_ratio = std::max(c.worst_ratio, r);
  if (r <= 1) return;
  if (c.mismatches++ > 0) return;
  c.first_mismatch = k;
  c.expected = expected;
  c.got = got;
  c.bound = bound;
}

}  // namespace

Comparison compare(const OutputTensor& expected, const TensorView& got) {
  PH_ASSERT(got.dtype == expected.dtype &&
                static_cast<std::size_t>(got.rank) == expected.sizes.size(),
            fmt::format("'{}' is compared with another kind of tensor", expected.name));
  Comparison c;
  std::vector<std::int64_t> at(expected.sizes.size(), 0);
  for (std::size_t k = 0; k < expected.values.size(); ++k) {
    std::int64_t element = 0;
    for (std::size_t d = 0; d < at.size(); ++d) element += at[d] * got.strides[d];
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < expected.sizes[d]) break;
      at[d] = 0;
    }
    if ((expected.flags[k] & OutputTensor::written) == 0) {
      ++c.unwritten;
    } else if ((expected.flags[k] & OutputTensor::ambiguous) != 0) {
      ++c.ambiguous;
    } else {
      const double number = load_number(got, element);
      const double r =
          is_float(expected.dtype)
              ? ratio(expected.values[k], number, expected.bounds[k])
              : (expected.integers[k] == load_integer(got, element) ? 0 : infinity);
      judge(c, static_cast<std::int64_t>(k), expected.values[k], number, expected.bounds[k], r);
    }
  }
  return c;
}

}  // namespace parhelion::interp
