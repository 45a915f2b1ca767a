// SPDX-License-Identifier: Apache-2.0
#include "ir/tile/host.h"

#include <doctest/doctest.h>

#include <array>

using namespace parhelion;

namespace {

constexpr std::string_view text = R"(parhelion 1
kernel k(@x: f32[m, n], @y: f32[n2], $k: int, $s: float) {
  check n2 == n "one weight per column"
  guard m > 2
  @out = empty f32[m, (n + $k)]
  @t = permute @x 1, 0
  @p = narrow @x 0 1 (m - 1)
  grid i in m {
    %0 = load @t[:n, i] : f32[:n, i]
    %1 = permute %0 1, 0 : f32[i, :n]
    store @x[i, :n], %1
  }
  return @out
}
)";

using Numbers = std::vector<std::int64_t>;

struct Call {
  ir::Function f = ir::parse(text, "k.ph").value().front();
  Numbers x{4, 6}, xs{8, 1}, y{6}, ys{1}, scalars{3, 0};
  std::vector<ir::CallTensor> tensors() const {
    return {{DType::F32, x, xs}, {DType::F32, y, ys}};
  }
};

}  // namespace

TEST_CASE("symbols, sizes, strides and offsets of a call") {
  Call c;
  const auto state = ir::evaluate_host(c.f, c.tensors(), c.scalars);
  REQUIRE(state.has_value());
  CHECK(ir::guards_hold(c.f, state->symbols));
  const ir::TensorLayout& out = state->tensors[2];
  CHECK(out.sizes == Numbers{4, 9});
  CHECK(out.strides == Numbers{9, 1});
  CHECK(out.elements() == 36);
  CHECK(state->tensors[3].sizes == Numbers{6, 4});
  CHECK(state->tensors[3].strides == Numbers{1, 8});
  CHECK(state->tensors[4].sizes == Numbers{3, 6});
  CHECK(state->tensors[4].offset == 8);
  CHECK(state->tensors[0].span() == 30);
}

TEST_CASE("checks and misfits are refused by name") {
  Call c;
  c.y = {5};
  auto state = ir::evaluate_host(c.f, c.tensors(), c.scalars);
  REQUIRE_FALSE(state.has_value());
  CHECK(state.error()[0].code == 4001);
  CHECK(state.error()[0].message == "check failed: n2 == n (5 and 6)");
  CHECK(state.error()[0].help == "one weight per column");

  c = {};
  c.x = {4};
  c.xs = {1};
  state = ir::evaluate_host(c.f, c.tensors(), c.scalars);
  REQUIRE_FALSE(state.has_value());
  CHECK(state.error()[0].code == 6003);
  CHECK(state.error()[0].message == "argument 'x' has rank 1, this kernel was traced with x[m, n]");

  c = {};
  auto wrong = c.tensors();
  wrong[0].dtype = DType::F16;
  state = ir::evaluate_host(c.f, wrong, c.scalars);
  REQUIRE_FALSE(state.has_value());
  CHECK(state.error()[0].code == 6012);

  c = {};
  c.scalars = {-7, 0};
  state = ir::evaluate_host(c.f, c.tensors(), c.scalars);
  REQUIRE_FALSE(state.has_value());
  CHECK(state.error()[0].code == 6005);

  c = {};
  c.x = {2, 6};
  state = ir::evaluate_host(c.f, c.tensors(), c.scalars);
  REQUIRE(state.has_value());
  CHECK_FALSE(ir::guards_hold(c.f, state->symbols));
}
