// SPDX-License-Identifier: Apache-2.0
#include "driver/specialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace parhelion::driver {

namespace {

constexpr std::int64_t wide_limit = std::int64_t{1} << 31;

ir::TensorFacts facts_of(const ir::TensorLayout& layout, int element_bytes, std::uintptr_t base) {
  ir::TensorFacts facts;
  facts.zero_stride.resize(layout.sizes.size());
  facts.pitches_aligned_16 = true;
  for (std::size_t d = layout.sizes.size(); d-- > 0;) {
    const std::int64_t stride = layout.strides[d];
    facts.zero_stride[d] = stride == 0;
    if (stride == 1 && facts.unit_stride_dim < 0) {
      facts.unit_stride_dim = static_cast<int>(d);
    } else if (stride * element_bytes % 16 != 0) {
      facts.pitches_aligned_16 = false;
    }
  }
  const auto start = base + static_cast<std::uintptr_t>(layout.offset * element_bytes);
  facts.base_alignment = start % 16 == 0 ? 16 : element_bytes;
  return facts;
}

}  // namespace

ir::Specialization specialize(const ir::Function& f, const ir::HostState& host,
                              std::span<const TensorView> tensors) {
  ir::Specialization s;
  s.symbol_values = host.symbols;
  s.symbol_static.resize(host.symbols.size());
  std::vector<std::uintptr_t> base(f.tensors.size(), 0);  // made tensors: aligned by the pool
  std::size_t next = 0;
  for (std::size_t i = 0; i < f.tensors.size(); ++i) {
    if (f.tensors[i].kind == ir::Tensor::Kind::Parameter && next < tensors.size()) {
      base[i] = reinterpret_cast<std::uintptr_t>(tensors[next++].data);
    }
  }
  for (std::size_t i = 0; i < f.tensors.size(); ++i) {
    const ir::Tensor& t = f.tensors[i];
    const std::size_t owner = t.kind == ir::Tensor::Kind::View ? t.base.index() : i;
    s.tensors.push_back(facts_of(host.tensors[i], size_bytes(t.dtype), base[owner]));
    if (host.tensors[i].span() >= wide_limit) s.wide_index = true;
  }
  return s;
}

std::string code_key(const ir::Specialization& s) {
  std::string key;
  for (const ir::TensorFacts& t : s.tensors) {
    key += fmt::format("u{}a{}p{}z", t.unit_stride_dim, t.base_alignment,
                       t.pitches_aligned_16 ? 1 : 0);
    for (const bool z : t.zero_stride) key += z ? '1' : '0';
    key += ';';
  }
  for (std::size_t i = 0; i < s.symbol_static.size(); ++i) {
    if (s.symbol_static[i]) key += fmt::format("s{}={};", i, s.symbol_values[i]);
  }
  return key + (s.wide_index ? "wide" : "");
}

}  // namespace parhelion::driver
