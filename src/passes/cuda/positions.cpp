// SPDX-License-Identifier: Apache-2.0
// Where a thread stands: its part of each coordinate, loops over its registers, validity, owners.
#include "passes/cuda/engine.h"

#include "base/diag.h"

#include <algorithm>
#include <bit>
#include <cctype>

namespace parhelion::passes::cuda {

using layout::Input;
using layout::Stripe;

std::vector<ClassId> Engine::present(const Classes& classes) {
  std::vector<ClassId> list;
  for (const ClassId id : classes) {
    if (id.valid()) list.push_back(id);
  }
  return list;
}

bool Engine::is_constant(k::ValueId value) const {
  const k::OpId by = m.value(value).defined_by;
  return by.valid() && m.op(by).code == k::OpCode::Const;
}

std::optional<std::int64_t> Engine::known(k::ValueId value) const {
  const bool number = m.type(value).element == DType::Bool || is_integer(m.type(value).element);
  if (!is_constant(value) || !number) return std::nullopt;
  return m.op(m.value(value).defined_by).integer("value");
}

/// The user's name of a tile, the size of a full axis.
std::string Engine::axis_name(ir::AxisId axis) const {
  const ir::Axis& a = f_.axis(axis);
  if (!a.name.empty()) return a.name;
  const std::string size =
      f_.sizes.text(a.extent, [this](ir::BlockId id) { return f_.blocks[id.index()].name; });
  const bool word = !size.empty() && std::ranges::all_of(size, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
  return word && std::isdigit(static_cast<unsigned char>(size[0])) == 0 ? size : "axis";
}

k::ValueId Engine::named(k::ValueId value, std::string name) {
  const bool has_one = !m.value(value).name.empty() || is_constant(value);
  return has_one ? value : b.name(value, std::move(name));
}

void Engine::open_each(std::int64_t n, const char* name) {
  b.open(k::OpCode::Each, {}, {}, {{i32(), name}}, {{"count", n}});
}

// Runs of coordinate bits that are neighbours in the lane or warp index, each as one term.
void Engine::make_thread_parts(const plan::cuda::RootPlan& root) {
  thread_part_.clear();
  owners_.clear();
  lane_ = b.name(one(k::OpCode::LaneId, {}, i32()), "lane");
  warp_ = root.warps == 1 ? c32(0) : b.name(one(k::OpCode::WarpId, {}, i32()), "warp");
  for (std::size_t c = 0; c < plan_.classes.size(); ++c) {
    const Stripe& stripe = plan_.classes[c].stripe;
    k::ValueId sum = c32(0);
    for (std::size_t i = 0; i < stripe.bits.size();) {
      const Stripe::Source from = stripe.bits[i];
      std::size_t n = 1;
      while (i + n < stripe.bits.size() && stripe.bits[i + n].input == from.input &&
             stripe.bits[i + n].bit == from.bit + static_cast<int>(n)) {
        ++n;
      }
      if (from.input != Input::Register) {
        const bool lane = from.input == Input::Lane;
        const int all = lane ? 5 : std::countr_zero(static_cast<unsigned>(root.warps));
        k::ValueId part = div(lane ? lane_ : warp_, c32(1 << from.bit));
        if (from.bit + static_cast<int>(n) < all) part = rem(part, c32(1 << n));
        sum = add(sum, mul(part, c32(1 << i)));
      } else {
        n = 1;
      }
      i += n;
    }
    if (!known(sum) && sum != lane_ && sum != warp_)
      b.name(sum, axis_name(plan_.classes[c].axis) + "_thread");
    thread_part_[ClassId(c)] = sum;
  }
}

k::ValueId Engine::register_part(const Stripe& stripe, k::ValueId index) {
  if (const auto constant = known(index)) {
    return c32(stripe.register_part(static_cast<int>(*constant)));
  }
  k::ValueId sum = c32(0);
  int taken = 0;  // register bits that earlier runs have used
  for (std::size_t i = 0; i < stripe.bits.size();) {
    std::size_t n = 0;
    while (i + n < stripe.bits.size() && stripe.bits[i + n].input == Input::Register) ++n;
    if (n == 0) {
      ++i;
      continue;
    }
    const bool last = i + n == stripe.bits.size();  // the repeat goes on behind it
    const bool only = stripe.repeat == 1 && taken + static_cast<int>(n) == stripe.register_bits();
    k::ValueId part = div(index, c32(1 << taken));
    if (!last && !only) part = rem(part, c32(1 << n));
    sum = add(sum, mul(part, c32(std::int64_t{1} << i)));
    taken += static_cast<int>(n);
    i += n;
    if (last) return sum;
  }
  if (stripe.repeat == 1) return sum;
  const k::ValueId turns = div(index, c32(1 << taken));
  return add(sum, mul(turns, c32(std::int64_t{1} << stripe.bits.size())));
}

k::ValueId Engine::local(ClassId id) {
  if (const k::ValueId* found = lookup(&Frame::local, id)) return *found;
  const k::ValueId* index = lookup(&Frame::index, id);
  PH_ASSERT(index != nullptr, "no loop over '" + f_.axis(plan_.of(id).axis).name + "' is open");
  k::ValueId at = add(thread_part_.at(id), register_part(plan_.of(id).stripe, *index));
  if (const k::ValueId* chunk = lookup(&Frame::chunk, id)) at = add(*chunk, at);
  return frames_.back().local[id] = named(at, axis_name(plan_.of(id).axis) + "_index");
}

k::ValueId Engine::limit(ir::AxisId axis) {
  if (f_.axis(axis).kind != ir::AxisKind::Tile)
    return as(size_value(f_.axis(axis).extent), DType::I32);
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const auto found = frames_[i].axes.find(axis);
    if (found != frames_[i].axes.end()) return found->second.limit;
  }
  PH_ASSERT(false, "the loop of tile '" + f_.axis(axis).name + "' is not open");
  return {};
}

k::ValueId Engine::axis_begin(ir::AxisId axis) {
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const auto found = frames_[i].axes.find(axis);
    if (found != frames_[i].axes.end()) return found->second.begin;
  }
  return b.integer(0, index_dtype());
}

