// SPDX-License-Identifier: Apache-2.0
// The one file that includes Boost.Math.
#include "base/diag.h"
#include "stats/tests.h"

#include <boost/math/distributions/non_central_t.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <cmath>

namespace parhelion::stats {

double normal_cdf(double x) { return boost::math::cdf(boost::math::normal(), x); }

double normal_quantile(double p) { return boost::math::quantile(boost::math::normal(), p); }

double student_cdf(double t, double degrees) {
  return boost::math::cdf(boost::math::students_t(degrees), t);
}

double student_quantile(double p, double degrees) {
  return boost::math::quantile(boost::math::students_t(degrees), p);
}

int sample_size(double effect, double alpha, double power) {
  PH_ASSERT(effect != 0 && alpha > 0 && alpha < 1 && power > 0 && power < 1,
            "a sample size needs an effect, and alpha and power inside (0, 1)");
  const double d = std::abs(effect);
  const auto reached = [&](int n) {
    const double critical = student_quantile(1 - alpha / 2, n - 1);
    const boost::math::non_central_t alternative(n - 1, d * std::sqrt(n));
    return boost::math::cdf(boost::math::complement(alternative, critical)) >= power;
  };
  // The normal formula is below the exact answer by a few samples: a safe place to start.
  const double z = normal_quantile(1 - alpha / 2) + normal_quantile(power);
  int n = std::max(2, static_cast<int>(std::min(z * z / (d * d), 1e8)));
  while (!reached(n)) ++n;
  return n;
}

}  // namespace parhelion::stats
