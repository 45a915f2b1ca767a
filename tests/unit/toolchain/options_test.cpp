// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include "support/skip.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <set>

using namespace parhelion;
using namespace parhelion::toolchain;
using toolchain_test::has;
using toolchain_test::machine;

namespace {

Controls controls(std::string_view text) {
  Result<Controls> parsed = Controls::parse(text);
  REQUIRE(parsed);
  return *parsed;
}

Diagnostic refused_settings(std::string_view text) {
  const auto checked = check_settings(controls(text));
  REQUIRE_FALSE(checked);
  return checked.error().front();
}

}  // namespace

TEST_CASE("every row of the table is whole") {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const Option& o : options()) {
    CAPTURE(o.tool);
    CAPTURE(o.key);
    CHECK(seen.emplace(o.tool, o.key).second);
    CHECK_FALSE(o.effect.empty());
    CHECK((o.usual.empty() || takes(o, o.usual)));
    for (const std::string& value : values_of(o)) {
      CHECK(takes(o, value));
      for (const std::string& flag : spell(o, value)) CHECK_FALSE(flag.contains('{'));
    }
    CHECK((o.tool == "compiler" || o.key == "version" || !o.spelling.empty()));
    CHECK(find_option(o.tool, o.key) == &o);
    CHECK_FALSE(takes(o, ""));
  }
  CHECK(option_order().size() == options().size());
  CHECK(option_order().front() == "compiler.name");
}

TEST_CASE("the installed tools take every row; which values, is asked") {
  for (const Option& o : options()) {
    std::vector<std::string> values = values_of(o);
    if (o.values.contains("..")) values = {values.front(), values.back()};  // stand for the rest
    int taken = 0;
    bool asked = true;
    for (const std::string& value : values) {
      const auto answer = machine().accepts(o, value);
      asked = answer.has_value();
      if (!asked) {
        CHECK(answer.error().front().code == 8103);
        break;
      }
      taken += *answer ? 1 : 0;
    }
    CAPTURE(o.tool);
    CAPTURE(o.key);
    // Names of processors come with versions; everything else is as old as the oldest we use.
    const bool enough = o.key == "tune" ? taken >= 2 : taken == static_cast<int>(values.size());
    CHECK((!asked || enough));
  }
}

TEST_CASE("a tool says no to what it does not know") {
  if (!has(ToolKind::Gxx)) PH_SKIP("no g++ on this machine");
  const Option option{"g++", "imagined", "on|off", "off", "-fimagined", "", Numerics::Exact, false,
                      "nothing"};
  CHECK_FALSE(machine().accepts(option, "on").value());
  CHECK_FALSE(machine().accepts(option, "perhaps").value());
  CHECK(machine().accepts(option, "off").value());
}

TEST_CASE("spelling, in the order of the table, with the levels always said") {
  CHECK(flags_for(controls("g++ ira-region=all opt-level=3 ivopts=off schedule-insns=on"), "g++") ==
        std::vector<std::string>{"-O3", "-fschedule-insns", "-fsched-pressure", "-fira-region=all",
                                 "-fno-ivopts", "-ffp-contract=off"});
  CHECK(flags_for({}, "clang++") == std::vector<std::string>{"-O2", "-ffp-contract=off"});
  CHECK(flags_for(controls("clang++ regalloc=basic"), "clang++") ==
        std::vector<std::string>{"-O2", "-mllvm", "-regalloc=basic", "-ffp-contract=off"});
  CHECK(flags_for(controls("ptxas maxrregcount=64"), "ptxas") ==
        std::vector<std::string>{"--opt-level=3", "--maxrregcount=64",
                                 "--override-directive-values"});
  CHECK(flags_for({}, "nvrtc") == std::vector<std::string>{"--fmad=false"});
  CHECK(flags_for(controls("nvrtc fmad=on"), "nvrtc") == std::vector<std::string>{"--fmad=true"});
}

TEST_CASE("canonical controls say each kernel once") {
  constexpr std::array<std::string_view, 2> tools = {"compiler", "g++"};
  const Controls c = controls("ptxas opt-level=1 g++ ivopts=off opt-level=2 tune=native");
  CHECK(canonical(c, tools).text() == "g++ tune=native ivopts=off");
}

TEST_CASE("settings that are in no table: PH8104") {
  Diagnostic d = refused_settings("g++ opt-levle=3");
  CHECK(d.code == 8104);
  CHECK(d.message == "g++ has no setting 'opt-levle'");
  CHECK(d.help == "did you mean opt-level?");
  d = refused_settings("ptxs opt-level=3");
  CHECK(d.code == 8104);
  CHECK(d.message == "'ptxs' is no tool with settings");
  CHECK(d.help == "did you mean ptxas?");
  CHECK(refused_settings("msvc x=3").help == "one of compiler, g++, clang++, nvrtc, ptxas");
}

TEST_CASE("values that are not taken: PH8105") {
  Diagnostic d = refused_settings("g++ ira-region=some");
  CHECK(d.code == 8105);
  CHECK(d.message == "g++ ira-region does not take 'some'");
  CHECK(d.help == "it takes one mixed all");
  CHECK(refused_settings("ptxas register-usage-level=11").code == 8105);
  CHECK(refused_settings("ptxas register-usage-level=01").code == 8105);
  CHECK(refused_settings("g++ ivopts=yes").code == 8105);
}

TEST_CASE("the numerics class that settings need") {
  CHECK(numerics_of({}) == Numerics::Exact);
  CHECK(numerics_of(controls("g++ opt-level=3 fp-contract=off")) == Numerics::Exact);
  CHECK(numerics_of(controls("g++ fp-contract=fast")) == Numerics::Bounded);
  CHECK(numerics_of(controls("g++ fast-math=on nvrtc fmad=on")) == Numerics::Relaxed);
}