k::ValueId Engine::valid(ClassId id) {
  if (const k::ValueId* found = lookup(&Frame::valid, id)) return *found;
  const k::ValueId inside = b.compare(k::OpCode::Lt, local(id), limit(plan_.of(id).axis));
  return frames_.back().valid[id] = named(inside, axis_name(plan_.of(id).axis) + "_valid");
}

std::optional<k::ValueId> Engine::all_valid(const Classes& classes) {
  std::optional<k::ValueId> condition;
  for (const ClassId id : present(classes)) {
    if (masked(id)) condition = both(condition, valid(id));
  }
  return condition;
}

// Threads that differ only in lanes and warps that no class uses hold copies: the first one acts.
std::optional<k::ValueId> Engine::owner(const Classes& classes) {
  std::uint32_t lanes = 31, warps = static_cast<std::uint32_t>(root_->warps - 1);
  for (const ClassId id : present(classes)) {
    lanes &= ~plan_.of(id).stripe.lane_mask();
    warps &= ~plan_.of(id).stripe.warp_mask();
  }
  std::optional<k::ValueId> first;
  const auto need_zero = [&](k::ValueId index, std::uint32_t mask, std::uint32_t all) {
    if (mask == 0) return;
    const k::ValueId bits = mask == all ? index : b.binary(k::OpCode::And, index, c32(mask));
    first = both(first, b.compare(k::OpCode::Eq, bits, c32(0)));
  };
  need_zero(lane_, lanes, 31);
  need_zero(warp_, warps, static_cast<std::uint32_t>(root_->warps - 1));
  return first;
}

void Engine::each_register(const std::vector<ClassId>& list, const std::function<void()>& body) {
  if (list.empty()) return body();
  const std::vector<ClassId> rest(list.begin() + 1, list.end());
  each_vector(list[0], 1, [&] { each_register(rest, body); });
}

/// One trip for each group of `vector` registers; the index stands at the group's first.
void Engine::each_vector(ClassId id, int vector, const std::function<void()>& body) {
  const int groups = plan_.of(id).stripe.registers() / vector;
  if (groups == 1) {
    Scope scope(*this);
    frames_.back().index[id] = c32(0);
    return body();
  }
  open_each(groups, "i");
  {
    Scope scope(*this);
    frames_.back().index[id] = named(mul(b.loop_index(), c32(vector)), "first");
    body();
  }
  b.close();
}

/// Inside each_vector: its elements one by one.
void Engine::each_element(ClassId id, int vector, const std::function<void(k::ValueId)>& body) {
  if (vector == 1) return body(c32(0));
  const k::ValueId first = *lookup(&Frame::index, id);
  const k::ValueId start = local(id);
  open_each(vector, "e");
  {
    Scope scope(*this);
    const k::ValueId e = b.loop_index();
    frames_.back().index[id] = add(first, e);
    frames_.back().local[id] = add(start, e);
    if (masked(id)) {
      frames_.back().valid[id] = b.compare(k::OpCode::Lt, add(start, e), limit(plan_.of(id).axis));
    }
    body(e);
  }
  b.close();
}

bool Engine::bound_chunk(ClassId id) const { return lookup(&Frame::chunk, id) != nullptr; }

bool Engine::has_open_chunk(const Classes& list) const {
  return std::ranges::any_of(
      present(list), [&](ClassId id) { return plan_.of(id).chunk > 0 && !bound_chunk(id); });
}

/// Walks the classes that are laid out by chunks and are not walked yet.
void Engine::each_chunk(const std::vector<ClassId>& list, const std::function<void()>& body) {
  const auto open = std::ranges::find_if(
      list, [&](ClassId id) { return plan_.of(id).chunk > 0 && !bound_chunk(id); });
  if (open == list.end()) return body();
  const ClassId id = *open;
  const plan::cuda::ClassPlan& c = plan_.of(id);
  b.open_for(c32(0), limit(c.axis), c32(c.stripe.extent()), {}, axis_name(c.axis) + "_chunk");
  ++loops_;
  {
    Scope scope(*this);
    frames_.back().chunk[id] = b.loop_index();
    each_chunk(list, body);
  }
  --loops_;
  b.close();
}

}  // namespace parhelion::passes::cuda
