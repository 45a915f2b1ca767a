// SPDX-License-Identifier: Apache-2.0
#include "interp/steps.h"

#include "base/diag.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace parhelion::interp {

using ir::OpCode;

namespace {

constexpr double two_over_sqrt_pi = 1.1283791670955126;

Step function(double result, double propagated, double ulp, const FunctionErrors& errors) {
  return {result, propagated, ulp, errors.tiny, false, false};
}

Step unsure_step(double result) { return {result, 0, 0, 0, false, true}; }

Step logarithm(double result, double scale, double x, double t, const FunctionErrors& errors) {
  if (t > 0 && x + t >= 0 && x - t <= 0) return unsure_step(result);
  const double propagated = t > 0 && x > 0 ? -scale * std::log1p(-t / x) : 0;
  return function(result, propagated, errors.logarithm, errors);
}

Step root(double x, double t, const FunctionErrors& errors) {
  const double r = std::sqrt(x);
  if (t == 0) return {r, 0, errors.root, errors.tiny, errors.root == 0, false};
  if (x + t < 0) return {r, 0, 0, 0, false, false};
  if (x - t < 0) return unsure_step(r);
  return {r, t / (r + std::sqrt(x - t)), errors.root, errors.tiny, false, false};
}

Step reciprocal_root(double x, double t, const FunctionErrors& errors) {
  const double r = 1 / std::sqrt(x);
  if (t > 0 && x + t >= 0 && x - t <= 0) return unsure_step(r);
  const double propagated = t > 0 && x > 0 ? 1 / std::sqrt(x - t) - r : 0;
  return function(r, propagated, errors.reciprocal_root, errors);
}

Step reciprocal(double x, double t, const FunctionErrors& errors) {
  const double size = std::abs(x);
  if (t > 0 && size <= t) return unsure_step(1 / x);
  const double propagated = t > 0 ? t / (size * (size - t)) : 0;
  return function(1 / x, propagated, errors.reciprocal, errors);
}

/// Slopes of these fall with |x|: the largest one within t of x.
double slope_point(double x, double t) { return std::max(std::abs(x) - t, 0.0); }

Step tanh_step(double x, double t, const FunctionErrors& errors) {
  const double at = std::tanh(slope_point(x, t));
  return function(std::tanh(x), t > 0 ? t * (1 - at * at) : 0, errors.tanh, errors);
}

Step erf_step(double x, double t, const FunctionErrors& errors) {
  const double at = slope_point(x, t);
  const double slope = two_over_sqrt_pi * std::exp(-at * at);
  return function(std::erf(x), t > 0 ? t * slope : 0, errors.erf, errors);
}

Step sigmoid_step(double x, double t, const FunctionErrors& errors) {
  const double at = 1 / (1 + std::exp(-slope_point(x, t)));
  const double slope = at * (1 - at);
  return function(1 / (1 + std::exp(-x)), t > 0 ? t * slope : 0, errors.sigmoid, errors);
}

/// How far a step function may be off when its argument is.
double jump(double (*round)(double), double x, double t) {
  const double r = round(x);
  return t > 0 ? std::max(round(x + t) - r, r - round(x - t)) : 0;
}

double floor_of(double x) { return std::floor(x); }
double ceil_of(double x) { return std::ceil(x); }

}  // namespace

Step unary_step(OpCode code, double x, double t, const FunctionErrors& errors) {
  switch (code) {
    case OpCode::Neg: return {.result = -x, .propagated = t};
    case OpCode::Abs: return {.result = std::abs(x), .propagated = t};
    case OpCode::Exp: {
      const double r = std::exp(x);
      return function(r, t > 0 ? r * std::expm1(t) : 0, errors.exponential, errors);
    }
    case OpCode::Exp2: {
      const double r = std::exp2(x);
      return function(r, t > 0 ? r * std::expm1(t * std::log(2.0)) : 0, errors.exponential,
                      errors);
    }
    case OpCode::Log: return logarithm(std::log(x), 1, x, t, errors);
    case OpCode::Log2: return logarithm(std::log2(x), 1 / std::log(2.0), x, t, errors);
    case OpCode::Sqrt: return root(x, t, errors);
    case OpCode::Rsqrt: return reciprocal_root(x, t, errors);
    case OpCode::Reciprocal: return reciprocal(x, t, errors);
    case OpCode::Tanh: return tanh_step(x, t, errors);
    case OpCode::Erf: return erf_step(x, t, errors);
    case OpCode::Sigmoid: return sigmoid_step(x, t, errors);
    case OpCode::Floor: return {.result = std::floor(x), .propagated = jump(floor_of, x, t)};
    case OpCode::Ceil: return {.result = std::ceil(x), .propagated = jump(ceil_of, x, t)};
    default: break;
  }
  PH_ASSERT(false, "unary op of floats");
  return {};
}

