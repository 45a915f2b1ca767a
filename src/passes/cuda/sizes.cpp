// SPDX-License-Identifier: Apache-2.0
// Host numbers become parameters of the entries, computed by postfix programs before the launch;
// what the code may rely on becomes a constant.
#include "passes/cuda/engine.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::passes::cuda {

DType compute_dtype(DType dtype) {
  switch (dtype) {
    case DType::F8E4M3:
    case DType::F8E5M2:
    case DType::F16:
    case DType::BF16:
    case DType::F32: return DType::F32;
    case DType::I8:
    case DType::I16:
    case DType::U8:
    case DType::U16:
    case DType::I32: return DType::I32;
    default: return dtype;
  }
}

std::string Engine::unique(std::string name) {
  for (char& c : name) {
    const bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!word) c = '_';
  }
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name = "n" + name;
  if (names_.insert(name).second) return name;
  for (int i = 2;; ++i) {
    std::string candidate = fmt::format("{}_{}", name, i);
    if (names_.insert(candidate).second) return candidate;
  }
}

k::ValueId Engine::add_parameter(LaunchParameter parameter, k::Type type) {
  parameter.name = unique(parameter.name);
  return b.parameter(std::move(parameter), type);
}

k::ValueId Engine::size_value(ir::SizeId size) {
  const auto block = [this](ir::BlockId id) { return facts_.block(id); };
  // Sizes that the lowering made are not the function's: only those can be asked of the facts.
  bool rely = true;
  const SizeProgram program = sizes_.program(size, block);
  for (const SizeProgram::Step& step : program.steps()) {
    if (step.code != SizeProgram::Code::Symbol) continue;
    rely = rely && spec_.symbol_static[static_cast<std::size_t>(step.value)];
  }
  if (rely) {
    return b.integer(sizes_.evaluate(size, spec_.symbol_values, block), index_dtype());
  }
  const auto found = size_values_.find(size);
  if (found != size_values_.end()) return found->second;
  LaunchParameter p;
  p.kind = LaunchParameter::Kind::Integer;
  p.dtype = index_dtype();
  p.bytes = size_bytes(index_dtype());
  p.name = sizes_.text(size, [this](ir::BlockId id) { return f_.blocks[id.index()].name; });
  if (p.name.size() > 24) p.name = "size";
  p.value = program;
  return size_values_[size] = add_parameter(std::move(p), {.element = index_dtype()});
}

k::ValueId Engine::tensor_pointer(ir::TensorId tensor) {
  const auto found = pointers_.find(tensor);
  if (found != pointers_.end()) return found->second;
  const ir::Tensor& t = f_.tensor(tensor);
  const bool view = t.kind == ir::Tensor::Kind::View;
  LaunchParameter p;
  p.kind = LaunchParameter::Kind::Pointer;
  p.name = t.name.empty() ? "out" : t.name;
  p.dtype = t.dtype;
  p.written = stored(tensor);
  p.tensor = static_cast<int>(view ? t.base.value : tensor.value);
  p.value = view ? sizes_.program(t.offset) : SizeProgram::constant(0);
  return pointers_[tensor] =
             add_parameter(std::move(p), {.element = t.dtype, .pointer = k::Space::Global});
}

ir::TensorId Engine::memory_of(ir::TensorId tensor) const {
  const ir::Tensor& t = f_.tensor(tensor);
  return t.kind == ir::Tensor::Kind::View ? t.base : tensor;
}

bool Engine::stored(ir::TensorId tensor) const { return stored_[memory_of(tensor).index()]; }

k::ValueId Engine::scalar_value(ir::ScalarId scalar) {
  const auto found = scalars_.find(scalar);
  if (found != scalars_.end()) return found->second;
  const ir::ScalarParameter& s = f_.scalars[scalar.index()];
  const DType dtype = s.is_float ? DType::F64 : DType::I64;
  LaunchParameter p;
  p.kind = LaunchParameter::Kind::Scalar;
  p.name = s.name;
  p.dtype = dtype;
  p.value = SizeProgram::constant(scalar.value);
  return scalars_[scalar] = add_parameter(std::move(p), {.element = dtype});
}

}  // namespace parhelion::passes::cuda
