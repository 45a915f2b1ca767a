// SPDX-License-Identifier: Apache-2.0
#include "interp/accumulate.h"
#include "interp/reduce.h"
#include "interp/steps.h"

namespace parhelion::interp {

namespace {

/// One side of the product, contracted lanes together: rows of a, columns of b.
struct Side {
  std::vector<double> x, error;
  std::vector<std::int64_t> i;
  std::vector<int> lowest;           // per row
  std::vector<std::uint8_t> unsure;  // per row
  std::size_t terms = 0;
};

Side pack(const Tile& t, std::size_t rows, std::size_t terms, std::size_t row_step,
          std::size_t term_step) {
  Side s;
  s.terms = terms;
  s.lowest.assign(rows, no_bit);
  s.unsure.assign(rows, 0);
  if (t.is_float()) {
    s.x.resize(rows * terms);
  } else {
    s.i.resize(rows * terms);
  }
  if (!t.error.empty()) s.error.resize(rows * terms);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < terms; ++k) {
      const std::size_t from = r * row_step + k * term_step, to = r * terms + k;
      if (t.is_float()) {
        s.x[to] = t.x[from];
        s.lowest[r] = std::min(s.lowest[r], lowest_bit(t.x[from]));
      } else {
        s.i[to] = t.i[from];
      }
      if (!t.error.empty()) s.error[to] = t.error[from];
      if (t.unsure_at(from)) s.unsure[r] = 1;
    }
  }
  return s;
}

double error_of(const Side& a, std::size_t p, const Side& b, std::size_t q) {
  if (a.error.empty() && b.error.empty()) return 0;
  double t = 0;
  for (std::size_t k = 0; k < a.terms; ++k) {
    const double ea = a.error.empty() ? 0 : a.error[p + k];
    const double eb = b.error.empty() ? 0 : b.error[q + k];
    if (eb > 0) t += (std::abs(a.x[p + k]) + ea) * eb;
    if (ea > 0) t += std::abs(b.x[q + k]) * ea;
  }
  return t;
}

/// Inputs rounded to 11 bits (tf32), or split into three such products.
double precision_factor(ir::DotPrecision precision, std::size_t terms) {
  const auto k = static_cast<double>(terms);
  if (precision == ir::DotPrecision::Tf32) return 8 + k / 8 + 0x1p14;
  return precision == ir::DotPrecision::Tf32x3 ? 8 + 3 * k / 8 : 0;
}

struct DotRules {
  DType result;
  ir::DotPrecision precision;
  const Accumulation& how;
};

Lane float_dot(const Side& a, std::size_t row, const Side& b, std::size_t column, const Lane& acc,
               const DotRules& rules) {
  Sum sum;
  const std::size_t p = row * a.terms, q = column * b.terms;
  for (std::size_t k = 0; k < a.terms; ++k) {
    const double product = a.x[p + k] * b.x[q + k];
    sum.total += product;
    sum.magnitude += std::abs(product);
  }
  sum.propagated = error_of(a, p, b, q) + acc.error;
  sum.total += acc.x;
  sum.magnitude += std::abs(acc.x);
  sum.lowest = a.lowest[row] == no_bit || b.lowest[column] == no_bit
                   ? no_bit
                   : a.lowest[row] + b.lowest[column];
  sum.lowest = std::min(sum.lowest, lowest_bit(acc.x));
  const double extra = precision_factor(rules.precision, a.terms);
  if (extra > 0 && std::isfinite(sum.magnitude)) {
    sum.propagated += extra * format(DType::F32).unit * sum.magnitude;
  }
  return sum.finish(a.terms + 1, rules.result, rules.result, rules.how);
}

std::int64_t integer_dot(const Side& a, std::size_t row, const Side& b, std::size_t column) {
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < a.terms; ++k) {
    sum += static_cast<std::uint64_t>(a.i[row * a.terms + k]) *
           static_cast<std::uint64_t>(b.i[column * b.terms + k]);
  }
  return static_cast<std::int64_t>(sum);
}

Lane lane_of(const Tile* acc, std::size_t k) {
  if (acc == nullptr) return {};
  return {acc->x[k], acc->error_at(k), acc->unsure_at(k)};
}

}  // namespace

Tile dot(const Tile& a, const Tile& b, const Tile* acc, std::int64_t valid, DType result,
         ir::DotPrecision precision, const Accumulation& accumulation) {
  const auto m = static_cast<std::size_t>(a.shape[0]), n = static_cast<std::size_t>(b.shape[1]);
  const auto terms = static_cast<std::size_t>(valid);
  const Side left = pack(a, m, terms, static_cast<std::size_t>(a.shape[1]), 1);
  const Side right = pack(b, n, terms, 1, n);
  const DotRules rules{result, precision, accumulation};
  Tile r = Tile::of(result, {a.shape[0], b.shape[1]});
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t k = i * n + j;
      bool unsure = left.unsure[i] != 0 || right.unsure[j] != 0;
      if (r.is_float()) {
        const Lane from = lane_of(acc, k);
        const Lane lane = float_dot(left, i, right, j, from, rules);
        r.x[k] = lane.x;
        r.set_error(k, lane.error);
        unsure = unsure || lane.unsure || from.unsure;
      } else {
        const std::int64_t start = acc == nullptr ? 0 : acc->i[k];
        r.i[k] = wrap_integer(
            binary_integer(ir::OpCode::Add, integer_dot(left, i, right, j), start, false), result);
        unsure = unsure || (acc != nullptr && acc->unsure_at(k));
      }
      if (unsure) r.set_unsure(k);
    }
  }
  return r;
}

}  // namespace parhelion::interp
