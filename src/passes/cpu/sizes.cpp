// SPDX-License-Identifier: Apache-2.0
// Host numbers become parameters of the entries: sizes, strides and scratch offsets are computed
// by postfix programs before the launch, never in the kernel.
#include "passes/cpu/engine.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <algorithm>

namespace parhelion::passes::cpu {

namespace {

constexpr std::int64_t buffer_alignment = 64;

}  // namespace

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
  m.values.push_back({type, parameter.name, {}});
  const k::ValueId value(m.values.size() - 1);
  m.launch.parameters.push_back(std::move(parameter));
  m.parameter_values.push_back(value);
  return value;
}

std::int64_t Engine::block_size(ir::BlockId block) const { return plan.blocks[block.index()]; }

k::ValueId Engine::size_value(ir::SizeId size) {
  const auto bound = [this](ir::BlockId block) { return block_size(block); };
  if (const auto v = sizes.value(size)) return c64(*v);
  if (const auto block = sizes.block_of(size)) return c64(block_size(*block));
  const auto it = size_values_.find(size);
  if (it != size_values_.end()) return it->second;
  LaunchParameter p;
  p.kind = LaunchParameter::Kind::Integer;
  p.dtype = DType::I64;
  p.name = sizes.text(size, [this](ir::BlockId block) { return f.blocks[block.index()].name; });
  if (p.name.size() > 40) p.name = "size";
  p.value = sizes.program(size, bound);
  const k::ValueId v = add_parameter(std::move(p), {DType::I64, 1, 0, k::Space::None});
  size_values_[size] = v;
  return v;
}

k::ValueId Engine::tensor_pointer(ir::TensorId tensor, bool written) {
  const auto it = pointers_.find(tensor);
  if (it != pointers_.end()) {
    if (written) {
      for (std::size_t i = 0; i < m.parameter_values.size(); ++i) {
        if (m.parameter_values[i] == it->second) m.launch.parameters[i].written = true;
      }
    }
    return it->second;
  }
  const ir::Tensor& t = f.tensor(tensor);
  LaunchParameter p;
  p.kind = LaunchParameter::Kind::Pointer;
  p.name = t.name;
  p.dtype = t.dtype;
  p.written = written;
  const bool view = t.kind == ir::Tensor::Kind::View;
  p.tensor = static_cast<int>(view ? t.base.value : tensor.value);
  p.value = view ? sizes.program(t.offset) : SizeProgram::constant(0);
  const k::ValueId v = add_parameter(std::move(p), {t.dtype, 1, 0, k::Space::Global});
  pointers_[tensor] = v;
  return v;
}

k::ValueId Engine::scalar_value(ir::ScalarId scalar) {
  const auto it = scalars_.find(scalar);
  if (it != scalars_.end()) return it->second;
  const ir::ScalarParameter& s = f.scalars[scalar.index()];
  LaunchParameter p;
  p.kind = LaunchParameter::Kind::Scalar;
  p.name = s.name;
  p.dtype = s.is_float ? DType::F64 : DType::I64;
  p.value = SizeProgram::constant(scalar.value);
  const k::ValueId v =
      add_parameter(std::move(p), {s.is_float ? DType::F64 : DType::I64, 1, 0, k::Space::None});
  scalars_[scalar] = v;
  return v;
}

ir::SizeId Engine::bound_extent(ir::AxisId axis) {
  const ir::Axis& a = f.axis(axis);
  if (a.kind == ir::AxisKind::Unit) return sizes.constant(1);
  if (a.kind == ir::AxisKind::Tile) {
    const auto block = sizes.block_of(a.extent);
    PH_ASSERT(block.has_value(), "a tile axis has a block");
    return sizes.constant(block_size(*block));
  }
  return a.extent;
}

k::ValueId Engine::scratch_area(ir::SizeId bytes, std::string_view name, DType element) {
  const ir::SizeId alignment = sizes.constant(buffer_alignment);
  const ir::SizeId offset = scratch_bytes_;
  // One more line: a tail may be written by a whole vector.
  scratch_bytes_ = sizes.add(
      offset, sizes.mul(sizes.ceil_div(sizes.add(bytes, alignment), alignment), alignment));
  const k::ValueId raw = b.offset(scratch_, size_value(offset));
  return b.name(b.bitcast(raw, {element, 1, 0, k::Space::Global}), unique(std::string(name)));
}

