// SPDX-License-Identifier: Apache-2.0
// One broken module for each rule of the verifier.
#include "ir/kernel/module.h"

#include <doctest/doctest.h>

#include <string>

namespace kernel = parhelion::ir::kernel;

namespace {

constexpr std::string_view header = R"(
target "cpu x86-64-v3"
file "k.cpp"
constant lanes = 8 ""
parameter pointer "x" f32 tensor 0 bytes 8 "0" = %x : ptr<global, f32>
parameter pointer "y" f32 tensor 1 written bytes 8 "0" = %y : ptr<global, f32>
entry_value %first : i64
function other (%a : f32[4]) {
}
function f entry () {
  %i = const 1 : i64
  %f = const 1.0 : f32
  %v = splat %f : f32x8
  %h = const 1.0 : f16
  %b = eq %i, %i : bool
  %array = var : f32[4]
  %scalar = var : f32
)";

kernel::Module parse(const std::string& text) {
  auto module = kernel::parse(text, "k.kir");
  if (!module) FAIL(parhelion::render_text(module.error()));
  return *module;
}

struct Case {
  int code;
  std::string ops;
  std::string message;  // of the first finding
};

void check(const Case& c) {
  const kernel::Module module = parse(std::string(header) + c.ops + "\n}\n");
  const parhelion::Diagnostics found = kernel::verify(module);
  REQUIRE_MESSAGE(!found.empty(), c.ops);
  CHECK_MESSAGE(found[0].code == c.code, c.ops);
  CHECK_MESSAGE(found[0].message == c.message, c.ops);
}

}  // namespace

TEST_CASE("the header alone is sound") {
  CHECK(kernel::verify(parse(std::string(header) + "}\n")).empty());
}

TEST_CASE("PH5902: counts, scopes, terminators") {
  const Case cases[] = {
      {5902, "%r = add %i : i64", "add: takes 2 operands"},
      {5902, "each {count = 2}", "each: takes 1 regions"},
      {5902, "each {count = 2} (%u : i64) {\n}", "each: its region must end in 'yield'"},
      {5902, "each {count = 2} () {\n yield\n}",
       "each: its region has too many or too few arguments"},
      {5902, "yield", "yield: is not at the end of a region"},
      {5902, "each {count = 2} (%u : i64) {\n yield\n yield\n}",
       "yield: is not at the end of a region"},
      {5902, "%r = if %b : f32 () {\n yield %f\n} () {\n yield\n}",
       "yield: does not give what the op's results need"},
      {5902, "for %i, %i (%j : i64) {\n yield\n}", "for: takes begin, end and step"},
      {5902, "%r = for %i, %i, %i : f32 (%j : i64, %c : f32) {\n yield %c\n}",
       "for: needs one entry and one result for each carried value"},
      {5902, "set %scalar", "set: takes a variable and at most one index"},
      {5902, "%r = var %f, %f : f32", "var: takes one initial value at most"},
      {5902, "%r = while %i : i64 (%c : i64) {\n yield\n} (%d : i64) {\n yield %d\n}",
       "while: its region must end in 'condition'"},
  };
  for (const Case& c : cases) check(c);
}

TEST_CASE("PH5902: header") {
  const auto first = [](const std::string& text) {
    const parhelion::Diagnostics found = kernel::verify(parse(text));
    REQUIRE(!found.empty());
    CHECK(found[0].code == 5902);
    return found[0].message;
  };
  const std::string phase = " programs \"1\" chunk 0 threads 1 shared 0\n";
  CHECK(first("phase \"f\"" + phase) == "the phase 'f' names no entry");
  CHECK(first("function f () {\n}\nfunction f () {\n}") == "the function name 'f' is not usable");
  CHECK(first("function f entry (%a : i64) {\n}") == "the entry f has parameters of its own");

  kernel::Module module = parse(std::string(header) + "}\n");
  module.parameter_values.pop_back();
  CHECK(kernel::verify(module)[0].message == "a launch parameter without a value, or the reverse");
  module = parse(std::string(header) + "}\n");
  module.values[0].name = "a b";
  CHECK(kernel::verify(module)[0].message == "the name 'a b' is no identifier");
  module = parse(std::string(header) +
                 "each {count = 2} (%u : i64) {\n yield\n}\n"
                 "%r = neg %i : i64\n}\n");
  module.ops.back().operands[0] = module.regions.back().arguments[0];
  CHECK(kernel::verify(module)[0].message == "neg: an operand is not defined here");
  module = parse(std::string(header) + "}\n");
  module.entry_values.push_back(module.entry_values[0]);
  CHECK(kernel::verify(module)[0].message == "%first is defined twice");
}

