// SPDX-License-Identifier: Apache-2.0
// What the analysis says of single values; agreement with the interpreter on random programs is
// in tests/property/ir.
#include "passes/tile/neutral_values.h"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>

using namespace parhelion;

namespace {

struct Kernel {
  ir::Function f;
  std::map<std::string, ir::ValueId> named;

  explicit Kernel(std::string_view body) {
    const std::string text =
        "parhelion 1\nkernel k(@x: f32[m, n], @y: f32[n, m], @h: f16[m, n], @l: i32[m]) {\n"
        "  @out = empty f32[m, n]\n  grid i in m, j in n {\n" +
        std::string(body) + "  }\n}\n";
    auto parsed = ir::parse(text, "k.ph");
    if (!parsed) FAIL(render_text(parsed.error()[0]));
    f = std::move(parsed->front());
    for (std::size_t v = 0; v < f.values.size(); ++v) {
      if (!f.values[v].name.empty()) named[f.values[v].name] = ir::ValueId(v);
    }
  }
  ir::AxisId axis(std::string_view name) const {
    for (std::size_t a = 0; a < f.axes.size(); ++a) {
      if (f.axes[a].name == name) return ir::AxisId(a);
    }
    return {};
  }
  std::optional<double> pad(const std::string& value, std::string_view along) const {
    const auto c = passes::NeutralValues(f).pad(named.at(value), axis(along));
    if (!c) return std::nullopt;
    return is_integer(f.type(named.at(value)).dtype) ? static_cast<double>(c->integer) : c->number;
  }
  bool needs_no_mask(const std::string& result, std::size_t operand = 0) const {
    return passes::NeutralValues(f).needs_no_mask(f.value(named.at(result)).defined_by, operand);
  }
};

}  // namespace

TEST_CASE("pads of pointwise chains") {
  const Kernel k(R"(
    %a = load @x[i, j] : f32[i, j]
    %b = load @x[i, j] {other=-inf} : f32[i, j]
    %e = exp %b : f32[i, j]
    %ea = exp %a : f32[i, j]
    %m = mul %a, %e : f32[i, j]
    %idx = index i : i64[i]
    %w = load @l[i] : i32[i]
    %two = const 2 : f32
    %t = add %e, %two : f32[i, j]
    %row = sum %a dim 1 keep : f32[i, 1]
    %bc = add %a, %row : f32[i, j]
    %top = amax %b dim 1 : f32[i]
    %c = lt %a, %two : bool[i, j]
    %s = where %c, %e, %t : f32[i, j]
    %u = permute %a 1, 0 : f32[j, i]
    store @out[i, j], %s
)");
  CHECK(k.pad("a", "i") == 0);
  CHECK(k.pad("b", "j") == -INFINITY);
  CHECK(k.pad("e", "i") == 0);
  CHECK(k.pad("ea", "i") == 1);
  CHECK(k.pad("m", "j") == 0);
  CHECK_FALSE(k.pad("idx", "i").has_value());
  CHECK(k.pad("w", "i") == 0);
  CHECK(k.pad("t", "i") == 2);
  CHECK(k.pad("row", "i") == 0);
  CHECK_FALSE(k.pad("bc", "j").has_value());
  CHECK(k.pad("bc", "i") == 0);
  CHECK(k.pad("top", "i") == -INFINITY);
  CHECK(k.pad("c", "i") == 1);
  CHECK(k.pad("s", "i") == 0);
  CHECK(k.pad("u", "j") == 0);
}

TEST_CASE("loop-carried pads meet to a fixed point") {
  const Kernel k(R"(
    %zero = const 0 : f32
    %acc = full %zero : f32[i, j]
    %good, %bad = for p in m carry (%g = %acc, %b = %acc) {
      %a = load @y[j, p] : f32[j, p]
      %s = sum %a dim 1 : f32[j]
      %t = unsqueeze %s dim 0 : f32[1, j]
      %x = load @x[i, j] : f32[i, j]
      %g1 = add %g, %x : f32[i, j]
      %b1 = add %b, %t : f32[i, j]
      yield %g1, %b1
    }
    store @out[i, j], %good
)");
  CHECK(k.pad("good", "i") == 0);
  CHECK(k.pad("g", "j") == 0);
  CHECK_FALSE(k.pad("bad", "i").has_value());
  CHECK(k.pad("bad", "j") == 0);
}

TEST_CASE("consumers that need no mask") {
  const Kernel k(R"(
    %a = load @x[i, j] : f32[i, j]
    %b = load @x[i, j] {other=-inf} : f32[i, j]
    %one = const 1 : f32
    %f = full %one : f32[i, j]
    %s0 = sum %a dim 1 : f32[i]
    %s1 = sum %b dim 1 : f32[i]
    %m0 = amax %a dim 1 : f32[i]
    %m1 = amax %b dim 1 : f32[i]
    %p = prod %f dim 1 : f32[i]
    %w = load @x[i, :n] : f32[i, :n]
    %r = amax %w dim 1 : f32[i]
    %h = load @y[j, i] : f32[j, i]
    %g = permute %f 1, 0 : f32[j, i]
    %d0 = dot %a, %h : f32[i, i]
    %d1 = dot %a, %g : f32[i, i]
    %d2 = dot %b, %h : f32[i, i]
    %q = mean %a dim 1 : f32[i]
    store @out[i, j], %a
)");
  CHECK(k.needs_no_mask("s0"));
  CHECK_FALSE(k.needs_no_mask("s1"));
  CHECK_FALSE(k.needs_no_mask("m0"));
  CHECK(k.needs_no_mask("m1"));
  CHECK(k.needs_no_mask("p"));
  CHECK(k.needs_no_mask("r"));
  CHECK(k.needs_no_mask("d0"));
  CHECK(k.needs_no_mask("d0", 1));
  CHECK(k.needs_no_mask("d1"));
  CHECK_FALSE(k.needs_no_mask("d2"));
  CHECK_FALSE(k.needs_no_mask("q"));
}
