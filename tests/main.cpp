// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include "support/golden.h"
#include "support/skip.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <string_view>

namespace parhelion::test {

bool update_golden = false;

namespace {
bool case_skipped = false;
}

void note_skip(const char* reason) {
  case_skipped = true;
  std::printf("SKIPPED: %s\n", reason);
}

}  // namespace parhelion::test

namespace {

int cases_run = 0;
int cases_skipped = 0;

struct CountCases : doctest::IReporter {
  explicit CountCases(const doctest::ContextOptions&) {}
  void report_query(const doctest::QueryData&) override {}
  void test_run_start() override {}
  void test_run_end(const doctest::TestRunStats&) override {}
  void test_case_start(const doctest::TestCaseData&) override {
    parhelion::test::case_skipped = false;
  }
  void test_case_reenter(const doctest::TestCaseData&) override {}
  void test_case_end(const doctest::CurrentTestCaseStats&) override {
    ++cases_run;
    cases_skipped += parhelion::test::case_skipped ? 1 : 0;
  }
  void test_case_exception(const doctest::TestCaseException&) override {}
  void subcase_start(const doctest::SubcaseSignature&) override {}
  void subcase_end() override {}
  void log_assert(const doctest::AssertData&) override {}
  void log_message(const doctest::MessageData&) override {}
  void test_case_skipped(const doctest::TestCaseData&) override {}
};
REGISTER_LISTENER("count", 1, CountCases);

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--update-golden") parhelion::test::update_golden = true;
  }
  doctest::Context context(argc, argv);
  const int result = context.run();
  if (context.shouldExit() || result != 0) return result;
  // 77 tells ctest that nothing ran: every case was skipped for a reason printed above.
  return cases_run > 0 && cases_skipped == cases_run ? 77 : 0;
}
