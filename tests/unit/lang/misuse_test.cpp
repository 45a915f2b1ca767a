// SPDX-License-Identifier: Apache-2.0
// Mistakes that compile: code, line and text of each.
#include "support/trace_kernel.h"

#include <doctest/doctest.h>

namespace ph = parhelion;
using ph::test::trace;

namespace {

template <class F>
ph::Diagnostic refused(F body, std::initializer_list<ph::test::Layout> layouts) {
  const ph::Kernel kernel = ph::kernel("k", body);
  const std::vector<ph::Argument> list = ph::test::tensors(layouts);
  const auto traced = ph::lang::trace(kernel, list);
  REQUIRE_FALSE(traced.has_value());
  return traced.error()[0];
}

/// `line` by reference: the body sets it while the first argument is made.
void check_here(const ph::Diagnostic& d, int code, const int& line) {
  CHECK(d.code == code);
  CHECK(d.where.line == line);
  CHECK(d.where.file == __FILE__);
}

}  // namespace

TEST_CASE("the language outside of a kernel") {
  try {
    (void)ph::zeros({4});
    FAIL("no error");
  } catch (const ph::Error& e) {
    CHECK(e.diagnostics()[0].code == 1001);
  }
}

TEST_CASE("break leaves a tile loop") {
  int line = 0;
  const auto d = refused(
      [&](ph::Tensor x) {
        auto out = ph::empty_like(x);
        line = __LINE__ + 1;
        for (auto t : ph::tile(x.size(0))) {
          out[t] = x[t];
          break;
        }
        return out;
      },
      {{ph::f32, {8}}});
  check_here(d, 1201, line);
  CHECK(d.help == "the body stands for every tile: use ph::when or bound the range");
}

TEST_CASE("a kernel without a tile loop, and one that allocates inside of it") {
  CHECK(refused([](ph::Tensor x) { return ph::empty_like(x); }, {{ph::f32, {8}}}).code == 1204);
  int line = 0;
  const auto d = refused(
      [&](ph::Tensor x) {
        auto out = ph::empty_like(x);
        for (auto t : ph::tile(x.size(0))) {
          line = __LINE__ + 1;
          auto inner = ph::empty({x.size(0)}, ph::f32);
          out[t] = x[t];
          (void)inner;
        }
        return out;
      },
      {{ph::f32, {8}}});
  check_here(d, 1102, line);
}

TEST_CASE("subscripts: rank, index type, range, a tile after its loop") {
  int line = 0;
  check_here(refused(
                 [&](ph::Tensor x) {
                   auto out = ph::empty_like(x);
                   for (auto t : ph::tile(x.size(0))) {
                     line = __LINE__ + 1;
                     out[t] = x[t];
                   }
                   return out;
                 },
                 {{ph::f32, {8, 9}}}),
             2001, line);
  check_here(refused(
                 [&](ph::Tensor x) {
                   auto out = ph::empty_like(x);
                   for (auto t : ph::tile(x.size(0))) {
                     auto c = x[t] > 0.0f;
                     line = __LINE__ + 1;
                     out[c] = x[t];
                   }
                   return out;
                 },
                 {{ph::f32, {8}}}),
             2004, line);
  check_here(refused(
                 [&](ph::Tensor x) {
                   auto out = ph::empty({x.size(0)}, ph::f32);
                   for (auto t : ph::tile(x.size(0))) {
                     line = __LINE__ + 1;
                     out[t] = x[t, 9];
                   }
                   return out;
                 },
                 {{ph::f32, {8, 9}}}),
             2002, line);
}

TEST_CASE("shapes and dtypes") {
  int line = 0;
  const auto axes = refused(
      [&](ph::Tensor x) {
        auto out = ph::empty_like(x);
        for (auto t : ph::tile(x.size(0))) {
          auto v = x[t, ph::all];
          line = __LINE__ + 1;
          out[t, ph::all] = v - ph::amax(v, 1);
        }
        return out;
      },
      {{ph::f32, {8, 8}}});
  check_here(axes, 2101, line);
  check_here(refused(
                 [&](ph::Tensor x) {
                   auto out = ph::empty({x.size(0)}, ph::i32);
                   for (auto t : ph::tile(x.size(0))) {
                     line = __LINE__ + 1;
                     out[t] = x[t];
                   }
                   return out;
                 },
                 {{ph::f32, {8}}}),
             2103, line);
  check_here(refused(
                 [&](ph::Tensor x) {
                   auto out = ph::empty({x.size(0)}, ph::f32);
                   for (auto t : ph::tile(x.size(0))) {
                     line = __LINE__ + 1;
                     out[t] = x[t, ph::all];
                   }
                   return out;
                 },
                 {{ph::f32, {8, 9}}}),
             2102, line);
}

