// SPDX-License-Identifier: Apache-2.0
// How ops become statements: what moves, what gets a name, how control reads.
#include "emit/cpu/emitter.h"

#include <doctest/doctest.h>

#include <string>

using namespace parhelion;

namespace {

constexpr std::string_view header = R"(
module "k"
target "cpu x86-64-v3"
parameter pointer "x" f32 tensor 0 bytes 8 "0" = %x : ptr<global, f32>
parameter pointer "y" f32 tensor 1 written bytes 8 "0" = %y : ptr<global, f32>
parameter integer "n" i64 tensor -1 bytes 8 "0" = %n : i64
entry_value %first : i64
entry_value %last : i64
entry_value %worker : i32
)";

emit::SourceText print(const std::string& functions) {
  auto module = ir::kernel::parse(std::string(header) + functions, "k.kir");
  if (!module) FAIL(render_text(module.error()));
  const Diagnostics broken = ir::kernel::verify(*module);
  if (!broken.empty()) FAIL(render_text(broken));
  return emit::cpu::print(*module);
}

/// The lines of the entry between the arguments and the end.
std::string body(const std::string& ops) {
  const std::string text = print("function k entry () {\n" + ops + "\n}\n").text;
  std::size_t begin = text.find('{', text.find("void k(")) + 2;
  for (std::size_t at; (at = text.find("= args->", begin)) != std::string::npos;) {
    begin = text.find('\n', at) + 1;
  }
  return text.substr(begin, text.rfind('}') - begin);
}

}  // namespace

TEST_CASE("single uses move into their use") {
  CHECK(body("%p = offset %x, %n : ptr<global, f32>\n%v = load %p : f32\n"
             "%w = mul %v, %v : f32\n%z = add %w, %w : f32\nstore %y, %z") ==
        "  const float v = x[n];\n"
        "  const float w = v * v;\n"
        "  *y = w + w;\n");
}

TEST_CASE("a load does not move across a store") {
  CHECK(body("%v = load %x : f32\n%c = const 2.0 : f32\nstore %y, %c\n%w = mul %v, %c : f32\n"
             "store %y, %w") ==
        "  const float v = *x;\n"
        "  *y = 2.0f;\n"
        "  *y = v * 2.0f;\n");
}

TEST_CASE("a variable's value does not move across a write of it, another's does") {
  CHECK(body("%c = const 2.0 : f32\n%a = var %c : f32\n%b = var : f32\n%v = get %a : f32\n"
             "set %b, %c\nset %a, %c\nstore %y, %v\n%w = get %b : f32\nset %a, %c\nstore %y, %w") ==
        "  float a = 2.0f;\n"
        "  float b;\n"
        "  b = 2.0f;\n"
        "  const float v = a;\n"
        "  a = 2.0f;\n"
        "  *y = v;\n"
        "  a = 2.0f;\n"
        "  *y = b;\n");
}

TEST_CASE("a value is computed where it stands, not in a loop that uses it") {
  CHECK(
      body("%1 = const 1 : i64\n%m = mul %n, %n : i64\n"
           "for %first, %last, %1 (%i : i64) {\n%s = add %m, %i : i64\n"
           "%p = offset %y, %s : ptr<global, f32>\n%c = const 0.0 : f32\nstore %p, %c\nyield\n}") ==
      "  const i64 m = n * n;\n"
      "  for (i64 i = first; i < last; ++i) {\n"
      "    y[m + i] = 0.0f;\n"
      "  }\n");
}

TEST_CASE("carried values are locals; a loop goes on with the variable of the one before") {
  CHECK(body("%1 = const 1 : i64\n%0 = const 0 : i64\n%zero = const 0.0 : f32\n"
             "%s = for %0, %n, %1, %zero : f32 (%i : i64, %sum : f32) {\n"
             "%p = offset %x, %i : ptr<global, f32>\n%v = load %p : f32\n"
             "%a = add %sum, %v : f32\nyield %a\n}\n"
             "%r = for %0, %n, %1, %s : f32 (%i : i64, %sum : f32) {\n"
             "%a = mul %sum, %sum : f32\nyield %a\n}\nstore %y, %r") ==
        "  float sum = 0.0f;\n"
        "  for (i64 i = 0; i < n; ++i) {\n"
        "    sum += x[i];\n"
        "  }\n"
        "  for (i64 i = 0; i < n; ++i) {\n"
        "    sum *= sum;\n"
        "  }\n"
        "  *y = sum;\n");
}

TEST_CASE("carried values that swap go through copies") {
  CHECK(body("%1 = const 1 : i64\n%zero = const 0.0 : f32\n%one = const 1.0 : f32\n"
             "%s, %t = for %first, %last, %1, %zero, %one : f32, f32 "
             "(%i : i64, %a : f32, %b : f32) {\nyield %b, %a\n}\nstore %y, %s") ==
        "  float a = 0.0f;\n"
        "  float b = 1.0f;\n"
        "  for (i64 i = first; i < last; ++i) {\n"
        "    const float next = b;\n"
        "    const float next_2 = a;\n"
        "    a = next;\n"
        "    b = next_2;\n"
        "  }\n"
        "  *y = a;\n");
}

