// SPDX-License-Identifier: Apache-2.0
// One run of a kernel: all roots, their programs in a random order.
#pragma once

#include "interp/interp.h"
#include "interp/memory.h"
#include "interp/tile.h"
#include "ir/tile/host.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace parhelion::interp {

/// One tile of an axis: where it begins, how many lanes are held and how many are in range.
struct AxisState {
  std::int64_t begin = 0, end = 0, id = 0, count = 0;  // end: clipped
  std::int64_t lanes = 1, valid = 1;
};

class Machine {
 public:
  Machine(const ir::Function& function, const Inputs& inputs, const Options& options,
          const ir::HostState& host, const Observer* observer);
  /// `order`: seed of the order of programs.
  void run(std::uint64_t order);

  [[nodiscard]] OutputTensor output(ir::TensorId id) const;
  [[nodiscard]] std::vector<Finding> findings() const;
  [[nodiscard]] bool sampled() const { return sampled_; }
  [[nodiscard]] std::int64_t programs() const { return programs_; }

 private:
  struct LoopRange {
    ir::LoopDim dim;
    std::int64_t begin = 0, end = 0, block = 1, count = 0;
  };
  // machine.cpp
  void bind_blocks();
  void make_memory(const Inputs& inputs);
  void root(ir::OpId id, std::uint64_t order);
  [[nodiscard]] std::vector<std::int64_t> choose_programs(const std::vector<LoopRange>& ranges,
                                                          std::uint64_t order);
  [[nodiscard]] std::int64_t size(ir::SizeId id) const;
  [[nodiscard]] std::int64_t block_size(ir::BlockId id) const { return blocks_[id.index()]; }
  [[nodiscard]] LoopRange range_of(const ir::Op& op, const ir::LoopDim& dim);
  void enter_tile(const std::vector<LoopRange>& ranges, std::int64_t linear);
  [[nodiscard]] ir::TensorId memory_of(ir::TensorId id) const;
  void report(Finding::Kind kind, ir::OpId op, std::string message);
  // machine_ops.cpp
  void region(ir::RegionId id);
  void op(ir::OpId id);
  void leaf(const ir::Op& o);
  void shape(const ir::Op& o);
  void loop(const ir::Op& o);
  void while_loop(ir::OpId id, const ir::Op& o);
  void branch(const ir::Op& o);
  void set(ir::ValueId id, Tile tile);
  [[nodiscard]] const Tile& get(ir::ValueId id) const { return values_[id.index()]; }
  [[nodiscard]] std::vector<Tile> yielded(ir::RegionId id) const;
  void pass(const std::vector<ir::ValueId>& to, std::vector<Tile> tiles);
  [[nodiscard]] const AxisState& axis(ir::AxisId id) const { return axes_[id.index()]; }
  [[nodiscard]] Shape shape_of(const std::vector<ir::AxisId>& axes) const;
  // machine_access.cpp
  struct Walk;
  void load(ir::OpId id);
  void store(ir::OpId id);
  [[nodiscard]] const ir::PlaceMap& place_map(ir::OpId id);
  void touched(Storage::Touch touch, ir::OpId id, ir::TensorId tensor);

  const ir::Function& f_;
  const Options& options_;
  const ir::HostState& host_;
  const Observer* observer_;
  std::vector<Scalar> scalars_;
  std::vector<std::int64_t> blocks_;
  std::vector<std::unique_ptr<Storage>> memory_;  // by TensorId; views have none
  std::vector<AxisState> axes_;
  std::vector<Tile> values_;
  std::map<ir::OpId, ir::PlaceMap> places_;
  std::map<std::pair<Finding::Kind, ir::OpId>, Finding> findings_;
  std::int64_t store_number_ = 0, programs_ = 0;
  std::int32_t program_ = 0;
  int taint_ = 0;  // inside code that an ambiguous condition chose
  bool sampled_ = false;
};

}  // namespace parhelion::interp
