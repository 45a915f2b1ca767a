// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <cmath>
#include <limits>

namespace parhelion::kernels {

namespace ph = parhelion;

namespace {

const ph::Kernel kernel = ph::kernel("softmax", [](ph::Tensor x) {
  auto out = ph::empty_like(x);
  for (auto rows : ph::tile(x.size(0))) {
    auto v = ph::cast(x[rows, ph::all], ph::f32);
    auto e = ph::exp(v - ph::amax(v, 1, ph::keep_dim));
    out[rows, ph::all] = ph::cast(e / ph::sum(e, 1, ph::keep_dim), x.dtype());
  }
  return out;
});

std::vector<Buffer> reference(std::span<const TensorView> t) {
  const std::int64_t m = t[0].size(0), n = t[0].size(1);
  Buffer out = Buffer::empty({m, n}, f64);
  double* o = out.span<double>().data();
  for (std::int64_t i = 0; i < m; ++i) {
    double top = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const double v = element(t[0], {i, j});
      top = std::isnan(v) || v > top ? v : top;
    }
    for (std::int64_t j = 0; j < n; ++j) {
      o[i * n + j] = std::exp(element(t[0], {i, j}) - top);
      sum += o[i * n + j];
    }
    for (std::int64_t j = 0; j < n; ++j) o[i * n + j] /= sum;
  }
  return {out};
}

}  // namespace

LibraryKernel softmax() {
  LibraryKernel k("softmax over the last axis, f32 inside", kernel);
  k.default_shape = {{"M", 2048}, {"N", 3584}};
  k.default_dtype = f16;
  k.reference = reference;
  k.arguments = [](const Shape& s, DType dtype) {
    return std::vector<ArgumentSpec>{{"x", dtype, {s.at("M"), s.at("N")}}};
  };
  k.call = [](std::span<const TensorView> t) { return decltype(kernel)::list(t[0]); };
  k.bytes = [](const Shape& s, DType dtype) {
    return 2.0 * static_cast<double>(s.at("M") * s.at("N")) * size_bytes(dtype);
  };
  k.flops = [](const Shape& s, DType) { return 5.0 * static_cast<double>(s.at("M") * s.at("N")); };
  return k;
}

}  // namespace parhelion::kernels