TEST_CASE("an inner loop changes the variable of the outer one only when nobody reads it") {
  CHECK(body("%1 = const 1 : i64\n%zero = const 0.0 : f32\n"
             "%s = for %first, %last, %1, %zero : f32 (%i : i64, %a : f32) {\n"
             "%in = for %first, %last, %1, %a : f32 (%j : i64, %b : f32) {\n"
             "%c = add %b, %b : f32\nyield %c\n}\n"
             "%d = add %in, %a : f32\nyield %d\n}\nstore %y, %s") ==
        "  float a = 0.0f;\n"
        "  for (i64 i = first; i < last; ++i) {\n"
        "    float b = a;\n"
        "    for (i64 j = first; j < last; ++j) {\n"
        "      b += b;\n"
        "    }\n"
        "    a = b + a;\n"
        "  }\n"
        "  *y = a;\n");
}

TEST_CASE("branches give values; an empty else is not printed") {
  CHECK(body("%c = lt %first, %n : bool\n%zero = const 0.0 : f32\n"
             "%r = if %c : f32 () {\n%v = load %x : f32\nyield %v\n} () {\nyield %zero\n}\n"
             "%d = lt %last, %n : bool\nif %d () {\nstore %y, %r\nyield\n} () {\nyield\n}") ==
        "  float r;\n"
        "  if (first < n) {\n"
        "    r = *x;\n"
        "  } else {\n"
        "    r = 0.0f;\n"
        "  }\n"
        "  if (last < n) {\n"
        "    *y = r;\n"
        "  }\n");
}

TEST_CASE("while: a condition of one expression stands in the head") {
  CHECK(body("%1 = const 1 : i64\n%r = while %first : i64 (%i : i64) {\n"
             "%c = lt %i, %n : bool\ncondition %c\n} (%i : i64) {\n"
             "%a = add %i, %1 : i64\nyield %a\n}\n%p = offset %y, %r : ptr<global, f32>\n"
             "%z = const 0.0 : f32\nstore %p, %z") ==
        "  i64 i = first;\n"
        "  while (i < n) {\n"
        "    i += 1;\n"
        "  }\n"
        "  y[i] = 0.0f;\n");
  CHECK(body("%1 = const 1 : i64\n%r = while %first : i64 (%i : i64) {\n"
             "%p = mul %i, %i : i64\n%q = add %p, %p : i64\n%c = lt %q, %n : bool\n"
             "condition %c\n} (%i : i64) {\n%a = add %i, %1 : i64\nyield %a\n}\n"
             "%p = offset %y, %r : ptr<global, f32>\n%z = const 0.0 : f32\nstore %p, %z") ==
        "  i64 i = first;\n"
        "  while (true) {\n"
        "    const i64 p = i * i;\n"
        "    if (!(p + p < n)) {\n"
        "      break;\n"
        "    }\n"
        "    i += 1;\n"
        "  }\n"
        "  y[i] = 0.0f;\n");
}

TEST_CASE("a loop bound that reads is evaluated once") {
  CHECK(body("%1 = const 1 : i64\n%a = var %n : i64\n%e = get %a : i64\n"
             "for %first, %e, %1 (%i : i64) {\nset %a, %i\nyield\n}") ==
        "  i64 a = n;\n"
        "  const i64 e = a;\n"
        "  for (i64 i = first; i < e; ++i) {\n"
        "    a = i;\n"
        "  }\n");
}

TEST_CASE("long expressions are broken by names, long calls after commas") {
  std::string ops = "%v = load %x : f32\n";
  std::string last = "v";
  for (int i = 0; i < 30; ++i) {
    const std::string name = "long_name_" + std::to_string(i);
    ops += "%" + name + " = add %" + last + ", %v : f32\n";
    last = name;
  }
  const std::string text = body(ops + "store %y, %" + last);
  std::size_t longest = 0, begin = 0;
  for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
    longest = std::max(longest, end - begin);
  }
  CHECK(longest <= 100);
  CHECK(longest > 40);
  CHECK(text.contains("const float long_name_"));
}

TEST_CASE("functions take arrays by reference and pointers to const where they only read") {
  const std::string text = print(R"(
function add noinline (%acc : f32x8[2], %from : ptr<global, f32>, %to : ptr<global, f32>) {
  %v = load %from : f32x8
  each {count = 2} (%i : i64) {
    %a = get %acc, %i : f32x8
    %b = add %a, %v : f32x8
    set %acc, %b, %i
    yield
  }
  store %to, %v
}
function k entry () {
  %acc = var : f32x8[2]
  call %acc, %x, %y {callee = "add"}
}
)")
                               .text;
  CHECK(
      text.contains("static __attribute__((noinline)) void add(f32x8 (&acc)[2], const float* from, "
                    "float* to) {"));
  CHECK(text.contains("  f32x8 acc[2];\n  add(acc, x, y);\n"));
  CHECK(text.contains("#pragma GCC unroll 2\n  for (int i = 0; i < 2; ++i) {\n    acc[i] += v;\n"));
}

