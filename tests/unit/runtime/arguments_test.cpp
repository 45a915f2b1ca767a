// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "runtime/arguments.h"

#include <array>
#include <bit>

namespace parhelion::runtime {
namespace {

SizeProgram program(std::string_view text) { return SizeProgram::parse(text).value(); }

/// out[m, n] = f(x[m, n], number), in tiles of 4 rows.
LaunchFacts row_facts() {
  LaunchFacts facts;
  facts.symbols = {{CallSymbol::Kind::Size, 0, 0}, {CallSymbol::Kind::Stride, 0, 0}};
  using Kind = LaunchParameter::Kind;
  facts.parameters = {
      {.kind = Kind::Pointer,
       .name = "x",
       .dtype = DType::F32,
       .tensor = 0,
       .value = SizeProgram::constant(3)},
      {.kind = Kind::Pointer,
       .name = "out",
       .dtype = DType::F32,
       .tensor = 1,
       .written = true,
       .value = SizeProgram::constant(0)},
      {.kind = Kind::Integer, .name = "m", .value = program("s0")},
      {.kind = Kind::Integer, .name = "pitch", .bytes = 4, .value = program("s1")},
      {.kind = Kind::Scalar, .name = "eps", .dtype = DType::F32, .value = SizeProgram::constant(0)},
      {.kind = Kind::Workspace, .name = "panels", .value = SizeProgram::constant(0)},
      {.kind = Kind::Scratch, .name = "scratch", .value = SizeProgram::constant(0)},
  };
  facts.phases = {{.entry = "f", .programs = program("s0 4 ceildiv")}};
  facts.workspace_bytes = program("s0 8 *");
  facts.scratch_bytes = SizeProgram::constant(256);
  return facts;
}

TEST_CASE("slots hold what each parameter stands for") {
  std::array<float, 64> x{}, out{};
  const std::array tensors = {TensorView(x.data(), DType::F32, {6, 5}, {7, 1}),
                              TensorView(out.data(), {6, 5})};
  const std::array scalars = {ScalarValue{true, 0.5, 0}};
  const auto call = bind_call(row_facts(), tensors, scalars);
  REQUIRE(call.has_value());
  const auto& slots = call->image.slots;
  REQUIRE(slots.size() == 7);
  CHECK(slots[0] == reinterpret_cast<std::uint64_t>(x.data() + 3));
  CHECK(slots[1] == reinterpret_cast<std::uint64_t>(out.data()));
  CHECK(slots[2] == 6);
  CHECK(slots[3] == 7);
  CHECK(slots[4] == std::bit_cast<std::uint32_t>(0.5f));
  CHECK(call->image.workspace_slot == 5);
  CHECK(call->image.scratch_slot == 6);
  CHECK(call->image.workspace_bytes == 48);
  CHECK(call->image.scratch_bytes == 256);
  CHECK(call->programs == std::vector<std::int64_t>{2});
}

TEST_CASE("pointers are patched, offsets kept") {
  std::array<float, 64> a{}, b{}, c{};
  const std::array tensors = {TensorView(a.data(), {6, 5}), TensorView(b.data(), {6, 5})};
  const std::array scalars = {ScalarValue{true, 0.5, 0}};
  auto call = bind_call(row_facts(), tensors, scalars).value();
  const std::array<void*, 2> moved = {c.data(), a.data()};
  call.image.patch(call.image.slots.data(), moved);
  CHECK(call.image.slots[0] == reinterpret_cast<std::uint64_t>(c.data() + 3));
  CHECK(call.image.slots[1] == reinterpret_cast<std::uint64_t>(a.data()));
}

TEST_CASE("calls that do not fit are refused with the reason") {
  std::array<float, 64> x{};
  std::array<TensorView, 2> tensors = {TensorView(x.data(), {6, 5}), TensorView(x.data(), {6, 5})};
  const std::array scalars = {ScalarValue{true, 0.5, 0}};
  const LaunchFacts facts = row_facts();
  const auto message = [](const Result<BoundCall>& r) {
    CHECK(r.error()[0].code == 8503);
    return r.error()[0].message;
  };
  CHECK(message(bind_call(facts, std::span(tensors).first(1), scalars)) ==
        "parameter 'out' needs tensor 1, the call has 1");
  CHECK(message(bind_call(facts, {}, scalars)) == "the launch needs tensor 0, the call has 0");
  CHECK(message(bind_call(facts, tensors, {})) == "parameter 'eps' needs scalar 0, the call has 0");
  tensors[1].read_only = true;
  CHECK(message(bind_call(facts, tensors, scalars)) ==
        "'out' is written, and its tensor is read-only");
  tensors[1] = TensorView(x.data(), DType::F16, {6, 5});
  CHECK(message(bind_call(facts, tensors, scalars)) ==
        "parameter 'out' is f32, its tensor f16[6,5]");
  tensors[0] = TensorView(x.data(), DType::F32, {6, 5}, {1LL << 31, 1});
  CHECK(message(bind_call(facts, tensors, scalars)).starts_with("parameter 'out'"));
  tensors[1] = TensorView(x.data(), {6, 5});
  CHECK(message(bind_call(facts, tensors, scalars)) ==
        "parameter 'pitch' is 2147483648, which needs more than 32 bits");
  LaunchFacts scalar_symbol = facts;
  scalar_symbol.symbols.push_back({CallSymbol::Kind::Scalar, 2, 0});
  CHECK(message(bind_call(scalar_symbol, tensors, scalars)) ==
        "the launch needs scalar 2, the call has 1");
  LaunchFacts deep = facts;
  deep.symbols[0].dimension = 2;
  CHECK(message(bind_call(deep, tensors, scalars)).starts_with("the launch needs dimension 2"));
}

TEST_CASE("scalars have the dtype of their parameter") {
  LaunchFacts facts;
  const auto slot = [&](DType dtype, ScalarValue value) -> Result<std::uint64_t> {
    facts.parameters = {{.kind = LaunchParameter::Kind::Scalar,
                         .name = "s",
                         .dtype = dtype,
                         .value = SizeProgram::constant(0)}};
    auto call = bind_call(facts, {}, std::span(&value, 1));
    if (!call) return std::unexpected(call.error());
    return call->image.slots[0];
  };
  CHECK(slot(DType::F64, {false, 3, 3}).value() == std::bit_cast<std::uint64_t>(3.0));
  CHECK(slot(DType::I64, {false, -1, -1}).value() == ~0ull);
  CHECK(slot(DType::I32, {false, -1, -1}).value() == 0xffffffffull);
  const auto refused = slot(DType::I64, {true, 0.5, 0});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error()[0].message == "parameter 's' is i64, the call gives a float");
}

}  // namespace
}  // namespace parhelion::runtime
