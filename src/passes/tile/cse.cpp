// SPDX-License-Identifier: Apache-2.0
#include "passes/tile/edit.h"
#include "passes/tile/passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace parhelion::passes {

using ir::OpCode;
using ir::OpId;
using ir::ValueId;

namespace {

bool commutes(OpCode code) {
  switch (code) {
    case OpCode::Add:
    case OpCode::Mul:
    case OpCode::Min:
    case OpCode::Max:
    case OpCode::And:
    case OpCode::Or:
    case OpCode::Xor:
    case OpCode::Eq:
    case OpCode::Ne: return true;
    default: return false;
  }
}

std::string numbers(const std::vector<ir::AxisId>& axes) {
  std::string text;
  for (const ir::AxisId a : axes) text += fmt::format("{},", a.value);
  return text;
}

struct PayloadText {
  std::string operator()(std::monostate) const { return {}; }
  std::string operator()(const ir::ConstAttr& a) const {
    return fmt::format("{:x}/{}", std::bit_cast<std::uint64_t>(a.number), a.integer);
  }
  std::string operator()(const ir::SizeAttr& a) const { return fmt::format("{}", a.size.value); }
  std::string operator()(const ir::ScalarAttr& a) const {
    return fmt::format("{}", a.scalar.value);
  }
  std::string operator()(const ir::AxisAttr& a) const { return fmt::format("{}", a.axis.value); }
  std::string operator()(const ir::ShapeAttr& a) const { return numbers(a.axes); }
  std::string operator()(const ir::DimAttr& a) const { return fmt::format("{}", a.dim); }
  std::string operator()(const ir::PermuteAttr& a) const {
    return fmt::format("{}", fmt::join(a.order, ","));
  }
  std::string operator()(const ir::ReduceAttr& a) const {
    return fmt::format("{}{}", a.dim, a.keep ? "k" : "");
  }
  std::string operator()(const ir::DotAttr& a) const {
    return fmt::format("{}", static_cast<int>(a.precision));
  }
  std::string operator()(const ir::Access& a) const {
    std::string text = fmt::format("@{} {} {} {:x}|", a.tensor.value, a.masked ? 1 : 0,
                                   a.in_bounds ? 1 : 0, std::bit_cast<std::uint64_t>(a.other));
    for (const ir::Subscript& s : a.subscripts) {
      text += fmt::format("{}:{}:{}:{}:{},", static_cast<int>(s.kind), s.axis.value,
                          s.begin.value, s.step, s.operand);
    }
    return text;
  }
  std::string operator()(const ir::LoopAttr&) const { return {}; }
};

class Eliminator {
 public:
  explicit Eliminator(const ir::Function& function) : f_(function) {}

  Rewritten run() {
    region(f_.body);
    if (changed_) f_ = compact(f_);
    return {std::move(f_), changed_};
  }

 private:
  std::string key(const ir::Op& op) const {
    std::vector<ValueId> operands = op.operands;
    if (commutes(op.code)) std::ranges::sort(operands);
    std::string text = fmt::format("{} ", static_cast<int>(op.code));
    for (const ValueId v : operands) text += fmt::format("{},", v.value);
    text += std::visit(PayloadText{}, op.payload);
    const ir::TileType& type = f_.type(op.results[0]);
    text += fmt::format(" {} {}", static_cast<int>(type.dtype), numbers(type.axes));
    if (const ir::Access* a = access_of(op)) {
      const auto version = versions_.find(storage_class(f_, a->tensor));
      text += fmt::format(" v{}", version == versions_.end() ? 0 : version->second);
    }
    return text;
  }

  /// Memory that these regions store to has another content from here on.
  void forget(const std::vector<ir::RegionId>& regions) {
    std::set<std::uint32_t> classes;
    for (std::size_t t = 0; t < f_.tensors.size(); ++t) {
      classes.insert(storage_class(f_, ir::TensorId(t)));
    }
    for (const std::uint32_t c : classes) {
      if (stores_to(f_, regions, c)) versions_[c] = ++next_version_;
    }
  }

  void region(ir::RegionId id) {
    const std::size_t outer = added_.size();
    const std::vector<OpId> old = std::move(f_.region(id).ops);
    std::vector<OpId> kept;
    for (const OpId o : old) {
      if (!same_as_before(o)) kept.push_back(o);
    }
    f_.region(id).ops = std::move(kept);
    // What a region computed is not there behind it.
    for (std::size_t i = outer; i < added_.size(); ++i) known_.erase(added_[i]);
    added_.resize(outer);
  }

  bool same_as_before(OpId id) {
    ir::Op& op = f_.op(id);
    replaced_.apply(op.operands);
    if (!op.regions.empty()) {
      const std::vector<ir::RegionId> regions = op.regions;
      // A trip sees the stores of the trips before it.
      forget(regions);
      for (const ir::RegionId r : regions) region(r);
      forget(regions);
      return false;
    }
    if (op.code == OpCode::Store) {
      versions_[storage_class(f_, access_of(op)->tensor)] = ++next_version_;
      return false;
    }
    if (op.code != OpCode::Load && (!ir::row(op.code).pure || op.results.size() != 1)) return false;
    std::string text = key(op);
    const auto [it, added] = known_.try_emplace(text, op.results[0]);
    if (added) {
      added_.push_back(std::move(text));
      return false;
    }
    replaced_.set(op.results[0], it->second);
    changed_ = true;
    return true;
  }

  ir::Function f_;
  Replacements replaced_;
  std::map<std::string, ValueId> known_;
  std::vector<std::string> added_;
  std::map<std::uint32_t, std::uint64_t> versions_;
  std::uint64_t next_version_ = 0;
  bool changed_ = false;
};

}  // namespace

Rewritten cse(const ir::Function& function) { return Eliminator(function).run(); }

}  // namespace parhelion::passes
