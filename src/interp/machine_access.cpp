// SPDX-License-Identifier: Apache-2.0
// Loads and stores, lane by lane.
#include "interp/machine.h"
#include "interp/numbers.h"
#include "interp/pointwise.h"

#include <fmt/format.h>

namespace parhelion::interp {

using ir::Subscript;

const ir::PlaceMap& Machine::place_map(ir::OpId id) {
  const auto it = places_.find(id);
  if (it != places_.end()) return it->second;
  const ir::Op& o = f_.op(id);
  return places_[id] = ir::map_place(f_, std::get<ir::Access>(o.payload), o.operands);
}

/// Goes through the lanes of a place; for each the element, or why there is none.
struct Machine::Walk {
  struct Dimension {
    Subscript::Kind kind = Subscript::Kind::Point;
    std::int64_t first = 0, step = 0;  // Point, Tile, All, Slice: first + step * coordinate
    int place = -1;                    // which coordinate
    const Tile* index = nullptr;       // Value: lane = sum of coordinate * stride
    std::vector<std::pair<std::size_t, std::size_t>> lanes;
    std::int64_t size = 0, stride = 0;
  };
  Shape shape, valid, at;
  std::vector<Dimension> dimensions;
  std::int64_t offset = 0;
  // Of the current lane:
  bool is_valid = true, inside = true, unsure = false, broken_promise = false;
  std::int64_t element = 0;

