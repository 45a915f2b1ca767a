// SPDX-License-Identifier: Apache-2.0
#include "interp/machine.h"

#include <algorithm>
#include <set>

#include "base/diag.h"
#include "base/rng.h"
#include "ir/tile/walk.h"

namespace parhelion::interp {

using ir::TensorId;

Machine::Machine(const ir::Function& function, const Inputs& inputs, const Options& options,
                 const ir::HostState& host, const Observer* observer)
    : f_(function),
      options_(options),
      host_(host),
      observer_(observer),
      scalars_(inputs.scalars),
      axes_(function.axes.size()),
      values_(function.values.size()) {
  bind_blocks();
  for (std::size_t i = 0; i < f_.axes.size(); ++i) {
    if (f_.axes[i].kind != ir::AxisKind::Extent) continue;
    axes_[i].lanes = axes_[i].valid = std::max<std::int64_t>(size(f_.axes[i].extent), 0);
  }
  make_memory(inputs);
}

std::int64_t Machine::size(ir::SizeId id) const {
  return f_.sizes.evaluate(id, host_.symbols, [this](ir::BlockId b) { return block_size(b); });
}

/// Given, fixed by the user, the default, or the longest range that uses it.
void Machine::bind_blocks() {
  for (std::size_t i = 0; i < f_.blocks.size(); ++i) {
    const auto given = options_.blocks.find(ir::BlockId(i));
    const std::int64_t wanted =
        given != options_.blocks.end() ? given->second : options_.default_block;
    blocks_.push_back(f_.blocks[i].fixed.value_or(wanted));
  }
  constexpr std::int64_t for_device_bounds = 64;
  ir::walk(f_, [this](ir::OpId id) {
    const auto* loop = std::get_if<ir::LoopAttr>(&f_.op(id).payload);
    if (loop == nullptr) return;
    for (const ir::LoopDim& dim : loop->dims) {
      std::int64_t& block = blocks_[dim.block.index()];
      if (block > 0) continue;
      const bool known = dim.begin.size.valid() && dim.end.size.valid() &&
                         !f_.sizes.has_block(dim.begin.size) && !f_.sizes.has_block(dim.end.size);
      const std::int64_t length =
          known ? size(dim.end.size) - size(dim.begin.size) : for_device_bounds;
      block = std::min(block, -std::max<std::int64_t>(length, 1));
    }
  });
  for (std::int64_t& block : blocks_) block = block > 0 ? block : std::max<std::int64_t>(-block, 1);
}

TensorId Machine::memory_of(TensorId id) const {
  return f_.tensor(id).kind == ir::Tensor::Kind::View ? f_.tensor(id).base : id;
}

void Machine::make_memory(const Inputs& inputs) {
  std::set<TensorId> stored;
  ir::walk(f_, [&](ir::OpId id) {
    if (f_.op(id).code != ir::OpCode::Store) return;
    stored.insert(memory_of(std::get<ir::Access>(f_.op(id).payload).tensor));
  });
  memory_.resize(f_.tensors.size());
  std::size_t next = 0;
  for (const ir::Parameter& p : f_.parameters) {
    const auto* id = std::get_if<TensorId>(&p);
    if (id == nullptr) continue;
    const TensorView& view = inputs.tensors[next++];
    auto& memory = memory_[id->index()];
    if (!stored.contains(*id)) {
      memory = std::make_unique<Storage>(view);
      continue;
    }
    memory = std::make_unique<Storage>(view.dtype, host_.tensors[id->index()].span());
    memory->fill_from(view);
  }
  for (std::size_t i = 0; i < f_.tensors.size(); ++i) {
    const ir::Tensor& t = f_.tensors[i];
    if (t.kind != ir::Tensor::Kind::Empty && t.kind != ir::Tensor::Kind::Filled) continue;
    memory_[i] = std::make_unique<Storage>(t.dtype, host_.tensors[i].elements());
    if (t.kind == ir::Tensor::Kind::Filled) memory_[i]->fill(t.fill);
  }
}

Machine::LoopRange Machine::range_of(const ir::Op& op, const ir::LoopDim& dim) {
  const auto bound = [&](const ir::Bound& b) {
    if (b.operand < 0) return size(b.size);
    const Tile& tile = get(op.operands[static_cast<std::size_t>(b.operand)]);
    if (tile.unsure_at(0)) taint_ = std::max(taint_, 1);
    return tile.i[0];
  };
  LoopRange r;
  r.dim = dim;
  r.begin = bound(dim.begin);
  r.end = bound(dim.end);
  r.block = block_size(dim.block);
  r.count = std::max<std::int64_t>(ceil_div(r.end - r.begin, r.block), 0);
  return r;
}

void Machine::enter_tile(const std::vector<LoopRange>& ranges, std::int64_t linear) {
  for (std::size_t d = ranges.size(); d-- > 0;) {
    const LoopRange& r = ranges[d];
    AxisState& a = axes_[r.dim.axis.index()];
    a.id = linear % r.count;
    linear /= r.count;
    a.count = r.count;
    a.begin = r.begin + a.id * r.block;
    a.end = std::min(a.begin + r.block, r.end);
    a.valid = a.end - a.begin;
    a.lanes = options_.pads ? r.block : a.valid;
  }
}

/// All of them, or first, last, one at the tail of every axis, and some random ones.
std::vector<std::int64_t> Machine::choose_programs(const std::vector<LoopRange>& ranges,
                                                   std::uint64_t order) {
  std::int64_t total = 1;
  for (const LoopRange& r : ranges) total *= r.count;
  std::vector<std::int64_t> chosen;
  const auto few = static_cast<std::int64_t>(2 + ranges.size()) + options_.sample.value_or(0);
  if (!options_.sample || total <= few) {
    for (std::int64_t i = 0; i < total; ++i) chosen.push_back(i);
  } else {
    sampled_ = true;
    std::set<std::int64_t> some = {0, total - 1};
    Rng rng(options_.seed, 1);  // the same sample in every order
    std::int64_t stride = total;
    for (const LoopRange& r : ranges) {
      stride /= r.count;
      const std::int64_t other =
          static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(total)));
      some.insert(other + (r.count - 1 - other / stride % r.count) * stride);
    }
    while (static_cast<std::int64_t>(some.size()) < few) {
      some.insert(static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(total))));
    }
    chosen.assign(some.begin(), some.end());
  }
  Rng(order, 2).shuffle(chosen);
  return chosen;
}