TEST_CASE("variables: unset, set in a loop only, carried with another type") {
  int line = 0;
  CHECK(refused(
            [&](ph::Tensor x) {
              auto out = ph::empty_like(x);
              for (auto t : ph::tile(x.size(0))) {
                ph::Value v;
                out[t] = v + x[t];
              }
              return out;
            },
            {{ph::f32, {8}}})
            .code == 3001);
  CHECK(refused(
            [&](ph::Tensor x) {
              auto out = ph::empty({x.size(0)}, ph::f32);
              for (auto t : ph::tile(x.size(0))) {
                ph::Value last;
                for (auto u : ph::tile(x.size(1))) last = ph::sum(x[t, u], 1);
                out[t] = last;
              }
              return out;
            },
            {{ph::f32, {8, 9}}})
            .code == 3002);
  const auto carried = refused(
      [&](ph::Tensor x) {
        auto out = ph::empty({x.size(0)}, ph::f32);
        for (auto t : ph::tile(x.size(0))) {
          ph::Value acc = ph::zeros({t}, ph::f16);
          for (auto u : ph::tile(x.size(1))) {
            line = __LINE__ + 1;
            acc = acc + ph::sum(x[t, u], 1);
          }
          out[t] = acc;
        }
        return out;
      },
      {{ph::f32, {8, 9}}});
  check_here(carried, 3003, line);
}

TEST_CASE("ph::when needs one condition; the sides must agree") {
  CHECK(refused(
            [](ph::Tensor x) {
              auto out = ph::empty_like(x);
              for (auto t : ph::tile(x.size(0))) {
                ph::Value v = x[t];
                ph::when(v > 0.0f, [&] { v = v + 1; });
                out[t] = v;
              }
              return out;
            },
            {{ph::f32, {8}}})
            .code == 3201);
}

TEST_CASE("host sizes: a failed check, a condition on a block size") {
  int line = 0;
  check_here(refused(
                 [&](ph::Tensor x) {
                   line = __LINE__ + 1;
                   ph::check(x.size(0) == x.size(1), "square");
                   auto out = ph::empty_like(x);
                   for (auto t : ph::tile(x.size(0))) out[t, 0] = x[t, 0];
                   return out;
                 },
                 {{ph::f32, {8, 9}}}),
             4001, line);
  CHECK(refused(
            [](ph::Tensor x) {
              auto out = ph::empty_like(x);
              for (auto t : ph::tile(x.size(0))) {
                if (t.block_size() > 4) out[t] = x[t];
              }
              return out;
            },
            {{ph::f32, {8}}})
            .code == 4007);
}

TEST_CASE("dot contracts one axis") {
  const auto d = refused(
      [](ph::Tensor a, ph::Tensor b) {
        auto out = ph::empty({a.size(0), b.size(1)}, ph::f32);
        for (auto [m, n] : ph::tile(a.size(0), b.size(1))) {
          ph::Value acc = ph::zeros({m, n}, ph::f32);
          for (auto k : ph::tile(a.size(1))) acc = ph::dot(a[m, k], b[n, k], acc);
          out[m, n] = acc;
        }
        return out;
      },
      {{ph::f32, {8, 8}}, {ph::f32, {8, 8}}});
  CHECK((d.code == 2302 || d.code == 2303));
}

TEST_CASE("an impure body is found by tracing twice") {
  int calls = 0;
  const ph::Kernel impure = ph::kernel("impure", [&calls](ph::Tensor x) {
    auto out = ph::empty_like(x);
    const int n = ++calls;
    for (auto t : ph::tile(x.size(0))) out[t] = x[t] + n;
    return out;
  });
  const auto traced = trace(impure, {{ph::f32, {8}}});
  REQUIRE_FALSE(traced.has_value());
  CHECK(traced.error()[0].code == 1005);
}
