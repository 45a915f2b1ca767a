// SPDX-License-Identifier: Apache-2.0
#include "ir/kernel/module.h"

#include <doctest/doctest.h>

namespace kernel = parhelion::ir::kernel;
using kernel::Builder;
using kernel::OpCode;
using kernel::Space;
using kernel::Type;
using kernel::ValueId;
using parhelion::DType;

namespace {

/// The text of the functions of a module.
std::string body_of(const kernel::Module& module) {
  const std::string text = kernel::print(module);
  return text.substr(text.find("\nfunction") + 1);
}

}  // namespace

TEST_CASE("index arithmetic folds while it is built") {
  kernel::Module module;
  Builder b(module);
  const ValueId first = b.entry_value(Type{}, "first");
  b.open_function("f", true);
  const ValueId zero = b.integer(0), one = b.integer(1), six = b.integer(6), seven = b.integer(7);
  const auto value = [&](ValueId id) {
    return module.op(module.value(id).defined_by).integer("value", -99);
  };
  CHECK(b.binary(OpCode::Add, first, zero) == first);
  CHECK(b.binary(OpCode::Add, zero, first) == first);
  CHECK(b.binary(OpCode::Sub, first, zero) == first);
  CHECK(b.binary(OpCode::Mul, one, first) == first);
  CHECK(b.binary(OpCode::Mul, first, zero) == zero);
  CHECK(b.binary(OpCode::Div, first, one) == first);
  CHECK(b.offset(b.bitcast(first, Type{}), zero) == first);
  CHECK(value(b.binary(OpCode::Rem, first, one)) == 0);
  CHECK(value(b.binary(OpCode::Mul, six, seven)) == 42);
  CHECK(value(b.binary(OpCode::FloorDiv, b.integer(-7), b.integer(2))) == -4);
  CHECK(value(b.binary(OpCode::FloorMod, b.integer(-7), b.integer(2))) == 1);
  CHECK(value(b.binary(OpCode::MinNumber, six, seven)) == 6);
  CHECK(value(b.binary(OpCode::MaxNumber, six, seven)) == 7);
  // No folding where the number would not fit, nor over a name.
  const ValueId large = b.integer(2'000'000'000, DType::I32);
  const ValueId sum = b.binary(OpCode::Add, large, large);
  CHECK(module.op(module.value(sum).defined_by).code == OpCode::Add);
  const ValueId lanes = b.constant("lanes", 8);
  const ValueId strip = b.binary(OpCode::Mul, six, lanes);
  CHECK(module.op(module.value(strip).defined_by).code == OpCode::Mul);
  CHECK(b.binary(OpCode::Add, lanes, zero) == lanes);
  b.close();
  CHECK(module.constants.size() == 1);
  CHECK(kernel::verify(module).empty());
}

TEST_CASE("types are inferred and regions closed") {
  kernel::Module module;
  module.target = "cpu x86-64-v3";
  Builder b(module);
  parhelion::LaunchParameter parameter;
  parameter.name = "x row";
  parameter.written = true;
  const ValueId x = b.parameter(parameter, Type{.element = DType::F32, .pointer = Space::Global});
  const ValueId first = b.entry_value(Type{}, "first");
  const ValueId last = b.entry_value(Type{}, "last");
  b.open_function("scale", true);
  b.at({0, 4, 2});
  const ValueId one = b.integer(1);
  const ValueId sum = b.name(b.number(0), "s");
  b.open_for(first, last, one, {sum}, "row");
  const ValueId v = b.load(b.offset(x, b.loop_index()), 8);
  const ValueId small = b.compare(OpCode::Lt, v, b.splat(b.number(1), 8));
  const ValueId kept = b.select(small, v, b.math("exp", v));
  b.store(x, b.fma(kept, kept, v));
  const ValueId wide = b.convert(b.load(x), DType::F64);
  CHECK(module.type(wide) == Type{.element = DType::F64});
  b.open_if(b.compare(OpCode::Gt, b.loop_index(), one));
  b.label("only some");
  b.close();
  const auto results = b.close({b.binary(OpCode::Add, b.carried(0), b.load(x))});
  REQUIRE(results.size() == 1);
  b.open_while({one});
  b.condition(b.compare(OpCode::Lt, module.region(kernel::RegionId(4u)).arguments[0], last));
  b.close({b.binary(OpCode::Add, b.carried(0), one)});
  b.store(x, results[0]);
  b.close();
  for (const auto& d : kernel::verify(module)) FAIL_CHECK(d.message);
  CHECK(body_of(module) == R"(function scale entry () {
  %0 = const 1 : i64 @0:4:2
  %s = const 0.0 : f32 @0:4:2
  %1 = for %first, %last, %0, %s : f32 @0:4:2 (%row : i64, %s.1 : f32) {
    %2 = offset %x_row, %row : ptr<global, f32> @0:4:2
    %3 = load %2 : f32x8 @0:4:2
    %4 = const 1.0 : f32 @0:4:2
    %5 = splat %4 : f32x8 @0:4:2
    %6 = lt %3, %5 : boolx8 @0:4:2
    %7 = math %3 : f32x8 {function = "exp"} @0:4:2
    %8 = select %6, %3, %7 : f32x8 @0:4:2
    %9 = fma %8, %8, %3 : f32x8 @0:4:2
    store %x_row, %9 @0:4:2
    %10 = load %x_row : f32 @0:4:2
    %11 = convert %10 : f64 @0:4:2
    %12 = gt %row, %0 : bool @0:4:2
    if %12 @0:4:2 () {
      label {text = "only some"} @0:4:2
      yield @0:4:2
    } () {
      yield @0:4:2
    }
    %13 = load %x_row : f32 @0:4:2
    %14 = add %s.1, %13 : f32 @0:4:2
    yield %14 @0:4:2
  }
  %2 = while %0 : i64 @0:4:2 (%3 : i64) {
    %4 = lt %3, %last : bool @0:4:2
    condition %4 @0:4:2
  } (%3 : i64) {
    %4 = add %3, %0 : i64 @0:4:2
    yield %4 @0:4:2
  }
  store %x_row, %1 @0:4:2
}
)");
}

TEST_CASE("an if gives values, a call takes arrays by reference") {
  kernel::Module module;
  module.target = "cpu x86-64-v3";
  Builder b(module);
  const ValueId first = b.entry_value(Type{}, "first");
  const Type array{.element = DType::F32, .lanes = 8, .count = 4};
  b.open_function("clear", false, {{array, "acc"}});
  const ValueId acc = module.functions[0].parameters[0];
  b.open_each(4, "i");
  b.set(acc, b.splat(b.number(0), 8), b.loop_index());
  b.close();
  b.close();
  b.open_function("f", true);
  const ValueId mine = b.var(array, "mine", b.splat(b.number(1), 8));
  b.call("clear", {mine});
  b.open_if(b.compare(OpCode::Eq, first, b.integer(0)), {Type{.element = DType::F32}});
  b.otherwise({b.number(1)});
  const auto chosen = b.close({b.number(2)});
  const ValueId scalar = b.var(Type{.element = DType::F32}, "scalar");
  b.set(scalar, chosen[0]);
  CHECK(module.type(b.get(scalar)) == Type{.element = DType::F32});
  CHECK(module.type(b.get(mine, b.integer(3))) == Type{.element = DType::F32, .lanes = 8});
  b.close();
  for (const auto& d : kernel::verify(module)) FAIL_CHECK(d.message);
}
