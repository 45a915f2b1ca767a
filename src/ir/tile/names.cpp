// SPDX-License-Identifier: Apache-2.0
#include "ir/tile/names.h"

#include "ir/tile/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace parhelion::ir {

bool is_reserved(std::string_view word) {
  constexpr std::array<std::string_view, 12> words = {
      "new", "slice", "cdiv", "min", "max", "block", "carry", "in", "by", "dim", "keep", "tunable"};
  return std::ranges::find(words, word) != words.end();
}

namespace {

std::string identifier(std::string_view wanted) {
  std::string name;
  for (const char c : wanted) {
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  const bool digit = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) != 0;
  return digit || is_reserved(name) ? "_" + name : name;
}

}  // namespace

std::string UniqueNames::take(std::string_view wanted, std::string_view fallback) {
  const std::string base = identifier(wanted.empty() ? fallback : wanted);
  std::string name = base;
  for (int i = 1; !taken_.insert(name).second; ++i) name = fmt::format("{}_{}", base, i);
  return name;
}

std::string default_stride_name(std::string_view tensor, int dimension) {
  return fmt::format("{}_s{}", tensor, dimension);
}

std::string Names::size(const Function& function, SizeId id) const {
  return function.sizes.text(
      id, [this](std::size_t s) { return symbols[s]; },
      [this](BlockId b) { return blocks[b.index()]; });
}

namespace {

class Namer {
 public:
  Namer(const Function& function, bool nameless) : f_(function), nameless_(nameless) {}

  Names run() {
    tensors();
    symbols();
    loops();
    blocks();
    values();
    return std::move(names_);
  }

 private:
  std::string_view wanted(const std::string& name) const {
    return nameless_ ? std::string_view{} : std::string_view(name);
  }

  void tensors() {
    UniqueNames unique, of_scalars;
    for (const Tensor& t : f_.tensors) {
      names_.tensors.push_back(
          unique.take(wanted(t.name), fmt::format("t{}", names_.tensors.size())));
    }
    for (const ScalarParameter& s : f_.scalars) {
      names_.scalars.push_back(
          of_scalars.take(wanted(s.name), fmt::format("c{}", names_.scalars.size())));
    }
  }

  void symbol(SizeId id, UniqueNames& unique) {
    const auto index = f_.sizes.symbol_index(id);
    if (!index || !names_.symbols[*index].empty()) return;
    const SizeSymbol& s = f_.sizes.symbols()[*index];
    const std::string& tensor = names_.tensors[s.tensor.index()];
    names_.symbols[*index] =
        s.kind == SizeSymbol::Kind::Stride
            ? unique.take(default_stride_name(tensor, s.dimension), "")
            : unique.take(wanted(s.name), fmt::format("{}_d{}", tensor, s.dimension));
  }

  void symbols() {
    names_.symbols.resize(f_.sizes.symbols().size());
    UniqueNames unique;
    for (const auto member : {&Tensor::sizes, &Tensor::strides}) {
      for (const Tensor& t : f_.tensors) {
        if (t.kind != Tensor::Kind::Parameter) continue;
        for (const SizeId id : t.*member) symbol(id, unique);
      }
    }
    for (std::size_t i = 0; i < names_.symbols.size(); ++i) {
      const SizeSymbol& s = f_.sizes.symbols()[i];
      if (s.kind == SizeSymbol::Kind::Scalar) {
        names_.symbols[i] = "$" + names_.scalars[s.scalar.index()];
      } else if (names_.symbols[i].empty()) {
        names_.symbols[i] = unique.take(wanted(s.name), "u");
      }
    }
  }

  void loops() {
    names_.axes.resize(f_.axes.size());
    uses_.resize(f_.blocks.size());
    walk(f_, [this](OpId id) {
      const auto* loop = std::get_if<LoopAttr>(&f_.op(id).payload);
      if (loop == nullptr) return;
      for (const LoopDim& dim : loop->dims) {
        names_.axes[dim.axis.index()] =
            of_axes_.take(wanted(f_.axis(dim.axis).name), fmt::format("a{}", axes_++));
        if (!dim.block.valid()) continue;
        ++uses_[dim.block.index()];
        axis_of_block_[dim.block.index()] = dim.axis;
      }
    });
  }

