// SPDX-License-Identifier: Apache-2.0
// A sum in double with what its bound needs: sum of magnitudes, errors of the terms, and whether
// every order of f32 adds would give the same bits.
#pragma once

#include "interp/interp.h"
#include "interp/numbers.h"

#include <algorithm>
#include <cmath>

namespace parhelion::interp {

/// c of c * u * sum|terms| (the table of frontend.md section 6).
[[nodiscard]] double accumulation_factor(std::size_t terms, const Accumulation& how);

struct Sum {
  double total = 0, magnitude = 0, propagated = 0;
  int lowest = no_bit;

  void add(double x, double error) {
    total += x;
    magnitude += std::abs(x);
    propagated += error;
    lowest = std::min(lowest, lowest_bit(x));
  }
  /// Added up in f32 (f64 where `accumulator` says so), rounded to `result`.
  [[nodiscard]] Lane finish(std::size_t terms, DType result, DType accumulator,
                            const Accumulation& how) const;
};

/// Whether partial sums of this size, multiples of 2^lowest, fit the significand of f32 (or f64).
[[nodiscard]] bool exact_in_any_order(double magnitude, int lowest, DType accumulator);

}  // namespace parhelion::interp
