// SPDX-License-Identifier: Apache-2.0
#include "config/config.h"

#include <doctest/doctest.h>

#include <array>
#include <set>

using namespace parhelion;
using namespace parhelion::config;

namespace {

Diagnostic first_error(std::string_view text, std::span<const SubjectName> names = {}) {
  const auto config = Config::parse(text, names);
  REQUIRE_FALSE(config.has_value());
  return config.error().front();
}

/// A value that the row takes.
Value sample_value(const ParameterRow& row) {
  if (row.kind == ValueKind::List) return std::vector<std::int64_t>{2, 0, 1};
  if (row.kind == ValueKind::Integer || row.kind == ValueKind::IntegerOrWord)
    return std::int64_t{8};
  std::string word(row.words.substr(0, row.words.find(' ')));
  for (std::size_t at = word.find('#'); at != word.npos; at = word.find('#')) word[at] = '6';
  return word;
}

Key sample_key(const ParameterRow& row) {
  if (row.subject == Subject::Kernel) return {row.parameter};
  if (row.subject == Subject::Role) return {row.parameter, -1, "producer"};
  if (row.subject == Subject::Operand) return {row.parameter, 0, "a"};
  return {row.parameter, 1, {}};
}

}  // namespace

TEST_CASE("a configuration prints in the order of the table and reads back") {
  const auto config = Config::parse(" warps=4\treduce[a1]=resident  block[a0]=4 order[l0]=1,0\n");
  REQUIRE(config);
  CHECK(config->text() == "block[a0]=4 order[l0]=1,0 warps=4 reduce[a1]=resident");
  CHECK(Config::parse(config->text()) == *config);
  CHECK(config->integer({Parameter::Block, 0}) == 4);
  CHECK(config->word({Parameter::Reduce, 1}) == "resident");
  CHECK(config->list({Parameter::Order, 0})->size() == 2);
  CHECK_FALSE(config->integer({Parameter::Reduce, 1}));
  CHECK(config->integer_or({Parameter::Simd}, 32) == 32);
}

TEST_CASE("every row of the table round-trips through text and JSON") {
  Config all;
  std::set<std::string_view> names;
  for (const ParameterRow& row : parameters) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK_FALSE(row.doc.empty());
    Config one;
    one.set(sample_key(row), sample_value(row));
    CHECK_FALSE(wrong_value(row, sample_value(row)));
    CHECK(Config::parse(one.text()) == one);
    CHECK(config_from_json(to_json(one)) == one);
    all.merge(one);
  }
  CHECK(all.entries().size() == std::size(parameters));
  CHECK(Config::parse(all.text()) == all);
  CHECK(config_from_json(to_json(all)) == all);
  CHECK(to_json(all).as_object().front() == Json::Member("schema", 1));
}

TEST_CASE("words with numbers, operands, roles") {
  const auto config = Config::parse(
      "register_block[d0]=12x2 schedule=dynamic(16) pack[d0.a]=direct "
      "registers[producer]=40 reduce[a1]=row(out) static[l2]=on reduce[a2]=512");
  REQUIRE(config);
  CHECK(parse_pair(*config->word({Parameter::RegisterBlock, 0})) ==
        std::pair<std::int64_t, std::int64_t>{12, 2});
  CHECK_FALSE(parse_pair("12x"));
  CHECK_FALSE(parse_pair("12x2x2"));
  CHECK_FALSE(parse_pair("0x2"));
  CHECK(config->word({Parameter::Pack, 0, "a"}) == "direct");
  CHECK(config->integer({Parameter::Registers, -1, "producer"}) == 40);
  CHECK(config->integer({Parameter::Reduce, 2}) == 512);
}

TEST_CASE("the user's names are read and never stored") {
  const std::array<SubjectName, 4> names = {
      SubjectName{"rows", "a0"}, {"x", "v0"}, {"x", "s2"}, {"x@softmax.cpp:8", "s3"}};
  const auto config =
      Config::parse("block[rows]=4 cache[x]=nt cache[x@softmax.cpp:8]=plain hold[x]=reload", names);
  REQUIRE(config);
  CHECK(config->text() == "block[a0]=4 cache[s2]=nt cache[s3]=plain hold[v0]=reload");
  const Diagnostic wrong = first_error("block[row]=4", names);
  CHECK(wrong.code == 7003);
  CHECK(wrong.help == "did you mean \"rows\"?");
}

TEST_CASE("set, erase, merge, hash") {
  Config a, b;
  a.set({Parameter::Warps}, 4).set({Parameter::Block, 0}, 64);
  b.set({Parameter::Block, 0}, 64).set({Parameter::Warps}, 4);
  CHECK(a == b);
  CHECK(hash(a) == hash(b));
  a.merge(Config().set({Parameter::Warps}, 8));
  CHECK(a.text() == "block[a0]=64 warps=8");
  CHECK(hash(a) != hash(b));
  a.erase({Parameter::Warps});
  CHECK(a.text() == "block[a0]=64");
  CHECK(Config().text().empty());
  CHECK(Config::parse("") == Config());
}

TEST_CASE("errors name the column, the parameter and what would be right") {
  Diagnostic error = first_error("block[a0]=4 blok[a1]=2");
  CHECK(error.code == 7002);
  CHECK(error.message == "there is no parameter \"blok\"");
  CHECK(error.help == "did you mean \"block\"?");
  CHECK(error.where.column == 13);

  error = first_error("warps=4\nblock[a0]");
  CHECK(error.code == 7001);
  CHECK(error.where == Place{"<config>", 2, 1});
  CHECK(first_error("block[a0=4").code == 7001);
  CHECK(first_error("=4").code == 7001);
  CHECK(first_error("block[a0]=").code == 7001);

  for (const char* text : {"block=4", "block[l0]=4", "block[a]=4", "block[a01]=4", "warps[a0]=4",
                           "pack[d0]=direct", "pack[a0.a]=direct", "registers[]=8", "block[]=1"}) {
    INFO(text);
    CHECK(first_error(text).code == 7003);
  }
  CHECK(first_error("block=4").help == "write block[a0]");
  CHECK(first_error("block[l0]=4").message == "\"block[l0]\" does not name a subject of block");

  error = first_error("cache[s0]=ntt");
  CHECK(error.code == 7004);
  CHECK(error.message ==
        "cache[s0] = ntt: the parameter takes one of plain, nt, ca, cg, cs, lu, wb, wt");
  CHECK(error.help == "did you mean \"nt\"?");
  CHECK(error.where.column == 11);
  for (const char* text : {"warps=four", "warps=4.5", "order[l0]=a,b", "schedule=dynamic",
                           "schedule=dynamic(0)", "register_block[d0]=12", "reduce[a0]=rows"}) {
    INFO(text);
    CHECK(first_error(text).code == 7004);
  }

  error = first_error("warps=4 warps=8");
  CHECK(error.code == 7005);
  CHECK(error.message == "warps is set twice");
}

TEST_CASE("JSON of another form or a newer schema is refused") {
  CHECK(config_from_json(Json("text")).error().front().code == 7001);
  CHECK(config_from_json(Json::object().set("schema", 2)).error().front().code == 7007);
  CHECK(config_from_json(Json::object().set("warps", "x")).error().front().code == 7004);
  CHECK(config_from_json(Json::object().set("warp", 1)).error().front().code == 7002);
}

TEST_CASE("numerics classes have names") {
  for (const Numerics n : {Numerics::Exact, Numerics::Bounded, Numerics::Relaxed}) {
    CHECK(parse_numerics(name(n)) == n);
  }
  CHECK_FALSE(parse_numerics("fast"));
}