Buffer Engine::allocate(const std::vector<ir::AxisId>& over, DType element, std::string_view name) {
  Buffer buffer;
  buffer.element = element;
  const ir::SizeId bytes = sizes.constant(size_bytes(element));
  std::vector<ir::SizeId> strides(over.size());
  ir::SizeId stride = sizes.constant(1);
  for (std::size_t i = over.size(); i-- > 0;) {
    strides[i] = stride;
    ir::SizeId extent = bound_extent(over[i]);
    if (i + 1 == over.size() && over.size() > 1) {
      // Rows start at whole vectors, so that tails never share a line with the next row.
      extent = sizes.mul(sizes.ceil_div(extent, sizes.constant(16)), sizes.constant(16));
    }
    stride = sizes.mul(stride, extent);
  }
  const k::ValueId raw = scratch_area(sizes.mul(bytes, stride), name, element);
  buffer.pointer = raw;
  for (std::size_t i = 0; i < over.size(); ++i) {
    buffer.strides.emplace_back(over[i], size_value(strides[i]));
  }
  return buffer;
}

k::ValueId Engine::workspace(ir::SizeId bytes) {
  if (!workspace_pointer_) {
    LaunchParameter p;
    p.kind = LaunchParameter::Kind::Workspace;
    p.name = "workspace";
    p.dtype = DType::U8;
    p.written = true;
    workspace_pointer_ = add_parameter(std::move(p), {DType::U8, 1, 0, k::Space::Global});
  }
  const ir::SizeId offset = workspace_bytes_;
  const ir::SizeId alignment = sizes.constant(buffer_alignment);
  workspace_bytes_ = sizes.add(offset, sizes.mul(sizes.ceil_div(bytes, alignment), alignment));
  return b.offset(*workspace_pointer_, size_value(offset));
}

void Engine::open_entry(std::string name) {
  b.open_function(std::move(name), true);
  const k::ValueId worker = m.entry_values[2];
  const k::ValueId mine = mul(worker, scratch_size_parameter_);
  scratch_ = b.offset(scratch_parameter_, mine);
  m.value(scratch_).name = "scratch";
}

Engine::Engine(const ir::Function& function, const plan::cpu::Plan& p,
               const ir::Specialization& specialization)
    : f(function), plan(p), spec(specialization), sizes(function.sizes), b(m), equal_(function) {
  m.name = f.name;
  m.target = "cpu " + plan.level;
  m.config = plan.config;
  m.files = f.files;
  scratch_bytes_ = sizes.constant(0);
  workspace_bytes_ = sizes.constant(0);
  for (const char* name : {"first", "last", "worker"}) {
    names_.insert(name);
    m.values.push_back({{DType::I64, 1, 0, k::Space::None}, name, {}});
    m.entry_values.emplace_back(m.values.size() - 1);
  }
  names_.insert("a");
  LaunchParameter scratch;
  scratch.kind = LaunchParameter::Kind::Scratch;
  scratch.name = "scratch_base";
  scratch.dtype = DType::U8;
  scratch.written = true;
  scratch_parameter_ = add_parameter(scratch, {DType::U8, 1, 0, k::Space::Global});
  LaunchParameter bytes;
  bytes.kind = LaunchParameter::Kind::Integer;
  bytes.name = "scratch_bytes";
  bytes.dtype = DType::I64;
  scratch_size_parameter_ = add_parameter(bytes, {DType::I64, 1, 0, k::Space::None});
}

namespace {

CallSymbol call_symbol(const ir::SizeSymbol& s) {
  switch (s.kind) {
    case ir::SizeSymbol::Kind::Size:
      return {CallSymbol::Kind::Size, static_cast<int>(s.tensor.value), s.dimension};
    case ir::SizeSymbol::Kind::Stride:
      return {CallSymbol::Kind::Stride, static_cast<int>(s.tensor.value), s.dimension};
    case ir::SizeSymbol::Kind::Scalar:
      return {CallSymbol::Kind::Scalar, static_cast<int>(s.scalar.value), 0};
  }
  return {};
}

}  // namespace

k::Module Engine::run() {
  for (const ir::SizeSymbol& s : sizes.symbols()) m.launch.symbols.push_back(call_symbol(s));
  for (const plan::cpu::RootPlan& root : plan.roots) {
    scopes.assign(1, {});
    buffers.clear();
    axes.clear();
    strip_ = root.strip;
    if (root.gemm) {
      gemm_phases(root);
    } else {
      root_phase(root);
    }
  }
  m.launch.scratch_bytes = sizes.program(scratch_bytes_);
  m.launch.workspace_bytes = sizes.program(workspace_bytes_);
  for (std::size_t i = 0; i < m.parameter_values.size(); ++i) {
    if (m.parameter_values[i] == scratch_size_parameter_) {
      m.launch.parameters[i].value = m.launch.scratch_bytes;
    }
  }
  m.source_hash = ir::hash(f).short_hex();
  return std::move(m);
}

}  // namespace parhelion::passes::cpu
