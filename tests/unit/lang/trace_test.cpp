// SPDX-License-Identifier: Apache-2.0
// What bodies become: loop-carried values, branches, axes that unite, names.
#include "support/trace_kernel.h"

#include <doctest/doctest.h>

#include <utility>

namespace ph = parhelion;
using ph::test::trace;

namespace {

std::string text_of(const ph::Result<ph::lang::TracedKernel>& traced) {
  REQUIRE_MESSAGE(traced.has_value(), (traced ? "" : ph::render_text(traced.error())));
  const std::string all = ph::ir::print(traced->function, false);
  return all.substr(all.find("kernel"));
}

}  // namespace

TEST_CASE("softmax traces to the text of the design") {
  const ph::Kernel softmax = ph::kernel("softmax", [](ph::Tensor x) {
    auto out = ph::empty_like(x);
    for (auto rows : ph::tile(x.size(0))) {
      auto v = ph::cast(x[rows, ph::all], ph::f32);
      auto e = ph::exp(v - ph::amax(v, 1, ph::keep_dim));
      out[rows, ph::all] = ph::cast(e / ph::sum(e, 1, ph::keep_dim), x.dtype());
    }
    return out;
  });
  CHECK(text_of(trace(softmax, {{ph::f16, {64, 128}}})) == R"(kernel softmax(@x: f16[m, n]) {
  @out = empty f16[m, n]
  grid rows in m {
    %0 = load @x[rows, :n] : f16[rows, :n]
    %v = cast %0 : f32[rows, :n]
    %1 = amax %v dim 1 keep : f32[rows, 1]
    %2 = sub %v, %1 : f32[rows, :n]
    %e = exp %2 : f32[rows, :n]
    %3 = sum %e dim 1 keep : f32[rows, 1]
    %4 = div %e, %3 : f32[rows, :n]
    %5 = cast %4 : f16[rows, :n]
    store @out[rows, :n], %5
  }
  return @out
}
)");
}

TEST_CASE("a value that a loop assigns is carried, a copy is not") {
  const ph::Kernel total = ph::kernel("total", [](ph::Tensor x) {
    auto out = ph::empty({x.size(0)}, ph::f32);
    for (auto rows : ph::tile(x.size(0))) {
      ph::Value acc = ph::zeros({rows}, ph::f32);
      for (auto t : ph::tile(x.size(1))) {
        auto part = ph::sum(x[rows, t], 1);
        acc = acc + part;
      }
      out[rows] = acc;
    }
    return out;
  });
  const auto traced = trace(total, {{ph::f32, {8, 100}}});
  const std::string text = text_of(traced);
  CHECK(text.find("carry (") != std::string::npos);
  const auto& f = traced->function;
  int loops = 0;
  for (const auto& op : f.ops) {
    if (op.code != ph::ir::OpCode::For) continue;
    ++loops;
    CHECK(op.results.size() == 1);
  }
  CHECK(loops == 1);
}

TEST_CASE("std::swap exchanges two carried values") {
  const ph::Kernel swapping = ph::kernel("swapping", [](ph::Tensor x) {
    auto out = ph::empty({x.size(0)}, ph::f32);
    for (auto rows : ph::tile(x.size(0))) {
      ph::Value a = ph::zeros({rows}, ph::f32);
      ph::Value b = ph::full({rows}, 1.0, ph::f32);
      for (auto t : ph::tile(x.size(1))) {
        std::swap(a, b);
        a += ph::sum(x[rows, t], 1);
      }
      out[rows] = a - b;
    }
    return out;
  });
  const auto traced = trace(swapping, {{ph::f32, {8, 100}}});
  REQUIRE(traced.has_value());
  for (const auto& op : traced->function.ops) {
    if (op.code == ph::ir::OpCode::For) CHECK(op.results.size() == 2);
  }
}

TEST_CASE("extents of different tensors unite with a host check") {
  const ph::Kernel scale = ph::kernel("scale", [](ph::Tensor x, ph::Tensor w) {
    auto out = ph::empty_like(x);
    for (auto rows : ph::tile(x.size(0))) out[rows, ph::all] = x[rows, ph::all] * w[ph::all];
    return out;
  });
  const auto traced = trace(scale, {{ph::f32, {8, 100}}, {ph::f32, {100}}});
  REQUIRE_MESSAGE(traced.has_value(), (traced ? "" : ph::render_text(traced.error())));
  int checks = 0;
  for (const auto& op : traced->function.host) {
    if (op.kind == ph::ir::HostOp::Kind::Check) ++checks;
  }
  CHECK(checks == 1);
  const auto refused = trace(scale, {{ph::f32, {8, 100}}, {ph::f32, {99}}});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error()[0].code == 2101);
}

TEST_CASE("a C++ condition on sizes becomes a guard, which selects the trace") {
  const ph::Kernel guarded = ph::kernel("guarded", [](ph::Tensor x) {
    auto out = ph::empty_like(x);
    const bool small = static_cast<bool>(x.size(0) < 10);
    for (auto t : ph::tile(x.size(0))) out[t] = small ? x[t] + 1 : x[t] + 2;
    return out;
  });
  const auto traced = trace(guarded, {{ph::f32, {8}}});
  REQUIRE(traced.has_value());
  int guards = 0;
  for (const auto& op : traced->function.host) {
    if (op.kind == ph::ir::HostOp::Kind::Guard) ++guards;
  }
  CHECK(guards == 1);
}

TEST_CASE(
    "an epilogue with a bound tensor is traced in place; an empty one is its first argument") {
  const ph::Kernel mm = ph::kernel("mm", [](ph::Tensor x, ph::Epilogue epilogue) {
    auto out = ph::empty_like(x);
    for (auto [a, b] : ph::tile(x.size(0), x.size(1))) {
      ph::Value v = x[a, b];
      out[a, b] = epilogue(v, a, b);
    }
    return out;
  });
  const std::vector<std::int64_t> matrix = {4, 6}, row = {6};
  const ph::TensorView x(nullptr, ph::f32, std::span(matrix)), w(nullptr, ph::f32, std::span(row));
  const auto plain = ph::lang::trace(mm, decltype(mm)::list(x));
  REQUIRE(plain.has_value());
  CHECK(plain->function.tensors.size() == 2);
  const auto bound = ph::lang::trace(
      mm, decltype(mm)::list(
              x, ph::bind([](ph::Value v, ph::Tile, ph::Tile b, ph::Tensor t) { return v + t[b]; },
                          w)));
  REQUIRE(bound.has_value());
  CHECK(bound->function.tensors.size() == 3);
  CHECK(ph::lang::trace_key(decltype(mm)::list(x)) !=
        ph::lang::trace_key(
            decltype(mm)::list(x, [](ph::Value v, ph::Tile, ph::Tile) { return v; })));
}
