// SPDX-License-Identifier: Apache-2.0
// One broken function per rule of the verifier.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "example_texts.h"
#include "ir/tile/function.h"

using namespace parhelion;

namespace {

ir::Function good(std::string_view text) {
  auto parsed = ir::parse(text, "k.ph");
  REQUIRE(parsed.has_value());
  return std::move(parsed->front());
}

ir::OpId find(const ir::Function& f, ir::OpCode code) {
  for (std::size_t i = 0; i < f.ops.size(); ++i) {
    if (f.ops[i].code == code) return ir::OpId(i);
  }
  return {};
}

void broken(std::string_view text, const std::function<void(ir::Function&)>& change, int code,
            std::string_view message) {
  ir::Function f = good(text);
  REQUIRE(ir::verify(f).empty());
  change(f);
  const Diagnostics found = ir::verify(f);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].code == code);
  CHECK(found[0].message == message);
}

int parse_code(const std::string& text) {
  const auto parsed = ir::parse(text, "k.ph");
  REQUIRE_FALSE(parsed.has_value());
  return parsed.error()[0].code;
}

}  // namespace

TEST_CASE("structure") {
  using ir::OpCode;
  const auto& s = test::softmax_text;
  broken(
      s, [](ir::Function& f) { f.region(f.body).ops.clear(); }, 1204,
      "kernel 'softmax' has no tile loop");
  broken(
      s,
      [](ir::Function& f) {
        f.op(find(f, OpCode::Exp)).operands[0] = f.op(find(f, OpCode::Div)).results[0];
      },
      5004, "an operand of 'exp' is not defined before it");
  broken(
      s,
      [](ir::Function& f) {
        f.op(find(f, OpCode::Exp)).results[0] = f.op(find(f, OpCode::Sub)).results[0];
      },
      5004, "a value is defined twice");
  broken(
      s, [](ir::Function& f) { f.values[2].type.dtype = DType::F64; }, 5003,
      "written type f64[rows, 1], inferred f32[rows, 1]");
  broken(
      s,
      [](ir::Function& f) {
        auto& ops = f.region(f.op(find(f, OpCode::Grid)).regions[0]).ops;
        ops.pop_back();
      },
      5004, "a region does not end in 'yield'");
  broken(
      s,
      [](ir::Function& f) {
        auto& ops = f.region(f.op(find(f, OpCode::Grid)).regions[0]).ops;
        ops.erase(ops.begin(), ops.end() - 1);
      },
      5004, "a grid with an empty body");
  broken(
      s, [](ir::Function& f) { f.op(find(f, OpCode::Grid)).regions.clear(); }, 5004,
      "'grid' has 0 regions");
  broken(
      s,
      [](ir::Function& f) {
        f.axes[f.axes.size() - 1].loop = ir::OpId(7u);
        for (auto& a : f.axes)
          if (a.kind == ir::AxisKind::Tile) a.loop = ir::OpId(7u);
      },
      5004, "a loop and its axis do not name each other");
  broken(
      s,
      [](ir::Function& f) {
        auto& ops = f.region(f.op(find(f, OpCode::Grid)).regions[0]).ops;
        f.region(f.body).ops.push_back(ops[1]);
      },
      5004, "'cast' outside of every grid");
}

TEST_CASE("carried values") {
  const auto& m = test::matmul_text;
  broken(
      m,
      [](ir::Function& f) {
        f.region(f.op(find(f, ir::OpCode::For)).regions[0]).arguments.clear();
      },
      5004, "a region has 0 arguments, 1 values are carried");
  broken(
      m,
      [](ir::Function& f) {
        const ir::RegionId body = f.op(find(f, ir::OpCode::For)).regions[0];
        f.op(f.region(body).ops.back()).operands = {f.op(find(f, ir::OpCode::Load)).results[0]};
      },
      3003, "a carried value enters the loop as f32[tm, tn] and leaves as bf16[tm, tk]");
}

TEST_CASE("memory") {
  using ir::OpCode;
  const auto& s = test::softmax_text;
  broken(
      s,
      [](ir::Function& f) {
        std::get<ir::Access>(f.op(find(f, OpCode::Load)).payload).site = ir::SiteId(1u);
      },
      5004, "site ids are not dense and unique");
  broken(
      s, [](ir::Function& f) { f.sites = 3; }, 5004, "no access has site 2");
  broken(
      s,
      [](ir::Function& f) {
        std::get<ir::Access>(f.op(find(f, OpCode::Load)).payload).axes.pop_back();
      },
      5004, "the axes of a place are not those of its subscripts");
  broken(
      s, [](ir::Function& f) { f.op(find(f, OpCode::Store)).where = {}; }, 5004,
      "a store without a location");
}

