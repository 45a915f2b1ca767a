// SPDX-License-Identifier: Apache-2.0
#include "interp/pointwise.h"

#include <cmath>

#include "interp/steps.h"

namespace parhelion::interp {

using ir::OpCode;

Lanes::Lanes(const Shape& result, const Shape& operand) {
  if (operand == result) return;
  const std::size_t n = lane_count(result);
  if (lane_count(operand) == 1) {
    step_ = 0;
    return;
  }
  const std::size_t rank = result.size(), skip = rank - operand.size();
  std::vector<std::size_t> strides(rank, 0);
  std::size_t next = 1;
  for (std::size_t d = rank; d-- > skip;) {
    const auto extent = static_cast<std::size_t>(operand[d - skip]);
    strides[d] = extent == 1 ? 0 : next;
    next *= extent;
  }
  table_.resize(n);
  std::vector<std::int64_t> at(rank, 0);
  std::size_t index = 0;
  for (std::size_t k = 0; k < n; ++k) {
    table_[k] = static_cast<std::uint32_t>(index);
    for (std::size_t d = rank; d-- > 0;) {
      index += strides[d];
      if (++at[d] < result[d]) break;
      index -= strides[d] * static_cast<std::size_t>(result[d]);
      at[d] = 0;
    }
  }
}

namespace {

void put(Tile& tile, std::size_t k, const Lane& lane) {
  tile.x[k] = lane.x;
  tile.set_error(k, lane.error);
  if (lane.unsure) tile.set_unsure(k);
}

/// A NaN that no operand brought may be no NaN within the errors.
void put_step(Tile& tile, std::size_t k, const Step& step, const Format& f, bool unsure) {
  Lane lane = settle(step, f);
  lane.unsure = lane.unsure || unsure;
  put(tile, k, lane);
}

bool is_unsigned(DType dtype) { return !is_signed_integer(dtype); }

}  // namespace

Tile unary(OpCode code, const Tile& a, const FunctionErrors& errors) {
  Tile r = Tile::of(a.dtype, a.shape);
  const std::size_t n = r.size();
  if (!a.is_float()) {
    for (std::size_t k = 0; k < n; ++k) {
      r.i[k] =
          a.dtype == DType::Bool ? 1 - a.i[k] : wrap_integer(unary_integer(code, a.i[k]), a.dtype);
    }
    r.unsure = a.unsure;
    return r;
  }
  const Format& f = format(a.dtype);
  for (std::size_t k = 0; k < n; ++k) {
    put_step(r, k, unary_step(code, a.x[k], a.error_at(k), errors), f, a.unsure_at(k));
  }
  return r;
}

namespace {

Tile compare(OpCode code, const Tile& a, const Tile& b, Shape shape) {
  Tile r = Tile::of(DType::Bool, std::move(shape));
  const Lanes la(r.shape, a.shape), lb(r.shape, b.shape);
  for (std::size_t k = 0; k < r.i.size(); ++k) {
    const std::size_t p = la[k], q = lb[k];
    bool unsure = a.unsure_at(p) || b.unsure_at(q);
    if (a.is_float()) {
      r.i[k] = compare_numbers(code, a.x[p], b.x[q]) ? 1 : 0;
      const double t = a.error_at(p) + b.error_at(q);
      unsure = unsure || (t > 0 && std::abs(a.x[p] - b.x[q]) <= t);
    } else {
      r.i[k] = compare_integers(code, a.i[p], b.i[q], is_unsigned(a.dtype)) ? 1 : 0;
    }
    if (unsure) r.set_unsure(k);
  }
  return r;
}

}  // namespace

Tile binary(OpCode code, const Tile& a, const Tile& b, Shape shape, DType result,
            const FunctionErrors& errors) {
  if (ir::row(code).group == ir::OpGroup::Compare) return compare(code, a, b, std::move(shape));
  Tile r = Tile::of(result, std::move(shape));
  const Lanes la(r.shape, a.shape), lb(r.shape, b.shape);
  const std::size_t n = r.size();
  if (!r.is_float()) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t p = la[k], q = lb[k];
      r.i[k] = wrap_integer(binary_integer(code, a.i[p], b.i[q], is_unsigned(result)), result);
      if (a.unsure_at(p) || b.unsure_at(q)) r.set_unsure(k);
    }
    return r;
  }
  const Format& f = format(result);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t p = la[k], q = lb[k];
    const Step step = binary_step(code, a.x[p], a.error_at(p), b.x[q], b.error_at(q), errors);
    put_step(r, k, step, f, a.unsure_at(p) || b.unsure_at(q));
  }
  return r;
}