TEST_CASE("PH5903: types") {
  const Case cases[] = {
      {5903, "%r = add %i, %f : i64", "add: takes numbers of one type (i64 f32 -> i64)"},
      {5903, "%r = add %h, %h : f16", "add: takes numbers of one type (f16 f16 -> f16)"},
      {5903, "%r = rem %f, %f : f32", "rem: takes integers of one type (f32 f32 -> f32)"},
      {5903, "%r = fma %i, %i, %i : i64", "fma: takes floats of one type (i64 i64 i64 -> i64)"},
      {5903, "%r = and %f, %f : f32", "and: takes integers or bools of one type (f32 f32 -> f32)"},
      {5903, "%r = lt %v, %v : bool", "lt: compares one type into bools (f32x8 f32x8 -> bool)"},
      {5903, "%r = select %i, %f, %f : f32",
       "select: takes bools and two values of one type (i64 f32 f32 -> f32)"},
      {5903, "%r = convert %v : i32", "convert: keeps the lanes and takes numbers (f32x8 -> i32)"},
      {5903, "%r = bitcast %i : f32", "bitcast: keeps the number of bits (i64 -> f32)"},
      {5903, "%r = math %f : f32 {function = \"cosh\"}",
       "math: does not know the function 'cosh' (f32 -> f32)"},
      {5903, "%r = offset %i, %i : i64",
       "offset: takes a pointer and a scalar integer (i64 i64 -> i64)"},
      {5903, "%r = load %x : f64", "load: reads what the pointer names (ptr<global, f32> -> f64)"},
      {5903, "store %y, %i", "store: writes what the pointer names (ptr<global, f32> i64 ->)"},
      {5903, "%r = const 1 : f32", "const: its value is of another kind than its type (-> f32)"},
      {5903, "%r = const 1 : i64x2", "const: makes one scalar from its value (-> i64x2)"},
      {5903, "%r = const 4 : i64 {constant = \"lanes\"}",
       "const: names no constant of the module with this value (-> i64)"},
      {5903, "%r = var %i : f32[2]", "var: its initial value has another type (i64 -> f32[2])"},
      {5903, "if %i () {\n yield\n} () {\n yield\n}", "if: takes a scalar bool (i64 ->)"},
      {5903, "for %f, %f, %f (%j : f32) {\n yield\n}",
       "for: its bounds are not scalar integers of one type (f32 f32 f32 ->)"},
      {5903, "for %i, %i, %i (%j : i32) {\n yield\n}",
       "for: its index has another type than its bounds (i64 i64 i64 ->)"},
      {5903, "%r = for %i, %i, %i, %f : f32 (%j : i64, %c : i64) {\n yield %f\n}",
       "for: carries a value through several types (i64 i64 i64 f32 -> f32)"},
      {5903, "call %f {callee = \"other\"}",
       "call: its arguments differ from the parameters of other (f32 ->)"},
      {5903, "call {callee = \"f\"}", "call: calls 'f', which is no function (->)"},
      {5903, "%r = splat %f : i32x8", "splat: makes a vector of a scalar (f32 -> i32x8)"},
      {5903, "%r = lane %v : f32 {index = 8}", "lane: takes one lane of a vector (f32x8 -> f32)"},
      {5903, "%r = iota : f32x8", "iota: makes integers (-> f32x8)"},
      {5903, "%r = load_first %x, %f, %f : f32x8",
       "load_first: takes a pointer, a count and a scalar for the other lanes (ptr<global, f32> "
       "f32 f32 -> f32x8)"},
      {5903, "store_first %y, %f, %v",
       "store_first: takes a pointer, a count and the value (ptr<global, f32> f32 f32x8 ->)"},
      {5903, "%r = fold %v : f32 {combine = \"sub\"}",
       "fold: cannot combine by 'sub' (f32x8 -> f32)"},
      {5903, "%r = fold %v : f32x8 {combine = \"add\"}",
       "fold: makes a scalar of a vector (f32x8 -> f32x8)"},
      {5903, "%r = widen_even %v : f32x8", "widen_even: makes f32 of u32 (f32x8 -> f32x8)"},
      {5903, "%r = narrow_pairs %f, %i : u32",
       "narrow_pairs: makes u32 of two f32 (f32 i64 -> u32)"},
      {5903, "%r = get %scalar : i64", "get: the variable holds another type"},
  };
  for (const Case& c : cases) check(c);
}

