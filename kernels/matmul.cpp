// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <cmath>
#include <vector>

namespace parhelion::kernels {

namespace ph = parhelion;

namespace {

const ph::Kernel kernel =
    ph::kernel("matmul", [](ph::Tensor a, ph::Tensor b, ph::Epilogue epilogue) {
      auto [m, k] = a.sizes<2>();
      auto [k2, n] = b.sizes<2>();
      ph::check(k2 == k, "the rows of b are the columns of a");
      auto out = ph::empty({m, n}, a.dtype());
      for (auto [tm, tn] : ph::tile(m, n)) {
        ph::Value acc = ph::zeros({tm, tn}, ph::f32);
        for (auto tk : ph::tile(k)) acc = ph::dot(a[tm, tk], b[tk, tn], acc);
        out[tm, tn] = ph::cast(epilogue(acc, tm, tn), out.dtype());
      }
      return out;
    });

constexpr auto bias_gelu = [](ph::Value acc, ph::Tile, ph::Tile tn, ph::Tensor bias) {
  return ph::gelu(acc + ph::cast(bias[tn], ph::f32));
};

/// a x b in f64, row by row: contiguous inner loops.
std::vector<double> product(const TensorView& a, const TensorView& b) {
  const std::int64_t m = a.size(0), depth = a.size(1), n = b.size(1);
  std::vector<double> bd(static_cast<std::size_t>(depth * n)), c(static_cast<std::size_t>(m * n));
  for (std::int64_t p = 0; p < depth; ++p) {
    for (std::int64_t j = 0; j < n; ++j)
      bd[static_cast<std::size_t>(p * n + j)] = element(b, {p, j});
  }
  for (std::int64_t i = 0; i < m; ++i) {
    double* row = c.data() + i * n;
    for (std::int64_t p = 0; p < depth; ++p) {
      const double x = element(a, {i, p});
      const double* br = bd.data() + p * n;
      for (std::int64_t j = 0; j < n; ++j) row[j] += x * br[j];
    }
  }
  return c;
}

Buffer to_buffer(const std::vector<double>& values, std::int64_t m, std::int64_t n) {
  Buffer out = Buffer::empty({m, n}, f64);
  std::copy(values.begin(), values.end(), out.span<double>().data());
  return out;
}

std::vector<ArgumentSpec> operands(const Shape& s, DType dtype) {
  return {{"a", dtype, {s.at("M"), s.at("K")}}, {"b", dtype, {s.at("K"), s.at("N")}}};
}

double operand_bytes(const Shape& s, DType dtype) {
  const std::int64_t m = s.at("M"), n = s.at("N"), k = s.at("K");
  return static_cast<double>(m * k + k * n + m * n) * size_bytes(dtype);
}

double product_flops(const Shape& s, DType) {
  return 2.0 * static_cast<double>(s.at("M")) * static_cast<double>(s.at("N")) *
         static_cast<double>(s.at("K"));
}

}  // namespace

LibraryKernel matmul() {
  LibraryKernel k("epilogue(a x b), f32 accumulator", kernel);
  k.default_shape = {{"M", 1024}, {"N", 1024}, {"K", 1024}};
  k.default_dtype = f32;
  k.arguments = operands;
  k.bytes = operand_bytes;
  k.flops = product_flops;
  k.call = [](std::span<const TensorView> t) { return decltype(kernel)::list(t[0], t[1]); };
  k.reference = [](std::span<const TensorView> t) {
    return std::vector<Buffer>{to_buffer(product(t[0], t[1]), t[0].size(0), t[1].size(1))};
  };
  return k;
}

LibraryKernel matmul_bias_gelu() {
  LibraryKernel k = matmul();
  k.name = "matmul_bias_gelu";
  k.summary = "gelu(a x b + bias): matmul with an epilogue that reads a bound tensor";
  k.arguments = [](const Shape& s, DType dtype) {
    auto list = operands(s, dtype);
    list.push_back({"bias", dtype, {s.at("N")}});
    return list;
  };
  k.call = [](std::span<const TensorView> t) {
    return decltype(kernel)::list(t[0], t[1], ph::bind(bias_gelu, t[2]));
  };
  k.reference = [](std::span<const TensorView> t) {
    const std::int64_t m = t[0].size(0), n = t[1].size(1);
    std::vector<double> c = product(t[0], t[1]);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        double& v = c[static_cast<std::size_t>(i * n + j)];
        v += element(t[2], {j});
        v = 0.5 * v * (1.0 + std::erf(v / std::sqrt(2.0)));
      }
    }
    return std::vector<Buffer>{to_buffer(c, m, n)};
  };
  return k;
}

}  // namespace parhelion::kernels
