// SPDX-License-Identifier: Apache-2.0
// Memory sites: numbering, places, stores through views, roots that need a barrier between them.
#include "ir/tile/verify_rules.h"
#include "ir/tile/walk.h"

#include <fmt/format.h>

#include <set>

namespace parhelion::ir {

namespace {

class MemoryCheck {
 public:
  MemoryCheck(const Function& function, Violations& out)
      : f_(function), out_(out), equal_(function), site_(function.sites) {}

  void run() {
    for (const OpId id : f_.region(f_.body).ops) root(id);
    for (std::size_t s = 0; s < site_.size(); ++s) {
      if (!site_[s].valid()) out_.add({}, 5004, fmt::format("no access has site {}", s));
    }
  }

 private:
  [[nodiscard]] TensorId memory_of(TensorId id) const {
    return f_.tensor(id).kind == Tensor::Kind::View ? f_.tensor(id).base : id;
  }

  void root(OpId id) {
    if (f_.op(id).code == OpCode::Barrier) {
      written_.clear();
      return;
    }
    std::set<TensorId> writes;
    walk(f_, f_.op(id).regions[0], [&](OpId op) {
      const auto* access = std::get_if<Access>(&f_.op(op).payload);
      if (access == nullptr) return;
      check(op, *access);
      const TensorId memory = memory_of(access->tensor);
      if (written_.contains(memory)) conflict(op, memory);
      if (f_.op(op).code == OpCode::Store) writes.insert(memory);
    });
    written_.insert(writes.begin(), writes.end());
  }

  void conflict(OpId op, TensorId memory) {
    out_.add(op, 1211,
             fmt::format("this root {} '{}', which an earlier root writes",
                         f_.op(op).code == OpCode::Store ? "writes" : "reads",
                         f_.tensor(memory).name),
             "put ph::barrier() between them");
  }

  void check(OpId id, const Access& access) {
    const Op& op = f_.op(id);
    const std::size_t site = access.site.index();
    if (site >= site_.size() || site_[site].valid()) {
      out_.add(id, 5004, "site ids are not dense and unique");
    } else {
      site_[site] = id;
    }
    if (access.axes != map_place(f_, access, op.operands).axes) {
      out_.add(id, 5004, "the axes of a place are not those of its subscripts");
    }
    whole_dimensions(id, access);
    if (op.code != OpCode::Store) return;
    if (!op.where.known()) out_.add(id, 5004, "a store without a location");
    expanded(id, access.tensor);
  }

  void whole_dimensions(OpId id, const Access& access) {
    const Tensor& tensor = f_.tensor(access.tensor);
    std::size_t dimension = 0;
    for (const Subscript& s : access.subscripts) {
      if (s.kind == Subscript::Kind::New) continue;
      const SizeId size = tensor.sizes[dimension++];
      if (s.kind == Subscript::Kind::Tile && f_.axis(s.axis).kind != AxisKind::Tile) {
        out_.add(id, 5004, "a tile subscript of an axis that is no tile");
      }
      if (s.kind != Subscript::Kind::All) continue;
      if (equal_.same(f_.axis(s.axis).extent, size)) continue;
      out_.add(id, 2005,
               fmt::format("':{}' is not the whole of dimension {} of '{}'",
                           text(f_, {DType::Bool, {s.axis}}).substr(6), dimension - 1,
                           tensor.name),
               "write slice(begin, length, 1), or check that the sizes are equal");
    }
  }

  void expanded(OpId id, TensorId tensor_id) {
    const Tensor& tensor = f_.tensor(tensor_id);
    if (tensor.kind != Tensor::Kind::View) return;
    for (std::size_t d = 0; d < tensor.strides.size(); ++d) {
      if (f_.sizes.value(tensor.strides[d]) != 0 || f_.sizes.value(tensor.sizes[d]) == 1) continue;
      out_.add(id, 2006,
               fmt::format("store to an expanded view of '{}': many places share one element",
                           f_.tensor(tensor.base).name),
               "store to the original");
    }
  }

  const Function& f_;
  Violations& out_;
  EqualSizes equal_;
  std::vector<OpId> site_;
  std::set<TensorId> written_;
};

}  // namespace

void verify_memory(const Function& function, Violations& out) { MemoryCheck(function, out).run(); }

}  // namespace parhelion::ir
