// SPDX-License-Identifier: Apache-2.0
#include "runtime/arguments.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <bit>

namespace parhelion::runtime {

namespace {

Result<std::int64_t> symbol_value(const CallSymbol& symbol, std::span<const TensorView> tensors,
                                  std::span<const ScalarValue> scalars) {
  const auto index = static_cast<std::size_t>(symbol.tensor);
  if (symbol.kind == CallSymbol::Kind::Scalar) {
    if (symbol.tensor < 0 || index >= scalars.size()) {
      return fail(8503, fmt::format("the launch needs scalar {}, the call has {}", symbol.tensor,
                                    scalars.size()));
    }
    return scalars[index].integer;
  }
  if (symbol.tensor < 0 || index >= tensors.size()) {
    return fail(8503, fmt::format("the launch needs tensor {}, the call has {}", symbol.tensor,
                                  tensors.size()));
  }
  const TensorView& tensor = tensors[index];
  if (symbol.dimension < 0 || symbol.dimension >= tensor.rank) {
    return fail(8503, fmt::format("the launch needs dimension {} of tensor {}, which is {}",
                                  symbol.dimension, symbol.tensor, layout_text(tensor)));
  }
  return symbol.kind == CallSymbol::Kind::Size ? tensor.size(symbol.dimension)
                                               : tensor.stride(symbol.dimension);
}

Result<std::uint64_t> scalar_slot(const LaunchParameter& parameter, std::int64_t index,
                                  std::span<const ScalarValue> scalars) {
  if (index < 0 || static_cast<std::size_t>(index) >= scalars.size()) {
    return fail(8503, fmt::format("parameter '{}' needs scalar {}, the call has {}", parameter.name,
                                  index, scalars.size()));
  }
  const ScalarValue& value = scalars[static_cast<std::size_t>(index)];
  if (parameter.dtype == DType::F64) return std::bit_cast<std::uint64_t>(value.number);
  if (parameter.dtype == DType::F32) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(value.number));
  }
  if (is_integer(parameter.dtype) && !value.is_float) {
    const auto bits = static_cast<std::uint64_t>(value.integer);
    return size_bytes(parameter.dtype) == 8 ? bits : bits & 0xffffffffu;
  }
  return fail(8503, fmt::format("parameter '{}' is {}, the call gives {}", parameter.name,
                                name(parameter.dtype), value.is_float ? "a float" : "an integer"));
}

Result<ParameterImage::Pointer> pointer_slot(const LaunchParameter& parameter, int slot,
                                             std::int64_t elements,
                                             std::span<const TensorView> tensors) {
  if (parameter.tensor < 0 || static_cast<std::size_t>(parameter.tensor) >= tensors.size()) {
    return fail(8503, fmt::format("parameter '{}' needs tensor {}, the call has {}", parameter.name,
                                  parameter.tensor, tensors.size()));
  }
  const TensorView& tensor = tensors[static_cast<std::size_t>(parameter.tensor)];
  if (parameter.written && tensor.read_only) {
    return fail(8503, fmt::format("'{}' is written, and its tensor is read-only", parameter.name));
  }
  if (parameter.dtype != tensor.dtype) {
    return fail(8503, fmt::format("parameter '{}' is {}, its tensor {}", parameter.name,
                                  name(parameter.dtype), layout_text(tensor)));
  }
  return ParameterImage::Pointer{slot, parameter.tensor, elements * size_bytes(tensor.dtype)};
}

Result<void> add_parameter(const LaunchParameter& parameter, std::span<const std::int64_t> symbols,
                           std::span<const TensorView> tensors,
                           std::span<const ScalarValue> scalars, ParameterImage& image) {
  const int slot = static_cast<int>(image.slots.size());
  image.slots.push_back(0);
  using enum LaunchParameter::Kind;
  switch (parameter.kind) {
    case Pointer: {
      auto pointer = pointer_slot(parameter, slot, parameter.value.evaluate(symbols), tensors);
      if (!pointer) return std::unexpected(pointer.error());
      image.pointers.push_back(*pointer);
      return {};
    }
    case Integer: {
      const std::int64_t value = parameter.value.evaluate(symbols);
      if (parameter.bytes == 4 && value != static_cast<std::int32_t>(value)) {
        return fail(8503, fmt::format("parameter '{}' is {}, which needs more than 32 bits",
                                      parameter.name, value));
      }
      const auto bits = static_cast<std::uint64_t>(value);
      image.slots.back() = parameter.bytes == 4 ? bits & 0xffffffffu : bits;
      return {};
    }
    case Scalar: {
      auto bits = scalar_slot(parameter, parameter.value.evaluate(symbols), scalars);
      if (!bits) return std::unexpected(bits.error());
      image.slots.back() = *bits;
      return {};
    }
    case Workspace: image.workspace_slot = slot; return {};
    case Scratch: image.scratch_slot = slot; return {};
  }
  return {};
}

}  // namespace

Result<std::vector<std::int64_t>> symbol_values(const LaunchFacts& facts,
                                                std::span<const TensorView> tensors,
                                                std::span<const ScalarValue> scalars) {
  std::vector<std::int64_t> values;
  values.reserve(facts.symbols.size());
  for (const CallSymbol& symbol : facts.symbols) {
    auto value = symbol_value(symbol, tensors, scalars);
    if (!value) return std::unexpected(value.error());
    values.push_back(*value);
  }
  return values;
}

Result<BoundCall> bind_call(const LaunchFacts& facts, std::span<const TensorView> tensors,
                            std::span<const ScalarValue> scalars) {
  auto symbols = symbol_values(facts, tensors, scalars);
  if (!symbols) return std::unexpected(symbols.error());
  BoundCall call;
  for (const LaunchParameter& parameter : facts.parameters) {
    auto added = add_parameter(parameter, *symbols, tensors, scalars, call.image);
    if (!added) return std::unexpected(added.error());
  }
  call.image.workspace_bytes = facts.workspace_bytes.evaluate(*symbols);
  call.image.scratch_bytes = facts.scratch_bytes.evaluate(*symbols);
  for (const LaunchPhase& phase : facts.phases) {
    call.programs.push_back(phase.programs.evaluate(*symbols));
  }
  std::vector<void*> data;
  for (const TensorView& tensor : tensors) data.push_back(tensor.data);
  call.image.patch(call.image.slots.data(), data);
  return call;
}

}  // namespace parhelion::runtime
