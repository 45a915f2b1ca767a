// SPDX-License-Identifier: Apache-2.0
#include <parhelion/target.h>

#include "base/diag.h"
#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace parhelion {

namespace {

constexpr CpuLevel levels[] = {CpuLevel::V1, CpuLevel::V2, CpuLevel::V3, CpuLevel::V4};
constexpr std::string_view default_cuda = "sm_90a";

std::vector<std::string> known_names() {
  std::vector<std::string> names = {"cpu"};
  for (const CpuLevel level : levels) names.push_back(name(level));
  names.emplace_back("cuda");
  for (const CudaTarget& row : cuda_targets()) names.push_back(row.architecture);
  return names;
}

}  // namespace

std::string name(CpuLevel level) {
  if (level == CpuLevel::V1) return "x86-64";
  return fmt::format("x86-64-v{}", static_cast<int>(level));
}

std::string name(const Target& target) {
  if (const auto* cpu = std::get_if<CpuTarget>(&target)) return name(cpu->level);
  return std::get<CudaTarget>(target).architecture;
}

std::vector<std::string> feature_names(const CpuFeatures& features) {
  std::vector<std::string> names;
  for (const CpuFeatureRow& row : cpu_feature_rows()) {
    if (features.*row.member) names.emplace_back(row.name);
  }
  return names;
}

Result<Target> parse_target(std::string_view text) {
  if (text == "cpu") return host_cpu();
  for (const CpuLevel level : levels) {
    if (text == name(level)) return host_cpu().at_level(level);
  }
  for (const CudaTarget& row : cuda_targets()) {
    if (text == row.architecture || (text == "cuda" && row.architecture == default_cuda)) {
      return row;
    }
  }
  const std::vector<std::string> names = known_names();
  const auto longer = std::ranges::find_if(  // "sm_90" is nearer to sm_90a than to sm_80
      names, [&](const std::string& n) { return text.size() > 3 && starts_with(n, text); });
  const auto near = longer != names.end() ? std::optional(*longer) : close_match(text, names);
  return fail(
      8401, fmt::format("'{}' is not a target", text), {},
      near ? fmt::format("did you mean {}?", *near) : fmt::format("one of {}", join(names, ", ")));
}

Result<void> check_runs_on(const Target& target, const CpuTarget& host) {
  const auto* cpu = std::get_if<CpuTarget>(&target);
  if (cpu == nullptr) {
    return fail(8402, fmt::format("{} is a GPU, not this machine's CPU", name(target)));
  }
  std::vector<std::string> missing;
  for (const CpuFeatureRow& row : cpu_feature_rows()) {
    if (cpu->features.*row.member && !(host.features.*row.member)) {
      missing.emplace_back(row.name);
    }
  }
  if (missing.empty()) return {};
  return fail(8402, fmt::format("this CPU lacks {} of {}", join(missing, ", "), name(target)), {},
              fmt::format("use --target cpu, which is {} here", name(host.level)));
}

}  // namespace parhelion
