// SPDX-License-Identifier: Apache-2.0
// Kernels of every kind of op, emulated thread by thread and judged by the interpreter: tails on
// every axis, primes, misaligned pointers and pitches, chunks, rings, computed operands.
#include "emulated_kernel.h"

#include "base/files.h"
#include "base/text.h"

#include <doctest/doctest.h>

using namespace cuda_test;
using parhelion::DType;

namespace {

/// `arguments`: "f32:70x36 f16:9@1", sizes and elements before the first one.
struct Case {
  const char* kernel;
  const char* config;
  const char* arguments;
  Fill fill = Fill::Normal;
};

TensorData argument(std::string_view text, std::uint64_t seed, Fill fill) {
  const auto colon = text.find(':'), at = text.find('@');
  const DType dtype = *parhelion::parse_dtype(text.substr(0, colon));
  std::vector<std::int64_t> sizes;
  for (const auto size :
       parhelion::split(text.substr(colon + 1, at == text.npos ? at : at - colon - 1), 'x')) {
    sizes.push_back(*parhelion::parse_integer(size));
  }
  const std::int64_t offset = at == text.npos ? 0 : *parhelion::parse_integer(text.substr(at + 1));
  return random_tensor(dtype, sizes, seed, fill, {}, offset);
}

const Case cases[] = {
    {"vector_add", "block[a0]=256 warps=2", "f32:1000 f32:1000"},
    {"vector_add", "block[a0]=1024 warps=4", "f32:4097@1 f32:4097"},
    {"vector_add", "block[a0]=1024 warps=4", "f32:1 f32:1"},
    {"vector_add", "block[a0]=1024 warps=4", "f32:0 f32:0"},
    {"softmax", "block[a0]=4 warps=4", "f16:9x72"},
    {"softmax", "block[a0]=1 warps=8", "f16:5x4099"},
    {"softmax", "block[a0]=2 warps=4", "f16:3x3584"},
    {"softmax", "block[a0]=2 warps=2 reduce[a1]=64", "f16:3x197"},
    {"softmax", "block[a0]=1 warps=4 reduce[a1]=1024", "f16:2x5000"},
    {"softmax", "block[a0]=16 warps=1", "f16:33x1"},
    {"softmax", "block[a0]=2 warps=4", "f16:8x200", Fill::Special},
    {"softmax", "block[a0]=4 warps=4", "f16:4x0"},
    {"softmax", "block[a0]=4 warps=4", "f16:0x64"},
    {"matmul", "block[a0]=64 block[a1]=64 block[a2]=32 warps=4 stages[l1]=3",
     "bf16:100x72 bf16:72x136"},
    {"matmul", "block[a0]=64 block[a1]=64 block[a2]=64 warps=4 stages[l1]=4 group[l0]=2",
     "bf16:200x320 bf16:320x136", Fill::SmallIntegers},
    {"matmul", "block[a0]=16 block[a1]=16 block[a2]=16 warps=1 stages[l1]=1",
     "bf16:17x33 bf16:33x19"},
    {"matmul", "block[a0]=128 block[a1]=32 block[a2]=128 warps=4 stages[l1]=2 warp_grid[d0]=4x1",
     "bf16:130x130 bf16:130x64"},
    {"matmul_f32", "block[a0]=64 block[a1]=64 block[a2]=32 warps=4", "f32:70x36 f32:36x132"},
    {"matmul_f32", "block[a0]=64 block[a1]=64 block[a2]=32 warps=4", "f32:33x35 f32:35x31"},
    {"matmul_epilogue", "block[a0]=64 block[a1]=128 block[a2]=64 warps=8 stages[l1]=2",
     "f16:100x136 f16:136x200 f32:200 f16:100x200"},
    {"matmul_epilogue", "block[a0]=32 block[a1]=32 block[a2]=16 warps=1 stages[l1]=4",
     "f16:65x100 f16:100x66 f32:66 f16:65x66"},
    {"matmul_transposed", "block[a0]=64 block[a1]=64 block[a2]=32 warps=4", "f16:72x136 f16:56x72"},
    {"matmul_transposed", "block[a0]=64 block[a1]=64 block[a2]=32 warps=4", "f16:45x67 f16:51x45"},
    {"dot_computed", "block[a0]=64 block[a1]=64 block[a2]=32 warps=4", "f32:70x100 f16:100x72"},
    {"dot_full", "block[a0]=32 block[a1]=64 warps=4", "f16:70x100 f16:100x72"},
    {"rms_norm", "block[a0]=2 warps=4", "bf16:7x1000 bf16:1000"},
    {"rms_norm", "block[a0]=1 warps=2 reduce[a1]=256", "bf16:3x1001 bf16:1001"},
    {"transpose", "block[a0]=32 block[a1]=32 warps=4", "f32:50x70"},
    {"loop_sum", "block[a0]=16 block[a1]=64 warps=4", "f32:50x170"},
    {"outer_difference", "block[a0]=16 block[a1]=32 warps=4", "f32:50"},
    {"twice_same_axis", "block[a0]=16 warps=4", "f32:40x33"},
    {"while_if", "block[a0]=4 warps=4", "f32:10x33"},
    {"gather", "block[a0]=4 warps=4", "f32:4x33 i32:9"},
    {"shifted", "block[a0]=128 warps=4", "f32:500"},
    {"batched", "block[a0]=1 warps=4", "f16:3x12x40"},
    {"two_roots", "warps=4", "f32:30x50"},
    {"store_then_load", "block[a0]=4 warps=4", "f32:10x70"},
    {"read_after_overwrite", "block[a0]=2 warps=4", "f32:10x70"},
    {"read_after_overwrite", "block[a0]=1 warps=1 reduce[a1]=64", "f32:10x700"},
    {"column_sum", "block[a0]=32 warps=4", "f32:100x70"},
    {"half_chain", "block[a0]=512 warps=4", "bf16:1003 bf16:1003"},
    {"integers", "block[a0]=4 warps=2", "i32:10x37"},
};

}  // namespace

TEST_CASE("emulated kernels are inside the interpreter's bounds") {
  const parhelion::fs::path folder =
      parhelion::fs::path(PH_SOURCE_DIR) / "tests/numeric/cuda/kernels";
  for (const Case& c : cases) {
    CAPTURE(c.kernel);
    CAPTURE(c.config);
    CAPTURE(c.arguments);
    const auto text = parhelion::read_file(folder / (std::string(c.kernel) + ".ph"));
    REQUIRE(text.has_value());
    const auto function = parse_kernel(*text);
    std::vector<TensorData> tensors;
    for (const auto a : parhelion::split(c.arguments, ' ')) {
      tensors.push_back(argument(a, 100 + tensors.size(), c.fill));
    }
    const std::vector<parhelion::interp::Scalar> scalars(function.scalars.size(), {1e-5, 0});
    const std::string wrong = judge(function, c.config, tensors, scalars);
    CHECK_MESSAGE(wrong.empty(), wrong);
  }
}
