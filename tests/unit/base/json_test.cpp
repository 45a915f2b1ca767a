// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

using namespace parhelion;

namespace {

Diagnostic refused(const Result<Json>& result) {
  REQUIRE_FALSE(result);
  return result.error().front();
}

}  // namespace

TEST_CASE("JSON keeps the order of keys and the kinds of numbers") {
  const std::string text = R"({"z":1,"a":[1.5,true,null,"x\n"],"m":{"b":-2,"a":3.0}})";
  const auto json = Json::parse(text);
  REQUIRE(json);
  CHECK(json->dump() == text);
  CHECK(json->find("z")->is_integer());
  CHECK_FALSE(json->find("m")->find("a")->is_integer());
  CHECK(json->find("m")->number_or("a", 0) == 3.0);
  CHECK(json->find("m")->number_or("b", 0) == -2.0);
  CHECK(Json::parse(json->dump(2)) == *json);
}

TEST_CASE("members: found, absent, of another kind") {
  Json o = Json::object();
  o.set("i", 3).set("s", "text").set("b", true).set("i", 4);
  CHECK(o.as_object().size() == 3);
  CHECK(o.integer_or("i", 0) == 4);
  CHECK(o.integer_or("s", 7) == 7);
  CHECK(o.string_or("s", "") == "text");
  CHECK(o.string_or("none", "fallback") == "fallback");
  CHECK(o.bool_or("b", false));
  CHECK(o.find("none") == nullptr);
  CHECK(Json(3).find("x") == nullptr);
  Json list;
  list.push(1).push("two");
  CHECK(list.dump() == "[1,\"two\"]");
  CHECK(Json().dump() == "null");
  CHECK(Json(NAN).dump() == "null");
  CHECK(Json(INFINITY).dump() == "null");
  CHECK(Json("\xff").dump() == "\"\xef\xbf\xbd\"");  // not UTF-8: replaced, never a throw
}

TEST_CASE("mistakes in JSON name their place: PH8005") {
  const Diagnostic d = refused(Json::parse("{\n  \"a\": 1,\n  \"b\" 2\n}", "f.json"));
  CHECK(d.code == 8005);
  CHECK(d.where == Place{"f.json", 3, 7});
  CHECK(d.message.starts_with("not JSON: "));
  CHECK(refused(Json::parse("")).code == 8005);
  CHECK(refused(Json::parse("1 2")).code == 8005);
  CHECK(refused(Json::parse("1e999")).code == 8005);
  CHECK(refused(Json::parse("\"\xff\"")).code == 8005);
}

TEST_CASE("deep nesting is an error, not a stack overflow") {
  const Diagnostic d = refused(Json::parse(std::string(1000000, '['), "deep.json"));
  CHECK(d.code == 8005);
  CHECK(d.message == "not JSON: more than 500 levels");
  CHECK(d.where == Place{"deep.json", 1, 501});
  CHECK(Json::parse(std::string(400, '[') + std::string(400, ']')));
  CHECK(Json::parse("\"" + std::string(1000, '[') + "\""));  // inside a string it is text
  CHECK(Json::parse("\"\\\"" + std::string(1000, '{') + "\""));
}

TEST_CASE("TOML in the order of the file") {
  const auto toml = parse_toml("z = 1\na = \"x\"\n[ptxas]\nopt-level = 1\n[g]\nb = [1, 2.5]\n");
  REQUIRE(toml);
  CHECK(toml->dump() == R"({"z":1,"a":"x","ptxas":{"opt-level":1},"g":{"b":[1,2.5]}})");
}

TEST_CASE("mistakes in TOML name their place: PH8006") {
  Diagnostic d = refused(parse_toml("a = 1\nb = = 2\n", "pack.toml"));
  CHECK(d.code == 8006);
  CHECK(d.where.file == "pack.toml");
  CHECK(d.where.line == 2);
  d = refused(parse_toml("a = 1\nwhen = 2026-01-01\n", "pack.toml"));
  CHECK(d.code == 8006);
  CHECK(d.message == "dates and times mean nothing here");
  CHECK(d.where.line == 2);
  CHECK(refused(parse_toml("a = 1\na = 2\n")).where.line == 2);
  CHECK(refused(parse_toml("a = " + std::string(100000, '['))).code == 8006);
}
