// SPDX-License-Identifier: Apache-2.0
#include "cases.h"

#include "compiled_text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

namespace emulation_test {

namespace {

struct Written {
  std::string text;
  std::vector<int> lines;  // of "// here", by case
};

int lines_in(std::string_view text) {
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

Written write(std::span<const Case> cases) {
  Written written;
  written.text = "#include \"prelude.cuh\"\n";
  std::string calls;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string name = "case_" + std::to_string(i);
    written.text += "__device__ __noinline__ void " + name +
                    "(const u32* in, u32* out, int wrong) {\n  const int t = threadIdx.x;\n";
    const std::string_view body = cases[i].body;
    const std::size_t here = body.find("// here");
    REQUIRE_MESSAGE(here != std::string_view::npos, cases[i].name);
    written.lines.push_back(lines_in(written.text) + lines_in(body.substr(0, here)) + 1);
    written.text.append(body).append("\n}\n");
    calls += "  if (which == " + std::to_string(i) + ") " + name + "(in, out, wrong);\n";
  }
  written.text +=
      "extern \"C\" __global__ void cases(const u32* in, u32* out, int which, int wrong)"
      " {\n" +
      calls + "}\n";
  return written;
}

void check_wrong(const Case& one, const em::Report& report, int line, em::Schedule schedule) {
  CAPTURE(std::string(one.name));
  CAPTURE(name(schedule));
  CAPTURE(em::text(report));
  const bool found = std::ranges::any_of(report.findings, [&](const em::Finding& finding) {
    return finding.kind == one.kind && (finding.line == line || finding.other_line == line);
  });
  CHECK(found);
}

}  // namespace

void check_cases(std::span<const Case> cases) {
  const Written written = write(cases);
  const CompiledText compiled(written.text, "cases");
  std::vector<std::uint32_t> in(512), out(512);
  std::iota(in.begin(), in.end(), 0u);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    em::Launch launch;
    launch.threads = cases[i].threads;
    launch.dynamic_shared_bytes = 4096;
    launch.time_limit_s = 0.5;
    launch.buffers = {buffer(in, false), buffer(out, true)};
    for (const em::Schedule schedule : em::all_schedules()) {
      launch.schedule = schedule;
      launch.arguments = {em::Argument::pointer(0), em::Argument::pointer(1),
                          em::Argument::integer(static_cast<int>(i)), em::Argument::integer(0)};
      const em::Report right = compiled.run(launch);
      CHECK_MESSAGE(right.clean(), std::string(cases[i].name), " ", name(schedule), ": ",
                    em::text(right));
      const bool late =
          schedule == em::Schedule::ProducerLate || schedule == em::Schedule::RoundRobinLate;
      if (!cases[i].every_schedule && !late) continue;
      launch.arguments.back() = em::Argument::integer(1);
      check_wrong(cases[i], compiled.run(launch), written.lines[i], schedule);
    }
  }
}

}  // namespace emulation_test