namespace {

Step product(double a, double ta, double b, double tb) {
  const double propagated = (tb > 0 ? std::abs(a) * tb : 0) + (ta > 0 ? std::abs(b) * ta : 0) +
                            (ta > 0 && tb > 0 ? ta * tb : 0);
  const double r = a * b;
  return {.result = r, .propagated = propagated, .exact = std::fma(a, b, -r) == 0};
}

Step sum(double a, double ta, double b, double tb) {
  const double r = a + b, part = r - a;
  const bool exact = (a - (r - part)) + (b - part) == 0;
  return {.result = r, .propagated = ta + tb, .exact = exact};
}

Step quotient(double a, double ta, double b, double tb, const FunctionErrors& errors) {
  const double r = a / b;
  if (tb > 0 && std::abs(b) <= tb) return unsure_step(r);
  Step step{.result = r, .propagated = 0, .function_ulp = errors.division, .tiny = 0};
  if (ta > 0 || tb > 0) {
    step.propagated = b == 0 ? ta : (ta + std::abs(r) * tb) / (std::abs(b) - tb);
  }
  step.exact = errors.division == 0 && std::fma(r, b, -a) == 0;
  return step;
}

/// By how much floor(a / b) may be off; the quotient itself is rounded by a backend.
double floor_jump(const Step& q) {
  const double slack = q.propagated + (q.exact ? 0 : 0x1p-23 * std::abs(q.result));
  return jump(floor_of, q.result, slack);
}

Step floor_quotient(double a, double ta, double b, double tb, const FunctionErrors& errors) {
  const Step q = quotient(a, ta, b, tb, errors);
  if (q.unsure || !std::isfinite(q.result)) return {.result = q.result, .unsure = q.unsure};
  return {.result = std::floor(q.result), .propagated = floor_jump(q)};
}

Step remainder(double a, double ta, double b, double tb, const FunctionErrors& errors) {
  double r = std::fmod(a, b);
  if (r != 0 && (r < 0) != (b < 0)) r += b;
  if (std::isinf(b) && std::isfinite(a)) r = (a < 0) != (b < 0) && a != 0 ? b : a;
  const Step q = quotient(a, ta, b, tb, errors);
  Step step{.result = r, .propagated = ta};
  if (q.unsure || (std::isfinite(q.result) && floor_jump(q) != 0)) step.unsure = true;
  if (tb > 0) step.propagated += std::abs(std::floor(q.result)) * tb;
  return step;
}

Step extreme(bool largest, double a, double ta, double b, double tb) {
  const double r = ir::extreme_number(largest, a, b);
  if (std::abs(a - b) > ta + tb) return {.result = r, .propagated = r == a ? ta : tb};
  return {.result = r, .propagated = std::max(ta, tb)};
}

}  // namespace

namespace {

Step plain_binary_step(OpCode code, double a, double ta, double b, double tb,
                       const FunctionErrors& errors) {
  switch (code) {
    case OpCode::Add: return sum(a, ta, b, tb);
    case OpCode::Sub: return sum(a, ta, -b, tb);
    case OpCode::Mul: return product(a, ta, b, tb);
    case OpCode::Div: return quotient(a, ta, b, tb, errors);
    case OpCode::FloorDiv: return floor_quotient(a, ta, b, tb, errors);
    case OpCode::Mod: return remainder(a, ta, b, tb, errors);
    case OpCode::Min: return extreme(false, a, ta, b, tb);
    case OpCode::Max: return extreme(true, a, ta, b, tb);
    default: break;
  }
  PH_ASSERT(false, "binary op of floats");
  return {};
}

/// A NaN, or an infinity that no factor near 0 can undo: errors of the other side do not matter.
bool decided(OpCode code, double a, double ta, double b, double tb) {
  if (std::isnan(a) || std::isnan(b)) return true;
  if (!std::isinf(a) && !std::isinf(b)) return false;
  const bool near_zero = (ta > 0 && std::abs(a) <= ta) || (tb > 0 && std::abs(b) <= tb);
  return code != OpCode::Mul || !near_zero;
}

}  // namespace

Step binary_step(OpCode code, double a, double ta, double b, double tb,
                 const FunctionErrors& errors) {
  Step step = plain_binary_step(code, a, ta, b, tb, errors);
  if (!std::isfinite(step.result) && decided(code, a, ta, b, tb)) step.propagated = 0;
  return step;
}

}  // namespace parhelion::interp
