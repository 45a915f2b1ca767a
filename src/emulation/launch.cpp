// SPDX-License-Identifier: Apache-2.0
#include "emulation/launch.h"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace parhelion::emulation {

namespace {
constexpr std::array schedules = {Schedule::RoundRobinEarly, Schedule::RoundRobinLate,
                                  Schedule::Random1,         Schedule::Random2,
                                  Schedule::ProducerLate,    Schedule::ConsumerEarly,
                                  Schedule::StarveEarly,     Schedule::StarveLate};
}

std::span<const Schedule> all_schedules() { return schedules; }

std::string_view name(Schedule schedule) {
  switch (schedule) {
    case Schedule::RoundRobinEarly: return "rr/early";
    case Schedule::RoundRobinLate: return "rr/late";
    case Schedule::Random1: return "random1";
    case Schedule::Random2: return "random2";
    case Schedule::ProducerLate: return "producer/late";
    case Schedule::ConsumerEarly: return "consumer/early";
    case Schedule::StarveEarly: return "starve/early";
    case Schedule::StarveLate: return "starve/late";
  }
  return "";
}

std::string_view name(Kind kind) {
  switch (kind) {
    case Kind::Race: return "race";
    case Kind::Proxy: return "proxy";
    case Kind::NotWaited: return "not-waited";
    case Kind::Uninitialised: return "uninitialised";
    case Kind::Bounds: return "bounds";
    case Kind::ReadOnly: return "read-only";
    case Kind::Misaligned: return "misaligned";
    case Kind::Divergent: return "divergent";
    case Kind::Deadlock: return "deadlock";
    case Kind::BarrierCount: return "barrier-count";
    case Kind::CopyPending: return "copy-pending";
    case Kind::StalePhase: return "stale-phase";
    case Kind::MbarrierInit: return "mbarrier-init";
    case Kind::MbarrierAccess: return "mbarrier-access";
    case Kind::MbarrierCount: return "mbarrier-count";
    case Kind::ExpectBytes: return "expect-bytes";
    case Kind::TimeLimit: return "time-limit";
  }
  return "";
}

Argument Argument::number(float value) {
  return {-1, static_cast<std::int64_t>(std::bit_cast<std::uint32_t>(value))};
}

Argument Argument::number(double value) { return {-1, std::bit_cast<std::int64_t>(value)}; }

bool Report::has(Kind kind) const {
  for (const Finding& finding : findings) {
    if (finding.kind == kind) return true;
  }
  return false;
}

std::string text(const Report& report) {
  std::string all;
  for (const Finding& f : report.findings) {
    all += fmt::format("{} at line {} (block {}, thread{} {}): {}\n", name(f.kind), f.line, f.block,
                       f.threads.size() == 1 ? "" : "s", fmt::join(f.threads, ", "), f.message);
  }
  return all;
}

}  // namespace parhelion::emulation
