// SPDX-License-Identifier: Apache-2.0
#include "ir/kernel/module.h"

#include <doctest/doctest.h>

#include <string>

namespace kernel = parhelion::ir::kernel;

namespace {

constexpr std::string_view everything = R"(module "copy"
target "cpu x86-64-v3"
config "block[a0]=1 simd=32"
source_hash "9f3c21"
comment "store out[i] = \"x\"\\"
promise "lanes == 8"
constant lanes = 8 "of one vector"
file "copy.cpp"
symbol size 0 1
symbol stride 1 0
symbol scalar 2 0
parameter pointer "x" f32 tensor 0 bytes 8 "0" = %x : ptr<global, f32>
parameter pointer "out" f32 tensor 1 written bytes 8 "s0 2 *" = %out : ptr<global, f32>
parameter integer "n" i64 tensor -1 bytes 8 "s0 64 ceildiv" = %n : i64
phase "copy" programs "s0 64 ceildiv" chunk 4 threads 1 shared 0
workspace_bytes "0"
scratch_bytes "64"
entry_value %first : i64
entry_value %last : i64
entry_value %worker : i64

function twice noinline (%acc : f32x8[12], %by : f32) {
  each {count = 12} (%i : i64) {
    %0 = get %acc, %i : f32x8
    %1 = splat %by : f32x8
    %2 = mul %0, %1 : f32x8
    set %acc, %2, %i
    yield
  }
}

function copy entry () {
  %0 = const 1 : i64
  %1 = const -1.5 : f32
  %2 = const inf : f64
  %step = const 8 : i64 {constant = "lanes"}
  %acc = var : f32x8[12] @0:7:3
  call %acc, %1 {callee = "twice"}
  %s = for %first, %last, %0, %1 : f32 (%j : i64, %s.1 : f32) {
    %3 = offset %x, %j : ptr<global, f32>
    %4 = load %3 : f32
    %5 = lt %4, %s.1 : bool
    %6 = if %5 : f32 () {
      yield %4
    } () {
      yield %s.1
    }
    yield %6
  }
  %3 = while %0 : i64 (%k : i64) {
    %4 = lt %k, %n : bool
    condition %4
  } (%k : i64) {
    %4 = add %k, %0 : i64
    yield %4
  }
  store %out, %s
}
)";

}  // namespace

TEST_CASE("the text round-trips, and a second time too") {
  const auto module = kernel::parse(everything, "copy.kir");
  if (!module) FAIL(parhelion::render_text(module.error()));
  CHECK(kernel::print(*module) == everything);
  CHECK(kernel::verify(*module).empty());
  CHECK(module->launch.parameters[1].written);
  CHECK(module->launch.phases[0].chunk == 4);
  CHECK(module->values[module->parameter_values[2].index()].name == "n");
}

TEST_CASE("types have one text each") {
  for (const char* text : {"f32", "bf16", "f8e4m3", "boolx16", "f32x8", "f32[64]", "f32x8[12]",
                           "ptr<global, f32>", "ptr<shared, bf16x8>", "ptr<local, i8>[4]"}) {
    const auto type = kernel::parse_type(text);
    REQUIRE_MESSAGE(type.has_value(), text);
    CHECK(kernel::text(*type) == text);
  }
  for (const char* text : {"", "f33", "f32x", "f32x0", "f32[0]", "ptr<heap, f32>", "f32x8[",
                           "ptr<global>", "f32x99999"}) {
    CHECK_MESSAGE(!kernel::parse_type(text).has_value(), text);
  }
}

TEST_CASE("op and attribute tables are what the parser accepts") {
  for (const kernel::OpRow& row : kernel::op_rows()) {
    CHECK(kernel::parse_op(row.text) == row.code);
    CHECK(&kernel::row(row.code) == &row);
  }
  CHECK(kernel::attribute_keys().size() >= 10);
}

TEST_CASE("PH5901: the first mistake is reported with its place") {
  struct Case {
    std::string text;
    int line, column;
    std::string message;
  };
  const Case cases[] = {
      {"module \"a\"\nbogus", 2, 1, "expected a line of the header or a function, at 'bogus'"},
      {"function f () {\n  %0 = ad %1\n}", 2, 8, "unknown op (did you mean 'add'?), at 'ad'"},
      {"function f () {\n  %0 = neg %9 : f32\n}", 2, 12, "unknown value %9, at '9'"},
      {"function f () {\n  %0 = const 1 : f33\n}", 2, 18, "no type, at 'f33'"},
      {"function f () {\n  label {txt = \"a\"}\n}", 2, 10, "unknown attribute, at 'txt'"},
      {"function f () {", 1, 16, "expected an op, at 'the end of the text'"},
      {"module \"a", 1, 8, "expected a text in quotes, at 'a'"},
      {"constant a = x \"\"", 1, 14, "expected an integer, at 'x'"},
      {"symbol width 0 0", 1, 14, "unknown kind of symbol: width, at '0'"},
      {"parameter thing \"x\"", 1, 17, "unknown kind of parameter: thing, at 'x'"},
      {"parameter pointer \"x\" f31 tensor", 1, 27, "unknown dtype: f31, at 'tensor'"},
      {"scratch_bytes \"s0 +\"\n", 2, 1, "no size program: \"s0 +\", at 'the end of the text'"},
      {"entry_value %a : i64 entry_value %a : i64", 1, 42,
       "%a is defined twice, at 'the end of the text'"},
  };
  for (const Case& c : cases) {
    const auto module = kernel::parse(c.text, "a.kir");
    REQUIRE_MESSAGE(!module.has_value(), c.text);
    const parhelion::Diagnostic& d = module.error().front();
    CHECK(d.code == 5901);
    CHECK(d.message == c.message);
    const parhelion::Place where{"a.kir", c.line, c.column};
    CHECK_MESSAGE(d.where == where, c.text);
  }
}
