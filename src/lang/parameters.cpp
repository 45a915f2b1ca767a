// SPDX-License-Identifier: Apache-2.0
// Parameters of a trace: tensors with symbolic sizes and strides, run-time numbers.
#include "lang/names.h"
#include "lang/trace.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::lang {

namespace {

/// m, n for a matrix; a plain letter by rank, made unique by a number.
std::string default_size_name(const ir::SizeTable& sizes, std::size_t dimension, std::size_t rank) {
  static constexpr std::string_view letters = "hgfedcbmn";
  const std::size_t at = letters.size() - rank + dimension;
  const std::string base(1, letters[std::min(at, letters.size() - 1)]);
  const auto taken = [&](const std::string& name) {
    return std::ranges::any_of(sizes.symbols(),
                               [&](const ir::SizeSymbol& s) { return s.name == name; });
  };
  if (!taken(base)) return base;
  for (int i = 2;; ++i) {
    std::string name = fmt::format("{}{}", base, i);
    if (!taken(name)) return name;
  }
}

}  // namespace

parhelion::Tensor Trace::add_tensor(const ExampleTensor& example) {
  ir::Tensor t;
  t.kind = ir::Tensor::Kind::Parameter;
  t.name = example.name;
  t.dtype = example.dtype;
  const ir::TensorId id(function.tensors.size());
  for (std::size_t d = 0; d < example.sizes.size(); ++d) {
    ir::SizeSymbol symbol;
    symbol.name = default_size_name(function.sizes, d, example.sizes.size());
    symbol.tensor = id;
    symbol.dimension = static_cast<int>(d);
    t.sizes.push_back(function.sizes.symbol(symbol));
    examples.push_back(example.sizes[d]);
  }
  for (std::size_t d = 0; d < example.sizes.size(); ++d) {
    ir::SizeSymbol symbol;
    symbol.kind = ir::SizeSymbol::Kind::Stride;
    symbol.name = fmt::format("{}.stride{}", t.name, d);
    symbol.tensor = id;
    symbol.dimension = static_cast<int>(d);
    t.strides.push_back(function.sizes.symbol(symbol));
    examples.push_back(example.strides[d]);
  }
  function.tensors.push_back(std::move(t));
  function.parameters.emplace_back(id);
  return parhelion::Tensor(handle(id.value));
}

parhelion::Scalar Trace::add_scalar(std::string name, bool is_float) {
  const ir::ScalarId id(function.scalars.size());
  function.scalars.push_back({std::move(name), is_float});
  function.parameters.emplace_back(id);
  return parhelion::Scalar(handle(id.value), is_float);
}

}  // namespace parhelion::lang
