// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <string>

#include "example_texts.h"
#include "ir/tile/function.h"

using namespace parhelion;

namespace {

ir::Function one(std::string_view text) {
  auto parsed = ir::parse(text, "k.ph");
  if (!parsed) FAIL(render_text(parsed.error()[0]));
  REQUIRE(parsed->size() == 1);
  return std::move(parsed->front());
}

std::string body(std::string_view statements) {
  return "parhelion 1\nkernel k(@x: f32[m, n], @y: f32[p, q], $s: float, $k: int) {\n" +
         std::string(statements) + "}\n";
}

Diagnostic mistake(const std::string& text) {
  const auto parsed = ir::parse(text, "k.ph");
  REQUIRE_FALSE(parsed.has_value());
  return parsed.error().at(0);
}

void round_trip(const std::string& text) {
  const std::string once = ir::print(one(text), false);
  CHECK(once == text);
  const ir::Function again = one(once);
  CHECK(ir::print(again, false) == once);
  CHECK(ir::hash(again) == ir::hash(one(text)));
}

}  // namespace

TEST_CASE("the two kernels of the reference print as they are read") {
  CHECK(ir::print(one(test::softmax_text)) == test::softmax_text);
  CHECK(ir::print(one(test::matmul_text)) == test::matmul_text);
}

TEST_CASE("hashes leave out names and locations") {
  std::string other(test::softmax_text);
  for (const auto& [from, to] : {std::pair{"%v", "%w"},
                                 {"rows", "lines"},
                                 {"softmax", "row"},
                                 {"@out", "@result"},
                                 {"#12:55", "#99:1"}}) {
    for (std::size_t at = other.find(from); at != std::string::npos;
         at = other.find(from, at + 1)) {
      other.replace(at, std::string_view(from).size(), to);
    }
  }
  CHECK(ir::hash(one(other)) == ir::hash(one(test::softmax_text)));
  CHECK(ir::hash(one(test::matmul_text)) != ir::hash(one(test::softmax_text)));
}

TEST_CASE("numbering goes by order of appearance") {
  const ir::Function f = one(test::matmul_text);
  const ir::Numbering n = ir::number(f);
  REQUIRE(n.axes.size() == 3);
  CHECK(f.axis(n.axes[0]).name == "tm");
  CHECK(f.axis(n.axes[1]).name == "tn");
  CHECK(f.axis(n.axes[2]).name == "tk");
  CHECK(n.loops.size() == 2);
  CHECK(n.dots.size() == 1);
  CHECK(n.sites.size() == 3);
  const ir::Numbering s = ir::number(one(test::softmax_text));
  CHECK(s.axes.size() == 2);
}