  Walk(Machine& machine, ir::OpId id);
  void locate();
  void next();
};

Machine::Walk::Walk(Machine& m, ir::OpId id) {
  const ir::Op& o = m.f_.op(id);
  const auto& access = std::get<ir::Access>(o.payload);
  const ir::PlaceMap& map = m.place_map(id);
  const ir::TensorLayout& layout = m.host_.tensors[access.tensor.index()];
  offset = layout.offset;
  shape = m.shape_of(map.axes);
  for (const ir::AxisId a : map.axes) valid.push_back(m.axis(a).valid);
  at.assign(shape.size(), 0);
  std::size_t dimension = 0;
  for (std::size_t i = 0; i < access.subscripts.size(); ++i) {
    const Subscript& s = access.subscripts[i];
    if (s.kind == Subscript::Kind::New) continue;
    Dimension d;
    d.kind = s.kind;
    d.place = map.dimension[i];
    d.size = layout.sizes[dimension];
    d.stride = layout.strides[dimension++];
    d.step = s.kind == Subscript::Kind::Slice ? s.step : 1;
    if (s.begin.valid()) d.first = m.size(s.begin);
    if (s.kind == Subscript::Kind::Tile) d.first += m.axis(s.axis).begin;
    if (s.kind == Subscript::Kind::Value) {
      d.index = &m.get(o.operands[s.operand]);
      std::size_t stride = 1;
      for (std::size_t k = d.index->shape.size(); k-- > 0;) {
        const int place = map.of_value[i][k];
        if (place >= 0) d.lanes.emplace_back(static_cast<std::size_t>(place), stride);
        stride *= static_cast<std::size_t>(d.index->shape[k]);
      }
    }
    dimensions.push_back(std::move(d));
  }
}

void Machine::Walk::locate() {
  is_valid = inside = true;
  unsure = broken_promise = false;
  element = offset;
  for (std::size_t k = 0; k < at.size(); ++k) is_valid = is_valid && at[k] < valid[k];
  for (const Dimension& d : dimensions) {
    std::int64_t index = d.first;
    if (d.index != nullptr) {
      std::size_t lane = 0;
      for (const auto& [place, stride] : d.lanes) {
        lane += static_cast<std::size_t>(at[place]) * stride;
      }
      index = d.index->i[lane];
      unsure = unsure || d.index->unsure_at(lane);
    } else if (d.place >= 0) {
      index += d.step * at[static_cast<std::size_t>(d.place)];
    }
    const bool fits = index >= 0 && index < d.size;
    inside = inside && fits;
    broken_promise = broken_promise || (!fits && d.index != nullptr);
    element += index * d.stride;
  }
}

void Machine::Walk::next() {
  for (std::size_t k = at.size(); k-- > 0;) {
    if (++at[k] < shape[k]) return;
    at[k] = 0;
  }
}

void Machine::touched(Storage::Touch touch, ir::OpId id, ir::TensorId tensor) {
  const std::string& name = f_.tensor(tensor).name;
  switch (touch) {
    case Storage::Touch::Fine: return;
    case Storage::Touch::Race:
      return report(Finding::Kind::Race, id,
                    fmt::format("two programs touch one element of '{}', one of them writes it",
                                name));
    case Storage::Touch::Unwritten:
      return report(Finding::Kind::Uninitialized, id,
                    fmt::format("'{}' is read where nothing has written it", name));
    case Storage::Touch::Duplicate:
      return report(Finding::Kind::DuplicateStore, id,
                    fmt::format("one store writes two values to one element of '{}'", name));
  }
}

namespace {

struct Mask {
  const Tile* tile = nullptr;
  std::optional<Lanes> lanes;
  [[nodiscard]] bool on(std::size_t k) const { return !lanes || tile->i[(*lanes)[k]] != 0; }
  [[nodiscard]] bool unsure(std::size_t k) const { return lanes && tile->unsure_at((*lanes)[k]); }
};

Cell cell_of(const Tile& tile, std::size_t k) {
  Cell cell;
  if (tile.is_float()) {
    cell.x = tile.x[k];
    cell.error = tile.error_at(k);
  } else {
    cell.i = tile.i[k];
  }
  cell.unsure = tile.unsure_at(k);
  return cell;
}

void put_cell(Tile& tile, std::size_t k, const Cell& cell) {
  if (tile.is_float()) {
    tile.x[k] = cell.x;
    tile.set_error(k, cell.error);
  } else {
    tile.i[k] = cell.i;
  }
  if (cell.unsure) tile.set_unsure(k);
}

}  // namespace

void Machine::load(ir::OpId id) {
  const ir::Op& o = f_.op(id);
  const auto& access = std::get<ir::Access>(o.payload);
  Walk walk(*this, id);
  Mask mask;
  if (access.masked) {
    mask.tile = &get(o.operands.back());
    mask.lanes.emplace(walk.shape, mask.tile->shape);
  }
  Storage& memory = *memory_[memory_of(access.tensor).index()];
  Tile r = Tile::of(f_.type(o.results[0]).dtype, walk.shape);
  Cell other;
  other.x = round_number(access.other, r.dtype);
  if (!r.is_float()) other.i = to_integer(access.other, r.dtype);
  const std::size_t n = r.size();
  for (std::size_t k = 0; k < n; ++k, walk.next()) {
    walk.locate();
    Cell cell = other;
    const bool wanted = walk.is_valid && mask.on(k);
    if (wanted && walk.inside) {
      Storage::Touch touch = Storage::Touch::Fine;
      cell = memory.load(walk.element, program_, touch);
      if (touch == Storage::Touch::Unwritten && sampled_) {
        cell.unsure = true;  // another program would have written it
      } else {
        touched(touch, id, access.tensor);
      }
    } else if (wanted && access.in_bounds && walk.broken_promise) {
      report(Finding::Kind::OutOfBounds, id, "an index is outside, in_bounds was promised");
    }
    cell.unsure = cell.unsure || (walk.is_valid && (walk.unsure || mask.unsure(k)));
    put_cell(r, k, cell);
  }
  set(o.results[0], std::move(r));
}

void Machine::store(ir::OpId id) {
  const ir::Op& o = f_.op(id);
  const auto& access = std::get<ir::Access>(o.payload);
  Walk walk(*this, id);
  Mask mask;
  if (access.masked) {
    mask.tile = &get(o.operands.back());
    mask.lanes.emplace(walk.shape, mask.tile->shape);
  }
  const Tile& value = get(o.operands[0]);
  const Lanes lanes(walk.shape, value.shape);
  Storage& memory = *memory_[memory_of(access.tensor).index()];
  ++store_number_;
  const std::size_t n = lane_count(walk.shape);
  for (std::size_t k = 0; k < n; ++k, walk.next()) {
    walk.locate();
    if (!walk.is_valid || (!mask.on(k) && !mask.unsure(k))) continue;
    if (!walk.inside) {
      if (access.in_bounds && walk.broken_promise) {
        report(Finding::Kind::OutOfBounds, id, "an index is outside, in_bounds was promised");
      }
      continue;
    }
    Cell cell = mask.on(k) ? cell_of(value, lanes[k]) : memory.peek(walk.element);
    cell.unsure = cell.unsure || walk.unsure || mask.unsure(k) || taint_ > 0;
    touched(memory.store(walk.element, cell, program_, store_number_), id, access.tensor);
  }
}

}  // namespace parhelion::interp
