// SPDX-License-Identifier: Apache-2.0
#include "stats/verdict.h"

#include "base/diag.h"
#include "stats/robust.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace parhelion::stats {

namespace {

std::string refusal(const Verdict& verdict, std::span<const double> means,
                    const VerdictRule& rule) {
  if (verdict.p_adjusted >= rule.alpha) {
    return fmt::format("adjusted p = {:.3g} is not below {:.3g}", verdict.p_adjusted, rule.alpha);
  }
  if (std::log(verdict.gain_low) <= rule.least_gain) {
    return fmt::format("the interval [{:.4f}, {:.4f}] does not exclude a gain under {:.1f} %",
                       verdict.gain_low, verdict.gain_high, 100 * rule.least_gain);
  }
  if (verdict.effect && *verdict.effect < rule.least_effect) {
    return fmt::format("the effect of {:.2f} deviations is below {:.2f}", *verdict.effect,
                       rule.least_effect);
  }
  if (!std::ranges::all_of(means, [](double m) { return m > 0; })) {
    return "the processes do not agree in sign";
  }
  return {};
}

}  // namespace

std::vector<Verdict> judge(std::span<const FinalistSamples> finalists, const VerdictRule& rule) {
  std::vector<Verdict> out;
  std::vector<std::vector<double>> all_means;
  std::vector<double> p;
  for (const FinalistSamples& finalist : finalists) {
    PH_ASSERT(!finalist.processes.empty(), "a finalist without samples");
    std::vector<double> means;
    for (const std::vector<double>& process : finalist.processes) {
      means.push_back(mean(winsorised(process)));
    }
    Verdict verdict;
    verdict.processes = static_cast<int>(means.size());
    verdict.gain = verdict.gain_low = verdict.gain_high = std::exp(mean(means));
    if (const auto test = one_sample_t(means, 0, Side::Greater)) {
      verdict.p = test->p;
      verdict.gain_low = std::exp(test->low);
      verdict.gain_high = std::exp(test->high);
    }
    verdict.effect = cohens_d(means);
    verdict.bootstrap = hierarchical_bootstrap(finalist.processes);
    p.push_back(verdict.p);
    all_means.push_back(std::move(means));
    out.push_back(std::move(verdict));
  }
  const std::vector<double> adjusted = holm(p);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i].p_adjusted = adjusted[i];
    out[i].reason = refusal(out[i], all_means[i], rule);
    out[i].accepted = out[i].reason.empty();
  }
  return out;
}

}  // namespace parhelion::stats