  /// The block of one axis alone goes by the axis' name and is not declared.
  bool belongs_to_axis(std::size_t i) const {
    const Block& b = f_.blocks[i];
    if (uses_[i] != 1 || b.minimum != 1 || b.maximum != 0) return false;
    if (used_before_loops(i)) return false;
    return nameless_ || b.fixed || b.name == f_.axis(axis_of_block_.at(i)).name;
  }

  bool used_before_loops(std::size_t i) const {
    const auto has = [&](SizeId id) { return id.valid() && f_.sizes.has_block(id, BlockId(i)); };
    const bool in_tensor = std::ranges::any_of(f_.tensors, [&](const Tensor& t) {
      return has(t.offset) || std::ranges::any_of(t.sizes, has) ||
             std::ranges::any_of(t.strides, has);
    });
    return in_tensor || std::ranges::any_of(f_.host, [&](const HostOp& op) {
             return op.kind != HostOp::Kind::Make && (has(op.left) || has(op.right));
           });
  }

  void blocks() {
    for (std::size_t i = 0; i < f_.blocks.size(); ++i) {
      const bool of_axis = belongs_to_axis(i);
      const bool used = uses_[i] > 0 || used_before_loops(i) || used_in_ops(i);
      names_.declared_block.push_back(used && !of_axis);
      names_.blocks.push_back(
          of_axis ? names_.axes[axis_of_block_.at(i).index()]
                  : of_axes_.take(wanted(f_.blocks[i].name), fmt::format("b{}", i)));
    }
  }

  /// By an op that is still there; a loop that was removed leaves its block behind.
  bool used_in_ops(std::size_t i) const {
    const auto has = [&](SizeId id) { return id.valid() && f_.sizes.has_block(id, BlockId(i)); };
    const auto in_axis = [&](AxisId a) {
      return f_.axis(a).kind == AxisKind::Extent && has(f_.axis(a).extent);
    };
    bool used = false;
    walk(f_, [&](OpId id) {
      const Op& o = f_.op(id);
      if (const auto* s = std::get_if<SizeAttr>(&o.payload)) used = used || has(s->size);
      if (const auto* access = std::get_if<Access>(&o.payload)) {
        for (const Subscript& s : access->subscripts) used = used || has(s.begin);
      }
      if (const auto* loop = std::get_if<LoopAttr>(&o.payload)) {
        for (const LoopDim& d : loop->dims) used = used || has(d.begin.size) || has(d.end.size);
      }
      for (const ValueId v : o.results) {
        used = used || std::ranges::any_of(f_.type(v).axes, in_axis);
      }
    });
    return used;
  }

  void value(ValueId id) {
    const std::string& name = f_.value(id).name;
    names_.values[id.index()] =
        nameless_ || name.empty() ? fmt::format("{}", numbered_++) : of_values_.take(name, "v");
  }

  void op(const Op& o) {
    for (const ValueId v : o.results) value(v);
    for (std::size_t r = 0; r < o.regions.size(); ++r) {
      const std::vector<ValueId>& arguments = f_.region(o.regions[r]).arguments;
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (r == 0) {
          value(arguments[i]);
        } else {  // a While's body shares the names of its condition
          names_.values[arguments[i].index()] =
              names_.values[f_.region(o.regions[0]).arguments.at(i).index()];
        }
      }
      region(o.regions[r]);
    }
  }

  void region(RegionId id) {
    for (const OpId o : f_.region(id).ops) op(f_.op(o));
  }

  void values() {
    names_.values.resize(f_.values.size());
    region(f_.body);
  }

  const Function& f_;
  bool nameless_;
  Names names_;
  UniqueNames of_axes_, of_values_;
  std::vector<int> uses_;
  std::map<std::size_t, AxisId> axis_of_block_;
  int axes_ = 0, numbered_ = 0;
};

}  // namespace

Names Names::of(const Function& function, bool nameless) { return Namer(function, nameless).run(); }

}  // namespace parhelion::ir
