// SPDX-License-Identifier: Apache-2.0
#include "session/reference.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::session {

namespace {

constexpr double whole_limit = 4e6;  // lane operations that the interpreter does in a second or so
constexpr int sampled_programs = 16;

}  // namespace

bool Judgement::ok() const {
  return findings.empty() &&
         std::ranges::all_of(outputs, [](const interp::Comparison& c) { return c.ok(); });
}

std::string Judgement::text() const {
  std::string text = sampled ? fmt::format("{} tiles against the interpreter", programs)
                             : std::string("every element against the interpreter");
  for (const interp::Comparison& c : outputs) text += ": " + c.text();
  for (const interp::Finding& f : findings) text += "; " + f.message;
  return text;
}

Result<Judgement> judge(const Entry& entry, std::span<const Argument> arguments,
                        std::span<const Buffer> outputs, std::uint64_t seed) {
  const lang::FlatArguments flat = lang::flatten(arguments);
  interp::Inputs inputs;
  inputs.tensors = flat.tensors;
  for (const Argument* a : flat.scalars) inputs.scalars.push_back({a->number, a->integer});
  interp::Options options;
  options.seed = seed;
  options.runs = 1;
  const plan::Estimate& e = entry.compiled->emitted.estimate;
  const double work = e.flops + 20 * e.special_functions + e.bytes_read + e.bytes_written;
  if (work > whole_limit) options.sample = sampled_programs;
  auto outcome = interp::run(*entry.function, inputs, options);
  if (!outcome) return std::unexpected(outcome.error());
  Judgement judgement;
  judgement.findings = std::move(outcome->findings);
  judgement.sampled = outcome->sampled;
  judgement.programs = outcome->programs;
  for (std::size_t i = 0; i < outputs.size() && i < outcome->outputs.size(); ++i) {
    judgement.outputs.push_back(interp::compare(outcome->outputs[i], outputs[i].view()));
  }
  return judgement;
}

}  // namespace parhelion::session
