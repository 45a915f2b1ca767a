// SPDX-License-Identifier: Apache-2.0
#include "subjects.h"

#include <doctest/doctest.h>

#include <cstdio>

using namespace emulation_test;

TEST_CASE("whole kernels are clean and right under every schedule") {
  for (const Subject& subject : subjects()) {
    const CompiledText compiled(text_of(subject), subject.kernel);
    for (const em::Schedule schedule : em::all_schedules()) {
      for (const std::uint64_t seed : {1u, 2u}) {
        const Outcome outcome = subject.run(compiled, schedule, seed);
        CAPTURE(std::string(subject.kernel));
        CAPTURE(name(schedule));
        CHECK_MESSAGE(outcome.report.clean(), em::text(outcome.report));
        CHECK(outcome.right_numbers);
        if (schedule != em::Schedule::ProducerLate || seed != 1) continue;
        std::printf("%s: %lld accesses, %lld switches, %.1f ms\n", subject.kernel,
                    static_cast<long long>(outcome.report.accesses),
                    static_cast<long long>(outcome.report.switches), outcome.report.wall_s * 1e3);
      }
    }
  }
}