void Machine::root(ir::OpId id, std::uint64_t order) {
  const ir::Op& o = f_.op(id);
  std::vector<LoopRange> ranges;
  for (const ir::LoopDim& dim : std::get<ir::LoopAttr>(o.payload).dims) {
    ranges.push_back(range_of(o, dim));
  }
  for (const auto& memory : memory_) {
    if (memory) memory->begin_root();
  }
  for (const std::int64_t program : choose_programs(ranges, order)) {
    program_ = static_cast<std::int32_t>(program);
    taint_ = 0;
    enter_tile(ranges, program);
    region(o.regions[0]);
    ++programs_;
  }
}

void Machine::run(std::uint64_t order) {
  for (const ir::OpId id : f_.region(f_.body).ops) {
    if (f_.op(id).code == ir::OpCode::Grid) root(id, order);
  }
}

void Machine::report(Finding::Kind kind, ir::OpId op, std::string message) {
  Finding& finding = findings_[{kind, op}];
  if (finding.count++ > 0) return;
  finding.kind = kind;
  finding.message = std::move(message);
  finding.where = f_.place(f_.op(op).where);
}

std::vector<Finding> Machine::findings() const {
  std::vector<Finding> all;
  for (const auto& [key, finding] : findings_) all.push_back(finding);
  return all;
}

OutputTensor Machine::output(TensorId id) const {
  const ir::TensorLayout& layout = host_.tensors[id.index()];
  const Storage& memory = *memory_[memory_of(id).index()];
  OutputTensor out;
  out.tensor = id;
  out.name = f_.tensor(id).name;
  out.dtype = f_.tensor(id).dtype;
  out.sizes = layout.sizes;
  std::vector<std::int64_t> at(layout.sizes.size(), 0);
  const std::int64_t n = layout.elements();
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t element = layout.offset;
    for (std::size_t d = 0; d < at.size(); ++d) element += at[d] * layout.strides[d];
    const Cell cell = memory.peek(element);
    const bool number = is_float(out.dtype);
    out.values.push_back(number ? cell.x : static_cast<double>(cell.i));
    if (!number) out.integers.push_back(cell.i);
    out.bounds.push_back(cell.error);
    std::uint8_t flags = memory.is_written(element) ? OutputTensor::written : std::uint8_t{0};
    if (cell.unsure) flags |= OutputTensor::ambiguous;
    out.flags.push_back(flags);
    for (std::size_t d = at.size(); d-- > 0;) {
      if (++at[d] < layout.sizes[d]) break;
      at[d] = 0;
    }
  }
  return out;
}

}  // namespace parhelion::interp