TEST_CASE("host part") {
  const auto& s = test::softmax_text;
  broken(
      s, [](ir::Function& f) { f.host.clear(); }, 5004, "tensor 'out' is made 0 times");
  broken(
      s, [](ir::Function& f) { f.tensors[0].strides.pop_back(); }, 5004,
      "sizes and strides differ in number");
  broken(
      s, [](ir::Function& f) { f.tensors[0].sizes[1] = f.tensors[0].sizes[0]; }, 5004,
      "dimension 1 of parameter 'x' is not a symbol of its own");
  broken(
      s, [](ir::Function& f) { f.returns.push_back(ir::TensorId(9u)); }, 5004,
      "a returned tensor does not exist");
}

TEST_CASE("rules that a text can break") {
  const auto kernel = [](std::string_view rest) {
    return "parhelion 1\nkernel k(@x: f32[m, n], @w: f32[n]) {\n  @e = expand @w [m, n]\n"
           "  @out = empty f32[m, n]\n" +
           std::string(rest) + "}\n";
  };
  const std::string copy = "%v = load @x[i, :n] : f32[i, :n]\nstore @out[i, :n], %v\n";
  const std::string first = "grid i in m {\n" + copy + "}\n";
  CHECK(ir::parse(kernel(first), "k.ph").has_value());
  CHECK(parse_code(kernel("grid i in m {\n}\n")) == 5004);
  CHECK(parse_code(kernel(
            "grid i in m {\n%v = load @x[i, :m] : f32[i, :m]\nstore @x[i, 0], %s\n}\n")) == 5002);
  CHECK(parse_code(kernel(
            "grid i in m {\n%v = load @x[i, :m] : f32[i, :m]\nstore @e[i, :m], %v\n}\n")) == 2005);
  CHECK(parse_code(kernel(
            "grid i in m {\n%v = load @x[i, :n] : f32[i, :n]\nstore @e[i, :n], %v\n}\n")) == 2006);
  CHECK(parse_code(kernel("grid i in 8..4 {\n" + copy + "}\n")) == 1207);
  CHECK(
      parse_code(kernel(
          first + "grid j in m {\n%q = load @out[j, :n] : f32[j, :n]\nstore @x[j, :n], %q\n}\n")) ==
      1211);
  CHECK(ir::parse(kernel(first + "barrier\ngrid j in m {\n%q = load @out[j, :n] : f32[j, "
                                 ":n]\nstore @x[j, :n], %q\n}\n"),
                  "k")
            .has_value());
  CHECK(parse_code(kernel("b = block 8..4\n" + first)) == 4006);
}

TEST_CASE("a tile is not used after its loop") {
  ir::Function f = good(test::matmul_text);
  // Move the tk loop's load behind the loop: its value is defined, its axis has ended.
  const ir::OpId load = find(f, ir::OpCode::Load);
  const ir::RegionId outer = f.op(find(f, ir::OpCode::Grid)).regions[0];
  ir::Op copy = f.op(load);
  copy.results.clear();
  std::get<ir::Access>(copy.payload).site = ir::SiteId(3u);
  f.sites = 4;
  const ir::OpId moved = f.append(outer, std::move(copy), {f.type(f.op(load).results[0])});
  auto& ops = f.region(outer).ops;
  std::swap(ops[ops.size() - 1], ops[ops.size() - 2]);
  const Diagnostics found = ir::verify(f);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].code == 1208);
  CHECK(found[0].message == "tile 'tk' is used after its loop");
  (void)moved;
}

TEST_CASE("barriers stand between roots") {
  ir::Function f = good(test::softmax_text);
  ir::Op barrier;
  barrier.code = ir::OpCode::Barrier;
  const ir::RegionId inner = f.op(find(f, ir::OpCode::Grid)).regions[0];
  f.append(inner, std::move(barrier), {});
  auto& ops = f.region(inner).ops;
  std::swap(ops[ops.size() - 1], ops[ops.size() - 2]);
  const Diagnostics found = ir::verify(f);
  REQUIRE_FALSE(found.empty());
  CHECK(found[0].code == 1210);
}
