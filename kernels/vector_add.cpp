// SPDX-License-Identifier: Apache-2.0
#include "library.h"

namespace parhelion::kernels {

namespace ph = parhelion;

namespace {

const ph::Kernel kernel = ph::kernel("vector_add", [](ph::Tensor x, ph::Tensor y) {
  auto out = ph::empty_like(x);
  for (auto t : ph::tile(x.size(0))) out[t] = x[t] + y[t];
  return out;
});

}  // namespace

LibraryKernel vector_add() {
  LibraryKernel k("out = x + y", kernel);
  k.default_shape = {{"N", 4194304}};
  k.default_dtype = f32;
  k.arguments = [](const Shape& s, DType dtype) {
    return std::vector<ArgumentSpec>{{"x", dtype, {s.at("N")}}, {"y", dtype, {s.at("N")}}};
  };
  k.call = [](std::span<const TensorView> t) { return decltype(kernel)::list(t[0], t[1]); };
  k.reference = [](std::span<const TensorView> t) {
    const std::int64_t n = t[0].size(0);
    Buffer out = Buffer::empty({n}, f64);
    double* o = out.span<double>().data();
    for (std::int64_t i = 0; i < n; ++i) o[i] = element(t[0], {i}) + element(t[1], {i});
    return std::vector<Buffer>{out};
  };
  k.bytes = [](const Shape& s, DType dtype) {
    return 3.0 * static_cast<double>(s.at("N")) * size_bytes(dtype);
  };
  k.flops = [](const Shape& s, DType) { return static_cast<double>(s.at("N")); };
  return k;
}

}  // namespace parhelion::kernels
