// SPDX-License-Identifier: Apache-2.0
#include "ir/tile/host.h"

#include "base/diag.h"

#include <fmt/format.h>

namespace parhelion::ir {

CallTensor call_tensor(const TensorView& view) {
  const auto rank = static_cast<std::size_t>(view.rank);
  return {view.dtype, {view.sizes.data(), rank}, {view.strides.data(), rank}};
}

std::int64_t TensorLayout::elements() const {
  std::int64_t n = 1;
  for (const std::int64_t s : sizes) n *= s;
  return n;
}

std::int64_t TensorLayout::span() const {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 0) return 0;
    last += (sizes[d] - 1) * strides[d];
  }
  return last + 1;
}

namespace {

std::string size_text(const Function& f, SizeId id) {
  return f.sizes.text(id, [&](BlockId b) { return f.blocks[b.index()].name; });
}

Result<void> fits(const Function& f, const Tensor& parameter, const CallTensor& argument) {
  if (argument.sizes.size() != parameter.sizes.size() ||
      argument.strides.size() != parameter.sizes.size()) {
    std::string dims;
    for (const SizeId s : parameter.sizes) {
      dims += (dims.empty() ? "" : ", ") + size_text(f, s);
    }
    return fail(6003, fmt::format("argument '{}' has rank {}, this kernel was traced with {}[{}]",
                                  parameter.name, argument.sizes.size(), parameter.name, dims));
  }
  if (argument.dtype != parameter.dtype) {
    return fail(6012, fmt::format("argument '{}' is {}, this kernel was traced with {}",
                                  parameter.name, name(argument.dtype), name(parameter.dtype)));
  }
  return {};
}

std::int64_t symbol_value(const SizeSymbol& s, const std::vector<const CallTensor*>& by_tensor,
                          std::span<const std::int64_t> integers) {
  const auto dimension = static_cast<std::size_t>(s.dimension);
  switch (s.kind) {
    case SizeSymbol::Kind::Size: return by_tensor[s.tensor.index()]->sizes[dimension];
    case SizeSymbol::Kind::Stride: return by_tensor[s.tensor.index()]->strides[dimension];
    case SizeSymbol::Kind::Scalar: return integers[s.scalar.index()];
  }
  return 0;
}

}  // namespace

Result<std::vector<std::int64_t>> bind_symbols(const Function& function,
                                               std::span<const CallTensor> tensors,
                                               std::span<const std::int64_t> integers) {
  std::vector<const CallTensor*> by_tensor(function.tensors.size());
  std::size_t next = 0;
  for (const Parameter& p : function.parameters) {
    const auto* id = std::get_if<TensorId>(&p);
    if (id == nullptr) continue;
    if (next < tensors.size()) by_tensor[id->index()] = &tensors[next];
    ++next;
  }
  if (next != tensors.size() || integers.size() != function.scalars.size()) {
    return fail(6012, fmt::format("'{}' takes {} tensors and {} numbers, here are {} and {}",
                                  function.name, next, function.scalars.size(), tensors.size(),
                                  integers.size()));
  }
  for (std::size_t i = 0; i < by_tensor.size(); ++i) {
    if (by_tensor[i] == nullptr) continue;
    if (auto ok = fits(function, function.tensors[i], *by_tensor[i]); !ok) {
      return std::unexpected(ok.error());
    }
  }
  std::vector<std::int64_t> values;
  for (const SizeSymbol& s : function.sizes.symbols()) {
    values.push_back(symbol_value(s, by_tensor, integers));
  }
  return values;
}

bool guards_hold(const Function& function, const std::vector<std::int64_t>& symbols) {
  for (const HostOp& op : function.host) {
    if (op.kind != HostOp::Kind::Guard) continue;
    const std::int64_t a = function.sizes.evaluate(op.left, symbols);
    if (!satisfies(op.relation, a, function.sizes.evaluate(op.right, symbols))) return false;
  }
  return true;
}

namespace {

Result<void> run_check(const Function& f, const HostOp& op,
                       const std::vector<std::int64_t>& symbols) {
  const std::int64_t a = f.sizes.evaluate(op.left, symbols);
  const std::int64_t b = f.sizes.evaluate(op.right, symbols);
  if (satisfies(op.relation, a, b)) return {};
  return fail(4001,
              fmt::format("check failed: {} {} {} ({} and {})", size_text(f, op.left),
                          text(op.relation), size_text(f, op.right), a, b),
              f.place(op.where), op.message);
}

Result<TensorLayout> layout_of(const Function& f, const Tensor& t,
                               const std::vector<std::int64_t>& symbols) {
  TensorLayout layout;
  for (const SizeId s : t.sizes) {
    layout.sizes.push_back(f.sizes.evaluate(s, symbols));
    if (layout.sizes.back() >= 0) continue;
    return fail(6005, fmt::format("size {} of '{}' is {}", size_text(f, s), t.name,
                                  layout.sizes.back()),
                f.place(t.where));
  }
  for (const SizeId s : t.strides) layout.strides.push_back(f.sizes.evaluate(s, symbols));
  if (t.kind == Tensor::Kind::View) layout.offset = f.sizes.evaluate(t.offset, symbols);
  return layout;
}

}  // namespace

Result<HostState> evaluate_host(const Function& function, std::span<const CallTensor> tensors,
                                std::span<const std::int64_t> integers) {
  auto symbols = bind_symbols(function, tensors, integers);
  if (!symbols) return std::unexpected(symbols.error());
  HostState state{std::move(*symbols), {}};
  for (const HostOp& op : function.host) {
    if (op.kind != HostOp::Kind::Check) continue;
    if (auto ok = run_check(function, op, state.symbols); !ok) return std::unexpected(ok.error());
  }
  for (const Tensor& t : function.tensors) {
    auto layout = layout_of(function, t, state.symbols);
    if (!layout) return std::unexpected(layout.error());
    state.tensors.push_back(std::move(*layout));
  }
  return state;
}

}  // namespace parhelion::ir