namespace {

/// Where the condition may go either way, the bound covers both sides if it can.
void choose(Tile& r, std::size_t k, const Tile& chosen, std::size_t p, const Tile& other,
            std::size_t q, bool unsure_choice) {
  bool unsure = chosen.unsure_at(p);
  if (!r.is_float()) {
    r.i[k] = chosen.i[p];
    unsure = unsure || (unsure_choice && (chosen.i[p] != other.i[q] || other.unsure_at(q)));
  } else {
    r.x[k] = chosen.x[p];
    double e = chosen.error_at(p);
    if (unsure_choice) {
      const double gap = std::abs(chosen.x[p] - other.x[q]);
      unsure = unsure || other.unsure_at(q) || !std::isfinite(gap);
      if (std::isfinite(gap)) e = std::max(e, gap + other.error_at(q));
    }
    r.set_error(k, e);
  }
  if (unsure) r.set_unsure(k);
}

}  // namespace

Tile where(const Tile& condition, const Tile& a, const Tile& b, Shape shape) {
  Tile r = Tile::of(a.dtype, std::move(shape));
  const Lanes lc(r.shape, condition.shape), la(r.shape, a.shape), lb(r.shape, b.shape);
  const std::size_t n = r.size();
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t c = lc[k];
    const bool unsure = condition.unsure_at(c);
    if (condition.i[c] != 0) {
      choose(r, k, a, la[k], b, lb[k], unsure);
    } else {
      choose(r, k, b, lb[k], a, la[k], unsure);
    }
  }
  return r;
}

Tile fma(const Tile& a, const Tile& b, const Tile& c, Shape shape) {
  Tile r = Tile::of(a.dtype, std::move(shape));
  const Lanes la(r.shape, a.shape), lb(r.shape, b.shape), lc(r.shape, c.shape);
  const std::size_t n = r.size();
  const Format& f = format(a.dtype);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t p = la[k], q = lb[k], s = lc[k];
    const bool unsure = a.unsure_at(p) || b.unsure_at(q) || c.unsure_at(s);
    if (!r.is_float()) {
      const std::int64_t m = binary_integer(OpCode::Mul, a.i[p], b.i[q], false);
      r.i[k] = wrap_integer(binary_integer(OpCode::Add, m, c.i[s], false), r.dtype);
      if (unsure) r.set_unsure(k);
      continue;
    }
    Step step = binary_step(OpCode::Mul, a.x[p], a.error_at(p), b.x[q], b.error_at(q), {});
    const bool exact_product = step.exact;
    step.exact = exact_product && binary_step(OpCode::Add, step.result, 0, c.x[s], 0, {}).exact;
    step.result = std::fma(a.x[p], b.x[q], c.x[s]);
    step.propagated += c.error_at(s);
    put_step(r, k, step, f, unsure);
  }
  return r;
}

namespace {

Tile cast_to_integer(const Tile& a, DType to) {
  Tile r = Tile::of(to, a.shape);
  const std::size_t n = a.size();
  for (std::size_t k = 0; k < n; ++k) {
    bool unsure = a.unsure_at(k);
    if (a.is_float()) {
      r.i[k] = to_integer(a.x[k], to);
      const double t = a.error_at(k);
      unsure = unsure || (t > 0 && to_integer(a.x[k] - t, to) != to_integer(a.x[k] + t, to));
      if (to == DType::Bool) unsure = a.unsure_at(k) || (t > 0 && std::abs(a.x[k]) <= t);
    } else {
      r.i[k] = wrap_integer(a.i[k], to);
    }
    if (unsure) r.set_unsure(k);
  }
  return r;
}

}  // namespace

Tile cast(const Tile& a, DType to) {
  if (a.dtype == to) return a;
  if (!parhelion::is_float(to)) return cast_to_integer(a, to);
  Tile r = Tile::of(to, a.shape);
  const Format& f = format(to);
  const bool narrow = size_bytes(to) < 4;
  // From f64 and wide integers a narrow float is reached through f32.
  const bool through_f32 = narrow && (a.dtype == DType::F64 || !a.is_float());
  const std::size_t n = a.size();
  for (std::size_t k = 0; k < n; ++k) {
    const double from = a.is_float() ? a.x[k] : integer_value(a.i[k], a.dtype);
    const double value = through_f32 ? round_number(from, DType::F32) : from;
    Step step{.result = value, .propagated = a.error_at(k)};
    Lane lane = settle(step, f);
    // A single rounding of the same number gives the same bits everywhere.
    if (step.propagated == 0) lane.error = 0;
    if (step.propagated > 0 && !narrow) lane.error += (f.ulp - f.unit) * std::abs(lane.x);
    lane.unsure = lane.unsure || a.unsure_at(k);
    put(r, k, lane);
  }
  return r;
}

Tile expand(const Tile& a, Shape shape) {
  Tile r = Tile::of(a.dtype, std::move(shape));
  const Lanes la(r.shape, a.shape);
  const std::size_t n = r.size();
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t p = la[k];
    if (r.is_float()) {
      r.x[k] = a.x[p];
      r.set_error(k, a.error_at(p));
    } else {
      r.i[k] = a.i[p];
    }
    if (a.unsure_at(p)) r.set_unsure(k);
  }
  return r;
}

}  // namespace parhelion::interp
