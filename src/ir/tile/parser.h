// SPDX-License-Identifier: Apache-2.0
// Recursive descent over the grammar of frontend.md section 5, without backtracking.
#pragma once

#include "ir/tile/cursor.h"
#include "ir/tile/names.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace parhelion::ir {

class Parser {
 public:
  Parser(std::string_view text, std::string_view file) : in_(text, file), file_(file) {}
  std::vector<Function> file();

 private:
  /// `{name=...}`: what stood on the right, uninterpreted.
  struct Attribute {
    std::string name, text;
    ValueId value;
    Place where;
  };
  struct Target {
    std::string name;
    Place where;
  };
  // Names seen so far; the innermost of one name wins.
  template <class T>
  struct Scope {
    std::vector<std::pair<std::string, T>> entries;
    [[nodiscard]] std::optional<T> find(std::string_view name) const {
      for (std::size_t i = entries.size(); i-- > 0;) {
        if (entries[i].first == name) return entries[i].second;
      }
      return std::nullopt;
    }
    [[nodiscard]] std::vector<std::string> names(std::string_view sigil) const {
      std::vector<std::string> all;
      for (const auto& e : entries) all.push_back(std::string(sigil) + e.first);
      return all;
    }
  };

  // parse.cpp
  void header();
  Function kernel();
  void check_finished();
  void top_level();
  void returns();
  [[nodiscard]] Location location(Place where);
  void blame(Diagnostics& diagnostics, OpId op) const;
  // parse_sizes.cpp
  SizeId size();
  SizeId size_pair(std::string_view function);
  SizeId size_in_parentheses();
  std::vector<SizeId> dims();
  Relation relation();
  DType dtype();
  TileType type();
  AxisId dim();
  AxisId axis();
  AxisId product(AxisId a, AxisId b);
  // parse_host.cpp
  void parameters();
  void tensor_parameter();
  void scalar_parameter();
  void parameter_size(TensorId tensor, int dimension);
  void parameter_strides(TensorId tensor);
  void name_symbols();
  bool host_statement();
  void check(HostOp::Kind kind);
  void make_tensor();
  Tensor allocation(std::string_view word, Place where);
  Tensor view(std::string_view word, Place where);
  Tensor narrow_view(Tensor whole, Place where);
  Tensor expand_view(const Tensor& whole, Place where);
  Tensor general_view(Tensor whole);
  void require(SizeId left, Relation relation, SizeId right, Location where);
  void block_declaration();
  TensorId tensor();
  // parse_control.cpp
  void statement(RegionId region);
  void body(RegionId region, OpCode terminator);
  void loop(RegionId region, OpCode code, const std::vector<Target>& results, Place where);
  LoopDim loop_dim(OpId loop, std::uint32_t dimension, std::vector<ValueId>& operands);
  Bound bound(std::vector<ValueId>& operands);
  BlockId loop_block(const std::string& axis);
  void while_loop(RegionId region, const std::vector<Target>& results, Place where);
  void branch(RegionId region, const std::vector<Target>& results, Place where);
  std::vector<Target> carry(std::vector<ValueId>& operands);
  RegionId carried_region(const std::vector<Target>& names, const std::vector<ValueId>& entries);
  void terminator(RegionId region, OpCode code, Place where);
  void define_results(OpId op, const std::vector<Target>& results,
                      const std::vector<TileType>& types);
  void define(const Target& target, ValueId value);
  std::vector<Target> targets();
  ValueId value();
  std::vector<ValueId> values();
  void location_of(OpId op, Place where);
  std::vector<TileType> infer_checked(OpId op);
  // parse_ops.cpp
  void plain(RegionId region, const std::vector<Target>& results, Place where);
  void store(RegionId region, Place where);
  void payload(Op& op, std::string& number);
  void shape_payload(Op& op);
  std::int64_t dim_number();
  TileType written_type(Op& op, const std::string& number, Place where);
  void memory(Op& op, bool is_store);
  Access place(std::vector<ValueId>& indices);
  Subscript subscript(std::vector<ValueId>& indices);
  std::vector<Attribute> attributes();
  void access_attributes(Op& op, Access& access);
  void dot_attributes(Op& op);

  Cursor in_;
  std::string file_;
  std::vector<std::string> files_;  // of the header
  Function f_;
  Scope<TensorId> tensors_;
  Scope<ScalarId> scalars_;
  Scope<SizeId> symbols_;
  Scope<AxisId> axes_;
  Scope<BlockId> blocks_;
  Scope<ValueId> values_;
  std::map<OpId, Place> places_;    // of the text
  std::optional<bool> sites_written_;
  int depth_ = 0;
};

}  // namespace parhelion::ir