TEST_CASE("PH5904: an op of another target") {
  const auto module = parse(
      "target \"cuda sm_90a\"\nfunction f (%a : f32) {\n"
      "  %v = splat %a : f32x4\n}\n");
  const auto found = kernel::verify(module);
  REQUIRE(!found.empty());
  CHECK(found[0].code == 5904);
  CHECK(found[0].message == "splat: is not an op of the target cuda sm_90a");
}

TEST_CASE("PH5906: an op of many threads under control flow that they do not share") {
  const auto findings = [](const std::string& ops) {
    return kernel::verify(
        parse("target \"cuda sm_90a\"\n"
              "parameter integer \"n\" i32 tensor -1 bytes 4 \"0\" = %n : i32\n"
              "function k entry () {\n%t = thread : i32\n%0 = const 0 : i32\n"
              "%1 = const 1 : i32\n%p = program : i32\n" +
              ops + "\n}\n"));
  };
  const auto under = [](const std::string& condition) {
    return condition + "\nif %c () {\nblock_sync\nyield\n} () {\nyield\n}";
  };
  const auto divergent = findings(under("%c = lt %t, %n : bool"));
  REQUIRE(divergent.size() == 1);
  CHECK(divergent[0].code == 5906);
  CHECK(divergent[0].message ==
        "block_sync: stands under control flow that its threads do not share");
  CHECK(findings(under("%c = lt %p, %n : bool")).empty());
  CHECK(findings(under("%w = warp_id : i32\n%c = lt %w, %n : bool")).size() == 1);
  CHECK(findings(under("%u = block_uniform %t : i32\n%c = lt %u, %n : bool")).empty());
  // A loop whose trip count differs, a carried value that a thread's own value reaches, a variable.
  CHECK(findings("for %t, %n, %1 (%i : i32) {\nblock_sync\nyield\n}").size() == 1);
  CHECK(findings("for %0, %n, %1 (%i : i32) {\nblock_sync\nyield\n}").empty());
  CHECK(findings("%r = for %0, %n, %1, %0 : i32 (%i : i32, %s : i32) {\n"
                 "%c = lt %s, %n : bool\nif %c () {\nblock_sync\nyield\n} () {\nyield\n}\n"
                 "yield %t\n}")
            .size() == 1);
  CHECK(findings("%v = var %0 : i32\nset %v, %t\n" +
                 under("%g = get %v : i32\n%c = lt %g, %n : bool"))
            .size() == 1);
  CHECK(findings("%r = while %t : i32 (%s : i32) {\n%c = lt %s, %n : bool\ncondition %c\n} "
                 "(%s : i32) {\nblock_sync\n%a = add %s, %1 : i32\nyield %a\n}")
            .size() == 1);
}

TEST_CASE("PH5906: functions are judged by their calls") {
  const auto findings = [](const std::string& condition) {
    return kernel::verify(
        parse("target \"cuda sm_90a\"\nfunction wait () {\nblock_sync\n}\n"
              "function k entry () {\n%0 = const 0 : i32\n%t = thread : i32\n"
              "%p = program : i32\n%c = lt %" +
              condition +
              ", %0 : bool\n"
              "if %c () {\ncall {callee = \"wait\"}\nyield\n} () {\nyield\n}\n}"));
  };
  CHECK(findings("p").empty());
  CHECK(findings("t").size() == 1);
}

TEST_CASE("PH5905: variables and arrays") {
  const Case cases[] = {
      {5905, "%r = neg %scalar : f32", "neg: uses a variable as a value"},
      {5905, "%r = get %f : f32", "get: its first operand is no variable"},
      {5905, "%r = get %array : f32", "get: an array needs an index, a scalar has none"},
      {5905, "set %scalar, %f, %i", "set: an array needs an index, a scalar has none"},
      {5905, "for %i, %i, %i (%j : i64) {\n %r = get %array, %j : f32\n yield\n}",
       "get: the index is not constant after unrolling"},
      {5905, "%four = const 4 : i64\n set %array, %f, %four",
       "set: the index is outside of the array"},
      {5905, "%p = offset %x, %i : ptr<global, f32>\n store %p, %f @0:7:1",
       "store: writes through x, which is read-only"},
  };
  for (const Case& c : cases) check(c);
}

TEST_CASE("a finding points at the user's line") {
  const auto module = parse(std::string(header) + "store %x, %f @0:7:3\n}\n");
  const auto found = kernel::verify(module);
  REQUIRE(!found.empty());
  CHECK(found[0].where == parhelion::Place{"k.cpp", 7, 3});
}
