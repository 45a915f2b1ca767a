// SPDX-License-Identifier: Apache-2.0
// Faults that the interpreter must see, one kernel each.
#include "kernel_run.h"

using namespace parhelion;
using interp::Finding;
using test::Array;

namespace {

interp::Outcome faulty(std::string_view body, std::string_view host = "") {
  const ir::Function f = test::kernel("parhelion 1\nkernel k(@x: f32[n], @i: i32[n]) {\n" +
                                      std::string(host) + "  @out = empty f32[n]\n" +
                                      std::string(body) + "  return @out\n}\n");
  Array x(DType::F32, {8}), i(DType::I32, {8});
  double next = 0;
  x.fill([&] { return ++next; });
  i.fill({0, 1, 1, 3, 4, 5, 6, 9});
  return test::interpret(f, {&x, &i}, {.default_block = 2});
}

bool has(const interp::Outcome& o, Finding::Kind kind, std::string_view message) {
  for (const Finding& f : o.findings) {
    if (f.kind == kind) {
      CHECK(f.message == message);
      return true;
    }
  }
  return false;
}

}  // namespace

TEST_CASE("two programs that store different values to one element") {
  const auto out = faulty(R"(  grid t in n {
    %v = load @x[t] : f32[t]
    %s = sum %v dim 0 : f32
    store @out[0], %s
  }
)");
  CHECK(has(out, Finding::Kind::Race,
            "two programs touch one element of 'out', one of them writes it"));
  CHECK(has(out, Finding::Kind::OrderDependent, "'out' depends on the order of the programs"));
}

TEST_CASE("a program that reads what another one writes") {
  const auto out = faulty(R"(  grid t in n {
    %v = load @x[t] : f32[t]
    %w = load @x[t + 1] : f32[t]
    %s = add %v, %w : f32[t]
    store @x[t], %s
    store @out[t], %s
  }
)");
  CHECK(has(out, Finding::Kind::Race,
            "two programs touch one element of 'x', one of them writes it"));
}

TEST_CASE("in place under one subscript is no race, nor is the next root") {
  const auto out = faulty(R"(  grid t in n {
    %v = load @x[t] : f32[t]
    %s = neg %v : f32[t]
    store @x[t], %s
  }
  barrier
  grid u in n {
    %w = load @x[u + 1] : f32[u]
    store @out[u], %w
  }
)");
  CHECK(out.findings.empty());
  CHECK(out.outputs[0].values[0] == -2);
  CHECK(out.outputs.at(1).name == "x");
}

TEST_CASE("memory that nothing has written") {
  const auto out = faulty(R"(  grid t in n {
    %v = load @out[t] : f32[t]
    store @out[t], %v
  }
)");
  CHECK(has(out, Finding::Kind::Uninitialized, "'out' is read where nothing has written it"));
}

TEST_CASE("indices that leave the tensor under a promise") {
  const std::string_view body = R"(  grid t in n {
    %i = load @i[t] : i32[t]
    %v = load @x[%i] {in_bounds=1} : f32[t]
    store @out[t], %v
  }
)";
  CHECK(has(faulty(body), Finding::Kind::OutOfBounds,
            "an index is outside, in_bounds was promised"));
  std::string checked(body);
  checked.replace(checked.find(" {in_bounds=1}"), 14, " {other=7}");
  const auto out = faulty(checked);
  CHECK(out.findings.empty());
  CHECK(out.outputs[0].values[7] == 7);
}

TEST_CASE("one store, two values, one element") {
  const auto out = faulty(R"(  grid t in n by 8 {
    %i = load @i[t] : i32[t]
    %v = load @x[t] : f32[t]
    store @out[%i], %v
  }
)");
  CHECK(has(out, Finding::Kind::DuplicateStore,
            "one store writes two values to one element of 'out'"));
}

TEST_CASE("a loop without an end") {
  const auto out = faulty(R"(  grid t in n by 8 {
    %one = const 1 : bool
    while {
      condition %one
    } do {
    }
    %v = load @x[t] : f32[t]
    store @out[t], %v
  }
)");
  CHECK(has(out, Finding::Kind::EndlessLoop, "the loop passes a million trips"));
}
