// SPDX-License-Identifier: Apache-2.0
#include "machine.h"

#include "artifact/cache.h"
#include "support/skip.h"

#include <doctest/doctest.h>

using namespace parhelion;
using namespace parhelion::toolchain;
using toolchain_test::has;
using toolchain_test::machine;

namespace {

RecipeRequest request(const std::string& text) {
  RecipeRequest r;
  r.kernel = "twice";
  r.text = text;
  r.units = {{"text", text, {"-fPIC", "-O1"}},
             {"stub", "int add(int a, int b) { return a + b; }\n", {"-fPIC"}, true}};
  r.link_flags = {"-shared"};
  return r;
}

}  // namespace

TEST_CASE("several texts make one library, and kept objects are used again") {
  if (!has(ToolKind::Gxx)) PH_SKIP("no g++ on this machine");
  const std::string text =
      "int add(int, int);\nextern \"C\" int twice(int x) { return add(x, x); }\n";
  const Toolchain toolchain(fs::path{});
  const auto first = toolchain.compile_recipe(request(text));
  REQUIRE_MESSAGE(first, render_text(first.error()));
  CHECK(first->kind == artifact::Kind::EmulatedSharedObject);
  CHECK(first->steps.size() == 3);
  const auto second = toolchain.compile_recipe(request(text));
  REQUIRE(second);
  CHECK(second->steps.size() == 2);  // the stub was there
  CHECK(second->code_hash == first->code_hash);
  CHECK(second->bytes == first->bytes);
}

TEST_CASE("a unit that does not compile names the line of the text") {
  if (!has(ToolKind::Gxx)) PH_SKIP("no g++ on this machine");
  RecipeRequest r = request("int add(int, int);\nint f() { return add(1); }\n");
  r.lines.entries = {{2, "user.cpp", 7, 3}};
  const auto made = machine().compile_recipe(r);
  REQUIRE_FALSE(made);
  CHECK(made.error().front().code == 8101);
  CHECK(made.error().front().where == Place{"user.cpp", 7, 3});
}

TEST_CASE("the origin of a recipe holds texts and flags of all units") {
  if (!has(ToolKind::Gxx)) PH_SKIP("no g++ on this machine");
  const auto hash = [](const RecipeRequest& r) {
    return artifact::CacheKey::of(*machine().recipe_origin(r)).hash;
  };
  const RecipeRequest usual = request("int x;\n");
  RecipeRequest other = usual;
  other.units[1].flags.push_back("-O2");
  CHECK(hash(other) != hash(usual));
  other = usual;
  other.link_flags.push_back("-lm");
  CHECK(hash(other) != hash(usual));
  CHECK(hash(request("int x;\n")) == hash(usual));
}
