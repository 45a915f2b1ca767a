// SPDX-License-Identifier: Apache-2.0
#include "library.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace parhelion::kernels {

const std::vector<LibraryKernel>& library() {
  static const std::vector<LibraryKernel> all = {vector_add(), softmax(), matmul(),
                                                 matmul_bias_gelu()};
  return all;
}

const LibraryKernel* find(std::string_view name) {
  const auto it = std::ranges::find(library(), name, &LibraryKernel::name);
  return it == library().end() ? nullptr : &*it;
}

double element(const TensorView& view, std::initializer_list<std::int64_t> index) {
  std::int64_t offset = 0;
  int d = 0;
  for (const std::int64_t i : index) offset += i * view.stride(d++);
  const char* at = static_cast<const char*>(view.data) + offset * size_bytes(view.dtype);
  switch (view.dtype) {
    case DType::F64: {
      double v;
      std::memcpy(&v, at, 8);
      return v;
    }
    case DType::F32: {
      float v;
      std::memcpy(&v, at, 4);
      return static_cast<double>(v);
    }
    case DType::F16: {
      _Float16 v;
      std::memcpy(&v, at, 2);
      return static_cast<double>(v);
    }
    case DType::BF16: {
      std::uint16_t bits;
      std::memcpy(&bits, at, 2);
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
    }
    case DType::I32: {
      std::int32_t v;
      std::memcpy(&v, at, 4);
      return v;
    }
    case DType::I64: {
      std::int64_t v;
      std::memcpy(&v, at, 8);
      return static_cast<double>(v);
    }
    default: return 0;
  }
}

}  // namespace parhelion::kernels
