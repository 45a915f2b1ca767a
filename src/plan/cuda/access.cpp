// SPDX-License-Identifier: Apache-2.0
#include "plan/cuda/access.h"

#include <algorithm>
#include <numeric>

namespace parhelion::plan::cuda {

const ir::Access& access_of(const ir::Op& op) { return std::get<ir::Access>(op.payload); }

std::vector<DimensionUse> dimension_uses(const ir::Function& function, const ir::Op& op) {
  const ir::Access& access = access_of(op);
  const ir::PlaceMap map = ir::map_place(function, access, op.operands);
  std::vector<DimensionUse> uses;
  for (std::size_t i = 0; i < access.subscripts.size(); ++i) {
    const ir::Subscript& s = access.subscripts[i];
    if (s.kind == ir::Subscript::Kind::New) continue;
    DimensionUse use{uses.size(), &s, std::nullopt, {}};
    if (s.kind == ir::Subscript::Kind::Value) {
      use.value_dims = map.of_value[i];
    } else if (map.dimension[i] >= 0) {
      use.place_dim = static_cast<std::size_t>(map.dimension[i]);
    }
    uses.push_back(std::move(use));
  }
  return uses;
}

std::optional<std::int64_t> Facts::known(ir::SizeId size) const {
  const auto bound = [this](ir::BlockId id) { return block(id); };
  const SizeProgram program = f_.sizes.program(size, bound);
  for (const SizeProgram::Step& step : program.steps()) {
    if (step.code != SizeProgram::Code::Symbol) continue;
    const auto index = static_cast<std::size_t>(step.value);
    if (index >= spec_.symbol_static.size() || !spec_.symbol_static[index]) return std::nullopt;
  }
  return f_.sizes.evaluate(size, spec_.symbol_values, bound);
}

std::int64_t Facts::divisor(ir::SizeId size) const {
  if (const auto value = known(size)) return *value == 0 ? std::int64_t{1} << 30 : std::abs(*value);
  return f_.sizes.divisor(size, [this](ir::BlockId id) { return block(id); });
}

const ir::LoopDim* Facts::loop_dim(ir::AxisId axis) const {
  const ir::Axis& a = f_.axis(axis);
  if (a.kind != ir::AxisKind::Tile) return nullptr;
  return &std::get<ir::LoopAttr>(f_.op(a.loop).payload).dims[a.dimension];
}

std::optional<std::int64_t> Facts::extent(ir::AxisId axis) const {
  const ir::LoopDim* dim = loop_dim(axis);
  if (dim == nullptr) return known(f_.axis(axis).extent);
  return block(dim->block);
}

bool Facts::full(ir::AxisId axis) const {
  const ir::LoopDim* dim = loop_dim(axis);
  if (dim == nullptr) return true;
  return limit_divisor(axis) % block(dim->block) == 0;
}

std::int64_t Facts::limit_divisor(ir::AxisId axis) const {
  const ir::LoopDim* dim = loop_dim(axis);
  if (dim == nullptr) return divisor(f_.axis(axis).extent);
  if (!dim->end.size.valid()) return 1;
  std::int64_t end = divisor(dim->end.size);
  if (dim->begin.operand >= 0) return 1;
  if (dim->begin.size.valid()) end = std::gcd(end, divisor(dim->begin.size));
  return end;
}

bool Facts::same_size(ir::SizeId a, ir::SizeId b) const {
  if (equal_.same(a, b)) return true;
  const auto x = known(a), y = known(b);
  return x && y && *x == *y;
}

bool Facts::inside(const ir::Access& access, const DimensionUse& use) const {
  const ir::Subscript& s = *use.subscript;
  const ir::SizeId size = f_.tensor(access.tensor).sizes[use.dimension];
  switch (s.kind) {
    case ir::Subscript::Kind::All: return same_size(f_.axis(s.axis).extent, size);
    case ir::Subscript::Kind::Slice: return true;  // the host checks begin and end
    case ir::Subscript::Kind::Value: return access.in_bounds;
    case ir::Subscript::Kind::New: return true;
    case ir::Subscript::Kind::Point: {
      const auto at = known(s.begin), extent = known(size);
      return at && extent && *at >= 0 && *at < *extent;
    }
    case ir::Subscript::Kind::Tile: break;
  }
  if (s.begin.valid() && f_.sizes.value(s.begin) != 0) return false;
  const ir::LoopDim* dim = loop_dim(s.axis);
  const bool from_zero =
      dim->begin.operand < 0 &&
      (!dim->begin.size.valid() || f_.sizes.value(dim->begin.size).value_or(-1) >= 0);
  return from_zero && dim->end.size.valid() && same_size(dim->end.size, size);
}

bool Facts::unit_stride(ir::TensorId tensor, std::size_t dimension) const {
  const ir::Tensor& t = f_.tensor(tensor);
  if (known(t.strides[dimension]) == 1) return true;
  return tensor.index() < spec_.tensors.size() &&
         spec_.tensors[tensor.index()].unit_stride_dim == static_cast<int>(dimension);
}

std::optional<std::size_t> Facts::contiguous(const ir::Op& op) const {
  const ir::Access& access = access_of(op);
  std::optional<std::size_t> found;
  for (const DimensionUse& use : dimension_uses(f_, op)) {
    if (use.subscript->kind == ir::Subscript::Kind::Value) continue;
    if (!use.place_dim || use.subscript->step != 1) continue;
    if (unit_stride(access.tensor, use.dimension)) found = use.place_dim;
  }
  if (!found) return std::nullopt;
  // A gathered index that varies along it breaks the run.
  for (const DimensionUse& use : dimension_uses(f_, op)) {
    const auto dim = static_cast<int>(*found);
    if (std::ranges::find(use.value_dims, dim) != use.value_dims.end()) return std::nullopt;
  }
  return found;
}

std::int64_t Facts::start_divisor(const DimensionUse& use) const {
  const ir::Subscript& s = *use.subscript;
  std::int64_t d = std::int64_t{1} << 30;
  if (s.begin.valid()) d = std::gcd(d, divisor(s.begin));
  if (s.kind == ir::Subscript::Kind::Tile) {
    const ir::LoopDim* dim = loop_dim(s.axis);
    d = std::gcd(d, block(dim->block));
    if (dim->begin.operand >= 0) return 1;
    if (dim->begin.size.valid()) d = std::gcd(d, divisor(dim->begin.size));
  }
  return d;
}

std::int64_t Facts::vector(const ir::Op& op, std::int64_t most_bytes) const {
  const ir::Access& access = access_of(op);
  const ir::Tensor& t = f_.tensor(access.tensor);
  const std::int64_t bytes = size_bytes(t.dtype);
  const auto along = contiguous(op);
  if (!along || bytes < 2 || access.tensor.index() >= spec_.tensors.size()) return 1;
  const ir::TensorFacts& facts = spec_.tensors[access.tensor.index()];
  std::int64_t alignment = std::gcd<std::int64_t>(most_bytes, facts.base_alignment);
  for (const DimensionUse& use : dimension_uses(f_, op)) {
    if (use.place_dim == along) {
      alignment = std::gcd(alignment, start_divisor(use) * bytes);
      continue;
    }
    std::int64_t pitch = divisor(t.strides[use.dimension]) * bytes;
    if (facts.pitches_aligned_16) pitch = std::lcm<std::int64_t>(pitch, 16);
    alignment = std::gcd(alignment, pitch);
  }
  const std::int64_t elements = std::max<std::int64_t>(alignment / bytes, 1);
  return elements & -elements;
}

}  // namespace parhelion::plan::cuda
