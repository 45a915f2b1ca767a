// SPDX-License-Identifier: Apache-2.0
// Tile IR and a configuration in, Plan and CUDA text out: the difference is what a review reads.
#include "support/golden.h"
#include "../../numeric/cuda/emulated_kernel.h"
#include "base/files.h"
#include "base/subprocess.h"

#include <doctest/doctest.h>

using namespace cuda_test;
using parhelion::DType;

namespace {

struct Golden {
  const char* name;
  const char* kernel;
  const char* config;
  std::vector<std::pair<DType, std::vector<std::int64_t>>> arguments;
};

const Golden goldens[] = {
    {"vector_add",
     "vector_add",
     "block[a0]=1024 warps=4",
     {{DType::F32, {4096}}, {DType::F32, {4096}}}},
    {"softmax_resident",
     "softmax",
     "block[a0]=2 warps=4 reduce[a1]=resident",
     {{DType::F16, {16, 3584}}}},
    {"softmax_chunks",
     "softmax",
     "block[a0]=1 warps=4 reduce[a1]=2048",
     {{DType::F16, {16, 65536}}}},
    {"softmax_prime", "softmax", "block[a0]=4 warps=4", {{DType::F16, {16, 131}}}},
    {"matmul_ring",
     "matmul",
     "block[a0]=128 block[a1]=128 block[a2]=32 group[l0]=8 warps=8 stages[l1]=4",
     {{DType::BF16, {512, 512}}, {DType::BF16, {512, 512}}}},
    {"matmul_fma",
     "matmul_f32",
     "block[a0]=64 block[a1]=64 block[a2]=32 warps=4 stages[l1]=3",
     {{DType::F32, {256, 256}}, {DType::F32, {256, 256}}}},
};

const parhelion::fs::path source = parhelion::fs::path(PH_SOURCE_DIR) / "tests";

Compiled compile(const Golden& g) {
  const auto text =
      parhelion::read_file(source / "numeric/cuda/kernels" / (std::string(g.kernel) + ".ph"));
  REQUIRE(text.has_value());
  std::vector<TensorData> tensors;
  std::vector<parhelion::TensorView> views;
  for (const auto& [dtype, sizes] : g.arguments) tensors.push_back(random_tensor(dtype, sizes, 1));
  for (TensorData& t : tensors) views.push_back(t.view());
  return compile_cuda(parse_kernel(*text), g.config, views);
}

}  // namespace

TEST_CASE("plans and texts of the CUDA backend") {
  for (const Golden& g : goldens) {
    CAPTURE(g.name);
    const Compiled compiled = compile(g);
    const std::string name = g.name;
    parhelion::test::check_golden(source / "golden/cuda" / (name + ".plan"), compiled.plan);
    parhelion::test::check_golden(source / "golden/cuda" / (name + ".cu"), compiled.text);
    const std::string once = parhelion::ir::kernel::print(compiled.module);
    const auto again = parhelion::ir::kernel::parse(once, "golden");
    REQUIRE(again.has_value());
    CHECK(parhelion::ir::kernel::print(*again) == once);
  }
}

TEST_CASE("clang-format changes nothing in the texts") {
  if (!parhelion::find_program("clang-format")) {
    MESSAGE("SKIPPED: no clang-format");
    return;
  }
  for (const Golden& g : goldens) {
    CAPTURE(g.name);
    const std::string text = compile(g).text;
    parhelion::Command command;
    command.arguments = {"clang-format", "--assume-filename=" + (source / "k.cu").string()};
    command.input = text;
    const auto formatted = parhelion::run(command);
    REQUIRE(formatted.has_value());
    CHECK(formatted->output == text);
  }
}