TEST_CASE("host part: views, checks, blocks, lists") {
  round_trip(body(R"(  b = block 16..128
  check m <= n "rows fit"
  guard n > 4
  @t = permute @x 1, 0
  @part = narrow @x 0 1 (m - 1)
  check (m + 4) <= n
  @some = narrow @x 1 4 m
  check m == 1
  @wide = expand @x [n, n]
  @any = view @x [m] strides [(2 * n)] offset 3
  @out = empty f32[(m * n), 4]
  @one = filled 1 f32[m, n]
  grid i in m by b, j in n by 32 {
    %0 = load @t[:n, i] : f32[:n, i]
    %1 = load @any[i, new] : f32[i, 1]
    store @one[i, j], %1
  }
  return (@one)
)"));
}

TEST_CASE("device part: every form of statement") {
  round_trip(body(R"(  @out = empty f32[m, n]
  grid i in m {
    %0 = const 1.5 : f32
    %1 = size (m + n) : i64
    %2 = scalar $s : f64
    %3 = index i : i64[i]
    %4 = full %0 : f32[i, :16]
    %5 = arange : i64[:16]
    %6 = size block(i) : i64
    %7 = const 3 : i64
    %mask = ge %3, %7 : bool[i]
    %8 = unsqueeze %mask dim 1 : bool[i, 1]
    %9 = load @x[%3, :n] {mask=%8, other=-inf, in_bounds=1} : f32[i, :n]
    %10 = load @x[i + 1, slice(2, 5, 3)] : f32[i, :5]
    %11 = load @x[($k - 1), (n)] : f32
    %12 = load @x[new, 0, :n] : f32[1, :n]
    %13 = permute %10 1, 0 : f32[:5, i]
    %14 = squeeze %12 dim 0 : f32[:n]
    %15 = expand %14 : f32[i, :n]
    %16 = end i : i64
    %17 = for j in %7..%16 by 4 carry (%18 = %15) {
      %19 = mul %18, %0 : f32[i, :n]
      yield %19
    }
    %20 = while carry (%21 = %7) {
      %22 = lt %21, %6 : bool
      condition %22
    } do {
      %23 = add %21, %7 : i64
      yield %23
    }
    %24 = eq %20, %6 : bool
    %25 = if %24 {
      yield %17
    } else {
      %26 = neg %17 : f32[i, :n]
      yield %26
    }
    store @out[i, :n], %25 {mask=%8}
  }
  barrier
  grid i_1 in m {
    %27 = load @out[i_1, 0] : f32[i_1]
    store @x[i_1, (n - 1)], %27
  }
  return @out, @x
)"));
}

TEST_CASE("mistakes in a text: code, line, column, and what was meant") {
  Diagnostic d = mistake("parhelion 2\n");
  CHECK(d.code == 5001);
  CHECK(d.message == "text version 2, this reads 1");

  d = mistake(body("  grid i in m {\n    %acc = const 1 : f32\n    %b = neg %acq : f32\n  }\n"));
  CHECK(d.code == 5002);
  CHECK(d.message == "unknown value '%acq' (did you mean '%acc'?)");
  CHECK(d.where == Place{"k.ph", 5, 14});

  d = mistake(body("  grid i in m {\n    %a = load @x[i, 0] : f32[i, 1]\n  }\n"));
  CHECK(d.code == 5003);
  CHECK(d.message == "written type f32[i, 1], inferred f32[i]");
  CHECK(d.where.line == 4);

  d = mistake(body("  grid i on m {\n"));
  CHECK(d.code == 5001);
  CHECK(d.message == "expected 'in' near 'on m {'");

  d = mistake(body("  grid i in mm {\n"));
  CHECK(d.message == "unknown size 'mm' (did you mean 'm'?)");

  d = mistake(body("  grid i in m {\n    %a = lod @x[i, 0] : f32[i]\n"));
  CHECK(d.message == "unknown op 'lod' (did you mean 'load'?)");
}

TEST_CASE("mistakes of types name the user's line in a note") {
  std::string text(test::softmax_text);
  text.replace(text.find("dim 1 keep"), 10, "dim 1     ");
  const Diagnostic d = mistake(text);
  CHECK(d.code == 5003);
  std::string clash(test::softmax_text);
  clash.replace(clash.find("sub %v, %1"), 10, "sub %0, %1");
  const Diagnostic e = mistake(clash);
  CHECK(e.code == 2110);
  CHECK(e.where == Place{"k.ph", 8, 10});
  REQUIRE(e.notes.size() == 1);
  CHECK(e.notes[0].message == "from softmax.cpp:12");
}

TEST_CASE("many kernels in one file") {
  const std::string text(test::matmul_text);
  const auto parsed = ir::parse(text + text.substr(text.find("kernel")), "k.ph");
  REQUIRE(parsed.has_value());
  CHECK(parsed->size() == 2);
}

TEST_CASE("lines without a location carry the place in the text") {
  const ir::Function f =
      one(body("  @out = empty f32[m, n]\n  grid i in m {\n"
               "    %0 = load @x[i, :n] : f32[i, :n]  \n"
               "    store @out[i, :n], %0\n  }\n"));
  const std::string text = ir::print(f);
  CHECK(text.find("parhelion 1 file \"k.ph\"\n") == 0);
  CHECK(text.find("store @out[i, :n], %0  #6:5\n") != std::string::npos);
  CHECK(ir::print(one(text)) == text);
}

TEST_CASE("a size that is named twice, or a number, becomes a check") {
  const ir::Function f =
      one("parhelion 1\nkernel k(@x: f32[m, 4], @y: f32[m]) {\n"
          "  grid i in m {\n    %0 = load @x[i, 0] : f32[i]\n"
          "    store @y[i], %0\n  }\n}\n");
  CHECK(ir::print(f, false) ==
        "parhelion 1\nkernel k(@x: f32[m, x_d1], @y: f32[y_d0]) {\n  check x_d1 == 4\n"
        "  check y_d0 == m\n  grid i in m {\n    %0 = load @x[i, 0] : f32[i]\n"
        "    store @y[i], %0\n  }\n}\n");
}
