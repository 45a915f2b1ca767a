// SPDX-License-Identifier: Apache-2.0
// The host part: every tensor made once, sizes that a call can give, views of real memory.
#include "ir/tile/verify_rules.h"

#include <fmt/format.h>

namespace parhelion::ir {

namespace {

class HostCheck {
 public:
  HostCheck(const Function& function, Violations& out)
      : f_(function), out_(out), made_(function.tensors.size()) {}

  void run() {
    for (const Parameter& p : f_.parameters) {
      if (const auto* id = std::get_if<TensorId>(&p)) parameter(*id);
    }
    for (const HostOp& op : f_.host) host_op(op);
    for (std::size_t i = 0; i < made_.size(); ++i) {
      if (made_[i] != 1) bad(fmt::format("tensor '{}' is made {} times", name(i), made_[i]));
    }
    for (const TensorId id : f_.returns) {
      if (id.index() >= made_.size()) bad("a returned tensor does not exist");
    }
  }

 private:
  [[nodiscard]] const std::string& name(std::size_t i) const { return f_.tensors[i].name; }
  void bad(std::string message) { out_.add({}, 5004, std::move(message)); }

  void parameter(TensorId id) {
    if (id.index() >= made_.size() || f_.tensor(id).kind != Tensor::Kind::Parameter) {
      return bad("a parameter is no parameter tensor");
    }
    ++made_[id.index()];
    const Tensor& t = f_.tensor(id);
    if (t.sizes.size() != t.strides.size()) return bad("sizes and strides differ in number");
    for (std::size_t d = 0; d < t.sizes.size(); ++d) {
      own(id, d, t.sizes[d], SizeSymbol::Kind::Size);
      own(id, d, t.strides[d], SizeSymbol::Kind::Stride);
    }
  }

  void own(TensorId id, std::size_t d, SizeId size, SizeSymbol::Kind kind) {
    const auto index = f_.sizes.symbol_index(size);
    if (index) {
      const SizeSymbol& s = f_.sizes.symbols()[*index];
      if (s.kind == kind && s.tensor == id && s.dimension == static_cast<int>(d)) return;
    }
    bad(fmt::format("dimension {} of parameter '{}' is not a symbol of its own", d,
                    name(id.index())));
  }

  void host_op(const HostOp& op) {
    if (op.kind != HostOp::Kind::Make) {
      host_size(op.left);
      host_size(op.right);
      return;
    }
    if (op.tensor.index() >= made_.size()) return bad("the host part makes an unknown tensor");
    ++made_[op.tensor.index()];
    const Tensor& t = f_.tensor(op.tensor);
    if (t.kind == Tensor::Kind::Parameter) bad("the host part makes a parameter");
    if (t.sizes.size() != t.strides.size()) bad("sizes and strides differ in number");
    for (const SizeId s : t.sizes) host_size(s);
    for (const SizeId s : t.strides) host_size(s);
    if (t.kind != Tensor::Kind::View) return;
    const bool real = t.base.index() < made_.size() && made_[t.base.index()] > 0 &&
                      f_.tensor(t.base).kind != Tensor::Kind::View;
    if (!real) bad(fmt::format("view '{}' rests on no memory", t.name));
    host_size(t.offset);
  }

  void host_size(SizeId id) {
    if (!id.valid() || id.index() >= f_.sizes.count()) return bad("a size does not exist");
    if (f_.sizes.has_block(id)) bad("a block size in the host part");
  }

  const Function& f_;
  Violations& out_;
  std::vector<int> made_;
};

}  // namespace

void verify_host(const Function& function, Violations& out) { HostCheck(function, out).run(); }

}  // namespace parhelion::ir
