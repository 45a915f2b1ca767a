// SPDX-License-Identifier: Apache-2.0
// The kernel library on the CPU against the interpreter, over shapes with tails and every value of
// every parameter.
#include "library.h"
#include "session/reference.h"

#include <doctest/doctest.h>

#include "runtime/elements.h"

#include <string>
#include <vector>

namespace ph = parhelion;
using ph::Shape;

namespace {

struct Case {
  std::string kernel;
  Shape shape;
  ph::DType dtype = ph::f32;
  std::string config = {}, controls = "none", target = "cpu";
};

std::string text(const Case& c) {
  std::string s =
      c.kernel + " " + std::string(ph::name(c.dtype)) + " " + c.config + " " + c.controls;
  for (const auto& [key, value] : c.shape) s += " " + key + "=" + std::to_string(value);
  return s;
}

void check(const Case& c, ph::runtime::Distribution inputs = ph::runtime::Distribution::Normal) {
  INFO(text(c));
  const ph::ProgramKernel* kernel = ph::kernels::find(c.kernel);
  REQUIRE(kernel != nullptr);
  ph::SessionOptions options;
  options.cache = "none";
  options.target = c.target;
  options.config = *ph::Config::parse(c.config);
  options.controls = *ph::Controls::parse(c.controls);
  ph::Session session(options);
  std::vector<ph::Buffer> tensors;
  std::vector<ph::TensorView> views;
  for (const ph::ArgumentSpec& spec : kernel->arguments(c.shape, c.dtype)) {
    tensors.push_back(ph::Buffer::empty(spec.sizes, spec.dtype));
    ph::runtime::fill(tensors.back().view(), inputs, 7, tensors.size());
    views.push_back(tensors.back().view());
  }
  const auto arguments = kernel->call(views);
  auto entry = session.state().entry(ph::session::source_of(kernel->kernel), arguments);
  REQUIRE_MESSAGE(entry.has_value(), (entry ? "" : ph::render_text(entry.error())));
  auto outputs = session.state().run(**entry, arguments, {});
  REQUIRE_MESSAGE(outputs.has_value(), (outputs ? "" : ph::render_text(outputs.error())));
  const auto judged = ph::session::judge(**entry, arguments, *outputs, 3);
  REQUIRE(judged.has_value());
  CHECK_MESSAGE(judged->ok(), judged->text());
}

}  // namespace

TEST_CASE("vector_add: lengths around vectors and strips") {
  for (const std::int64_t n : {0, 1, 7, 8, 9, 31, 32, 33, 1000}) check({"vector_add", {{"N", n}}});
  check({"vector_add", {{"N", 1001}}, ph::f16});
  check({"vector_add", {{"N", 1001}}, ph::bf16});
  for (const char* config : {"block[a0]=64", "strip[l0]=1", "strip[l0]=8", "simd=16",
                             "schedule=dynamic(2) block[a0]=100"}) {
    check({"vector_add", {{"N", 1003}}, ph::f32, config});
  }
}

TEST_CASE("softmax: rows of every length class, every place for the exponentials") {
  for (const std::int64_t n : {1, 7, 8, 33, 100}) check({"softmax", {{"M", 5}, {"N", n}}});
  for (const ph::DType dtype : {ph::f32, ph::f16, ph::bf16}) {
    check({"softmax", {{"M", 3}, {"N", 77}}, dtype});
    check({"softmax", {{"M", 3}, {"N", 77}}, dtype, "reduce[a1]=recompute"});
    check({"softmax", {{"M", 3}, {"N", 77}}, dtype, "reduce[a1]=row(scratch)"});
  }
  check({"softmax", {{"M", 9}, {"N", 50}}, ph::f32, "block[a0]=1 strip[l0]=2 simd=16"});
  check({"softmax", {{"M", 4}, {"N", 65}}}, ph::runtime::Distribution::WideExponents);
  check({"softmax", {{"M", 4}, {"N", 65}}}, ph::runtime::Distribution::Specials);
}

TEST_CASE("matmul: edges of the register block and of the panels") {
  for (const std::int64_t m : {1, 5, 6, 7, 13}) {
    check({"matmul", {{"M", m}, {"N", 17}, {"K", 19}}}, ph::runtime::Distribution::SmallIntegers);
  }
  for (const std::int64_t n : {1, 15, 16, 33}) check({"matmul", {{"M", 7}, {"N", n}, {"K", 5}}});
  for (const std::int64_t k : {0, 1, 31, 32, 33}) {
    check({"matmul", {{"M", 8}, {"N", 20}, {"K", k}}, ph::f32, "kc[d0]=32"});
  }
  check({"matmul",
         {{"M", 30}, {"N", 50}, {"K", 70}},
         ph::f32,
         "register_block[d0]=4x2 mc[d0]=8 nc[d0]=32 kc[d0]=16 block[a0]=16"});
  check({"matmul", {{"M", 30}, {"N", 50}, {"K", 70}}, ph::bf16});
  check({"matmul", {{"M", 30}, {"N", 50}, {"K", 70}}, ph::f16, "kc[d0]=24"});
  check({"matmul_bias_gelu", {{"M", 13}, {"N", 35}, {"K", 20}}});
}

TEST_CASE("controls of the compiler change the code, not the numbers") {
  check({"softmax", {{"M", 3}, {"N", 77}}, ph::f32, "", "g++ opt-level=3"});
  check({"softmax", {{"M", 3}, {"N", 77}}, ph::f32, "", "g++ opt-level=1"});
}
