// SPDX-License-Identifier: Apache-2.0
// The host part: tensors, allocations, views. Recorded, replayed at every call.
#include "lang/names.h"
#include "lang/trace.h"

#include <fmt/format.h>

#include <numeric>

namespace parhelion {

using lang::Trace;

namespace {

ir::Tensor& tensor_of(Trace& trace, Handle handle) {
  return trace.function.tensor(ir::TensorId(handle.id));
}

/// A size symbol takes the name of the user's variable, unless another one has it.
void rename(Trace& trace, ir::SizeId size, const std::string& name) {
  const auto index = trace.function.sizes.symbol_index(size);
  if (!index) return;
  for (const ir::SizeSymbol& s : trace.function.sizes.symbols()) {
    if (s.name == name) return;
  }
  trace.function.sizes.symbol_at(*index).name = name;
}

std::vector<ir::SizeId> contiguous(ir::SizeTable& sizes, const std::vector<ir::SizeId>& extents) {
  std::vector<ir::SizeId> strides(extents.size());
  ir::SizeId next = sizes.constant(1);
  for (std::size_t i = extents.size(); i-- > 0;) {
    strides[i] = next;
    next = sizes.mul(next, extents[i]);
  }
  return strides;
}

Tensor make(Trace& trace, ir::Tensor tensor, Loc where) {
  tensor.where = trace.location(where);
  if (tensor.name.empty()) {
    tensor.name = fmt::format("t{}", trace.function.tensors.size());
  }
  trace.function.tensors.push_back(std::move(tensor));
  const ir::TensorId id(trace.function.tensors.size() - 1);
  ir::HostOp op;
  op.kind = ir::HostOp::Kind::Make;
  op.tensor = id;
  op.where = trace.location(where);
  trace.function.host.push_back(op);
  return Tensor(trace.handle(id.value));
}

Tensor allocate(const std::vector<Size>& extents, DType dtype, std::optional<double> fill,
                Loc where) {
  Trace& trace = lang::current("ph::empty", where);
  trace.require_host("ph::empty", where);
  if (trace.roots_seen) {
    trace.fail(1103, "an allocation sits between two root loops", where,
               "move it before the first root loop");
  }
  ir::Tensor t;
  t.kind = fill ? ir::Tensor::Kind::Filled : ir::Tensor::Kind::Empty;
  t.dtype = dtype;
  t.fill = fill.value_or(0);
  for (const Size s : extents) t.sizes.push_back(lang::size_id(trace, s));
  t.strides = contiguous(trace.function.sizes, t.sizes);
  return make(trace, std::move(t), where);
}

/// A view shares the memory of a parameter or allocation, never of another view.
ir::Tensor view_of(Trace& trace, Tensor x) {
  const ir::TensorId id(x.handle().id);
  ir::Tensor v = trace.function.tensor(id);
  if (v.kind != ir::Tensor::Kind::View) {
    v.base = id;
    v.offset = trace.function.sizes.constant(0);
  }
  v.kind = ir::Tensor::Kind::View;
  v.name.clear();
  return v;
}

std::size_t checked_dim(Trace& trace, const ir::Tensor& t, int dim, Loc where) {
  const int rank = static_cast<int>(t.sizes.size());
  const int at = dim < 0 ? dim + rank : dim;
  if (at < 0 || at >= rank) {
    trace.fail(2001, fmt::format("'{}' has rank {}, there is no dimension {}", t.name, rank, dim),
               where, "dimensions count from 0");
  }
  return static_cast<std::size_t>(at);
}

}  // namespace

DType Tensor::dtype() const {
  return tensor_of(lang::current(handle_, "dtype", Loc{}), handle_).dtype;
}
int Tensor::rank() const {
  Trace& trace = lang::current(handle_, "rank", Loc{});
  return static_cast<int>(tensor_of(trace, handle_).sizes.size());
}
Size Tensor::size(int dimension, Loc where) const {
  Trace& trace = lang::current(handle_, "size", where);
  const ir::Tensor& t = tensor_of(trace, handle_);
  const std::size_t d = checked_dim(trace, t, dimension, where);
  const auto names = lang::bound_names(where.file, static_cast<int>(where.line));
  if (names.size() == 1) rename(trace, t.sizes[d], names[0]);
  return lang::to_size(trace, t.sizes[d]);
}
Size Tensor::stride(int dimension, Loc where) const {
  Trace& trace = lang::current(handle_, "stride", where);
  const ir::Tensor& t = tensor_of(trace, handle_);
  return lang::to_size(trace, t.strides[checked_dim(trace, t, dimension, where)]);
}
std::vector<Size> Tensor::sizes() const {
  Trace& trace = lang::current(handle_, "sizes", Loc{});
  std::vector<Size> result;
  for (const ir::SizeId s : tensor_of(trace, handle_).sizes) {
    result.push_back(lang::to_size(trace, s));
  }
  return result;
}
void Tensor::require_rank(int rank, Loc where) const {
  Trace& trace = lang::current(handle_, "sizes", where);
  const ir::Tensor& t = tensor_of(trace, handle_);
  if (static_cast<int>(t.sizes.size()) != rank) {
    trace.fail(2001, fmt::format("'{}' has rank {}, not {}", t.name, t.sizes.size(), rank), where,
               "pass a tensor of the rank that the kernel takes apart");
  }
  const auto names = lang::bound_names(where.file, static_cast<int>(where.line));
  if (names.size() != t.sizes.size()) return;
  for (std::size_t d = 0; d < names.size(); ++d) rename(trace, t.sizes[d], names[d]);
}

Tensor empty(std::initializer_list<Size> sizes, DType dtype, Loc where) {
  return allocate(std::vector<Size>(sizes), dtype, std::nullopt, where);
}
Tensor empty(const std::vector<Size>& sizes, DType dtype, Loc where) {
  return allocate(sizes, dtype, std::nullopt, where);
}
Tensor empty_like(Tensor like, std::optional<DType> dtype, Loc where) {
  (void)lang::current(like.handle(), "ph::empty_like", where);
  return allocate(like.sizes(), dtype.value_or(like.dtype()), std::nullopt, where);
}
Tensor filled(std::initializer_list<Size> sizes, double value, DType dtype, Loc where) {
  return allocate(std::vector<Size>(sizes), dtype, value, where);
}

Tensor permute(Tensor x, std::initializer_list<int> order, Loc where) {
  Trace& trace = lang::current(x.handle(), "ph::permute", where);
  trace.require_host("ph::permute", where);
  ir::Tensor v = view_of(trace, x);
  const ir::Tensor from = v;
  std::vector<bool> used(from.sizes.size());
  v.sizes.clear();
  v.strides.clear();
  for (const int d : order) {
    const std::size_t at = checked_dim(trace, from, d, where);
    if (used[at]) trace.fail(2001, "ph::permute names a dimension twice", where, "each once");
    used[at] = true;
    v.sizes.push_back(from.sizes[at]);
    v.strides.push_back(from.strides[at]);
  }
  if (v.sizes.size() != from.sizes.size()) {
    trace.fail(2001, "ph::permute must name every dimension", where, "each once");
  }
  return make(trace, std::move(v), where);
}

Tensor transpose(Tensor x, int a, int b, Loc where) {
  Trace& trace = lang::current(x.handle(), "ph::transpose", where);
  trace.require_host("ph::transpose", where);
  ir::Tensor v = view_of(trace, x);
  const std::size_t i = checked_dim(trace, v, a, where), j = checked_dim(trace, v, b, where);
  std::swap(v.sizes[i], v.sizes[j]);
  std::swap(v.strides[i], v.strides[j]);
  return make(trace, std::move(v), where);
}

Tensor narrow(Tensor x, int dimension, Size begin, Size length, Loc where) {
  Trace& trace = lang::current(x.handle(), "ph::narrow", where);
  trace.require_host("ph::narrow", where);
  ir::Tensor v = view_of(trace, x);
  const std::size_t d = checked_dim(trace, v, dimension, where);
  ir::SizeTable& sizes = trace.function.sizes;
  const ir::SizeId b = lang::size_id(trace, begin), n = lang::size_id(trace, length);
  const std::int64_t eb = trace.example(b), en = trace.example(n),
                     extent = trace.example(v.sizes[d]);
  if (eb < 0 || en < 0 || eb + en > extent) {
    trace.fail(2005,
               fmt::format("ph::narrow takes {}..{} of dimension {} ({})", eb, eb + en, d, extent),
               where, "stay inside the dimension");
  }
  ir::HostOp inside;
  inside.kind = ir::HostOp::Kind::Check;
  inside.left = sizes.add(b, n);
  inside.right = v.sizes[d];
  inside.relation = ir::Relation::Le;
  inside.where = trace.location(where);
  trace.function.host.push_back(inside);
  v.offset = sizes.add(v.offset, sizes.mul(b, v.strides[d]));
  v.sizes[d] = n;
  return make(trace, std::move(v), where);
}

Tensor expand(Tensor x, std::initializer_list<Size> extents, Loc where) {
  Trace& trace = lang::current(x.handle(), "ph::expand", where);
  trace.require_host("ph::expand", where);
  ir::Tensor v = view_of(trace, x);
  ir::SizeTable& sizes = trace.function.sizes;
  const std::vector<Size> want(extents);
  if (want.size() < v.sizes.size()) {
    trace.fail(2001, "ph::expand cannot drop dimensions", where, "name every dimension");
  }
  const std::size_t added = want.size() - v.sizes.size();
  std::vector<ir::SizeId> new_sizes, new_strides;
  for (std::size_t i = 0; i < want.size(); ++i) {
    const ir::SizeId size = lang::size_id(trace, want[i]);
    new_sizes.push_back(size);
    if (i < added) {
      new_strides.push_back(sizes.constant(0));
      continue;
    }
    const ir::SizeId have = v.sizes[i - added];
    const bool one = trace.example(have) == 1 && trace.example(size) != 1;
    if (!one && trace.example(have) != trace.example(size)) {
      trace.fail(2104,
                 fmt::format("ph::expand of {} to {}", trace.example(have), trace.example(size)),
                 where, "only dimensions of size 1 can be expanded");
    }
    ir::HostOp check;
    check.kind = ir::HostOp::Kind::Check;
    check.left = have;
    check.right = one ? sizes.constant(1) : size;
    check.where = trace.location(where);
    if (check.left != check.right) trace.function.host.push_back(check);
    new_strides.push_back(one ? sizes.constant(0) : v.strides[i - added]);
  }
  v.sizes = std::move(new_sizes);
  v.strides = std::move(new_strides);
  return make(trace, std::move(v), where);
}

}  // namespace parhelion
