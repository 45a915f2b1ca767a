// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <doctest/doctest.h>

#include <array>

using namespace parhelion;
using namespace parhelion::config;

namespace {

Controls sample() {
  Controls controls;
  controls.name = "attention-low-register-pressure";
  controls.numerics = Numerics::Bounded;
  controls.target = {.arch = "sm_90a", .tool = "ptxas", .version = ">=13.0,<13.6"};
  controls.set("ptxas", "opt-level", "1").set("ptxas", "register-usage-level", "2");
  controls.set("g++", "rename-registers", "on").set("g++", "ira-region", "mixed");
  controls.payload = ControlsPayload{.file = "gemv.acf", .sha256 = "00ff"};
  return controls;
}

}  // namespace

TEST_CASE("controls as TOML round-trip") {
  const Controls controls = sample();
  CHECK(controls.toml() ==
        "schema = 1\n"
        "name = \"attention-low-register-pressure\"\n"
        "numerics = \"bounded\"\n"
        "\n[target]\narch = \"sm_90a\"\ntool = \"ptxas\"\nversion = \">=13.0,<13.6\"\n"
        "\n[ptxas]\nopt-level = 1\nregister-usage-level = 2\n"
        "\n[\"g++\"]\nrename-registers = true\nira-region = \"mixed\"\n"
        "\n[payload]\nfile = \"gemv.acf\"\nsha256 = \"00ff\"\n");
  CHECK(Controls::parse_toml(controls.toml()) == controls);
  CHECK(controls_from_json(to_json(controls)) == controls);
  CHECK(Controls::parse_toml(Controls().toml()) == Controls());
}

TEST_CASE("controls as one line hold settings and payload") {
  const Controls controls = sample();
  CHECK(controls.text() ==
        "ptxas opt-level=1 register-usage-level=2 g++ rename-registers=on ira-region=mixed "
        "payload file=gemv.acf sha256=00ff");
  const auto read = Controls::parse(controls.text());
  REQUIRE(read);
  CHECK(read->settings() == controls.settings());
  CHECK(read->payload == controls.payload);
  CHECK(hash(*read) == hash(controls));
  CHECK(Controls().text() == "none");
  CHECK(Controls::parse("none") == Controls());
  CHECK(Controls::parse("") == Controls());
}

TEST_CASE("values with blanks and quotes are quoted") {
  Controls controls;
  controls.set("g++", "extra", "a b\"c\\").set("g++", "empty", "").set("g++", "plain", "x=y");
  CHECK(controls.text() == R"(g++ extra="a b\"c\\" empty="" plain=x=y)");
  CHECK(Controls::parse(controls.text()) == controls);
  CHECK(Controls::parse_toml(controls.toml()) == controls);
}

TEST_CASE("settings of a tool stay together and take the option table's order") {
  Controls controls;
  controls.set("g++", "b", "1").set("clang++", "a", "1").set("g++", "a", "2").set("g++", "z", "3");
  CHECK(controls.text() == "g++ b=1 a=2 z=3 clang++ a=1");
  const std::array<std::string, 3> order = {"clang++.a", "g++.a", "g++.b"};
  CHECK(controls.ordered(order).text() == "clang++ a=1 g++ a=2 b=1 z=3");
  CHECK(controls.ordered(order).ordered(order) == controls.ordered(order));
  controls.set("g++", "a", "7").erase("g++", "b");
  CHECK(controls.find("g++", "a") == "7");
  CHECK_FALSE(controls.find("g++", "b"));
  CHECK(hash(controls) != hash(sample()));
}

TEST_CASE("the identity of controls leaves out their name and the place of the payload") {
  Controls a = sample(), b = sample();
  b.name = "other";
  b.payload->file = "elsewhere/gemv.acf";
  CHECK(a != b);
  CHECK(hash(a) == hash(b));
  b.payload->sha256 = "00fe";
  CHECK(hash(a) != hash(b));
  CHECK(Controls().empty());
  CHECK_FALSE(a.empty());
}

TEST_CASE("malformed controls are refused with the reason") {
  const auto line = [](std::string_view text) { return Controls::parse(text).error().front(); };
  const Diagnostic stray = line("opt-level=3");
  CHECK(stray.code == 7006);
  CHECK(stray.message == "\"opt-level=3\" is neither a tool nor key=value");
  CHECK(line("g++ =3").code == 7006);
  CHECK(line("g++ a=").code == 7006);
  CHECK(line("g++ a=\"open").code == 7006);
  CHECK(line("g++ a=\xff").code == 7006);  // not UTF-8
  CHECK(line("target arch=x").where.column == 1);
  CHECK(line("g++ a=1 payload size=3").where.column == 17);

  const auto toml = [](std::string_view text) {
    return Controls::parse_toml(text).error().front();
  };
  CHECK(toml("opt-level = 3").code == 7006);
  CHECK(toml("opt-level = 3").message == "\"opt-level\" is no member of controls");
  CHECK(toml("numerics = \"fast\"").help == "use exact, bounded or relaxed");
  CHECK(toml("[target]\ncpu = 1").message == "[target] has no member \"cpu\"");
  CHECK(toml("[payload]\nsize = 1").help == "it takes file, sha256");
  CHECK(toml("[ptxas]\nlevels = [1, 2]").code == 7006);
  CHECK(toml("[ptxas]\n\"a b\" = 1").code == 7006);
  CHECK(toml("schema = 2").code == 7007);
  CHECK(controls_from_json(Json(1)).error().front().code == 7006);
}