TEST_CASE("entries see their parameters and only the arguments that they use") {
  const std::string text =
      print("function k entry () {\n%v = load %x : f32\nstore %y, %v\n}\n").text;
  CHECK(text.contains("struct Arguments {\n  const float* x;\n  float* y;\n  i64 n;\n};\n"));
  CHECK(
      text.contains("extern \"C\" void k(const Arguments* args, i64 /*first*/, i64 /*last*/, "
                    "int /*worker*/) {\n  const float* x = args->x;\n  float* y = args->y;\n"));
}

TEST_CASE("what a function does not use has no name, values without one tell their kind") {
  const std::string text = print(R"(
function other (%acc : f32[2], %size : i64) {
}
function k entry () {
  store_fence
}
function twice entry () {
  %0 = mul %first, %last : i64
  %1 = offset %y, %0 : ptr<global, f32>
  %2 = load %1 : f32
  %3 = add %2, %2 : f32
  store %1, %3
}
)")
                               .text;
  CHECK(text.contains("static inline void other(float (&/*acc*/)[2], i64 /*size*/) {"));
  CHECK(text.contains(
      "void k(const Arguments* /*args*/, i64 /*first*/, i64 /*last*/, int /*worker*/)"));
  CHECK(text.contains("  float* p = y + first * last;\n  const float v = *p;\n  *p = v + v;\n"));
}

TEST_CASE("the overload of a splat is chosen by the type of the IR") {
  CHECK(body("%c = const 3 : i64\n%v = splat %c : i64x4\n%w = convert %v : f32x4\n"
             "store %y, %w") == "  store(y, __builtin_convertvector(splat((i64)3), f32x4));\n");
  CHECK(body("%c = lt %first, %last : bool\n%v = splat %c : boolx8\n%w = convert %v : f32x8\n"
             "store %y, %w") ==
        "  store(y, __builtin_convertvector(splat(first < last) & 1, f32x8));\n");
}

TEST_CASE("16-bit floats convert through f32") {
  CHECK(body("%p = bitcast %x : ptr<global, bf16>\n%v = load %p : bf16x8\n"
             "%w = convert %v : f32x8\n%h = convert %w : f16x8\n"
             "%q = bitcast %y : ptr<global, f16>\nstore %q, %h") ==
        "  store((u16*)y, f32_to_f16(bf16_to_f32(load((const u16*)x))));\n");
  CHECK(body("%p = bitcast %x : ptr<global, f16>\n%v = load %p : f16\n"
             "%h = convert %v : bf16\n%q = bitcast %y : ptr<global, bf16>\nstore %q, %h") ==
        "  *(u16*)y = f32_to_bf16(f16_to_f32(*(const u16*)x));\n");
}

TEST_CASE("the prelude holds the pieces in use, each name once for its lanes") {
  const std::string text =
      print(
          "function k entry () {\n%v = load %x : f32x8\n%w = load %x : f32x4\nstore %y, %v\n"
          "%q = offset %y, %n : ptr<global, f32>\nstore %q, %w\n}\n")
          .text;
  CHECK(text.contains("static inline f32x8 load(const float* p) {"));
  CHECK(text.contains("static inline f32x4 load_x4(const float* p) {"));
  CHECK(text.contains("const f32x4 w = load_x4(x);"));
  CHECK(!text.contains("fma"));
  CHECK(emit::cpu::is_reserved("load"));
  CHECK(emit::cpu::is_reserved("int"));
  CHECK(!emit::cpu::is_reserved("softmax"));
}

TEST_CASE("lines lead back to the user's source") {
  const emit::SourceText source = print(
      "file \"k.cpp\"\nfunction k entry () {\n%v = load %x : f32 @0:7:3\n"
      "store %y, %v @0:8:5\n}\n");
  int line = 1;
  const std::size_t at = source.text.find("*y = *x;");
  REQUIRE(at != std::string::npos);
  line += static_cast<int>(
      std::count(source.text.begin(), source.text.begin() + static_cast<long>(at), '\n'));
  const LineTable::Entry* found = source.lines.find(line);
  REQUIRE(found != nullptr);
  CHECK(*found == LineTable::Entry{line, "k.cpp", 8, 5});
}

TEST_CASE("the same module gives the same bytes") {
  const std::string ops = "function k entry () {\n%v = load %x : f32\nstore %y, %v\n}\n";
  CHECK(print(ops).text == print(ops).text);
}
