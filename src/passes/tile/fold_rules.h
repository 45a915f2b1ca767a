// SPDX-License-Identifier: Apache-2.0
// Folding: the walk is in fold.cpp, the rules of each group beside it.
#pragma once

#include "ir/tile/scalar_ops.h"
#include "passes/tile/edit.h"
#include "passes/tile/passes.h"

#include <optional>
#include <span>

namespace parhelion::passes {

/// A value whose lanes all hold one known number.
struct KnownValue {
  ir::ConstAttr value;
  DType dtype = DType::F32;
  [[nodiscard]] bool is(double number) const;   // +0 and -0 differ
  [[nodiscard]] bool is_zero() const;           // either sign
};

class Folder {
 public:
  Folder(const ir::Function& function, Numerics numerics) : f_(function), numerics_(numerics) {}
  Rewritten run();

 private:
  // fold.cpp
  void region(ir::RegionId id);
  void visit(ir::OpId id);
  [[nodiscard]] bool decide(const ir::Op& op);
  void inline_region(ir::RegionId id, const std::vector<ir::ValueId>& results);
  /// The value that op's result can be replaced by; may emit ops.
  [[nodiscard]] std::optional<ir::ValueId> simplify(ir::Op& op, const ir::TileType& type);
  /// A simplified op, or the op itself, in front of what comes next.
  ir::ValueId emit(ir::Op op, const ir::TileType& type);
  ir::ValueId emit_as_is(ir::Op op, const ir::TileType& type);
  ir::ValueId constant(const ir::ConstAttr& value, const ir::TileType& type, ir::Location where);
  [[nodiscard]] std::optional<KnownValue> known(ir::ValueId v) const;
  [[nodiscard]] const ir::Op* maker(ir::ValueId v, ir::OpCode code) const;
  /// `v` spread over the axes of `type`.
  ir::ValueId as(ir::ValueId v, const ir::TileType& type, ir::Location where);
  // fold_arithmetic.cpp
  [[nodiscard]] std::optional<ir::ValueId> constant_operands(const ir::Op& op,
                                                             const ir::TileType& type);
  [[nodiscard]] std::optional<ir::ValueId> unary(const ir::Op& op, const ir::TileType& type);
  [[nodiscard]] std::optional<ir::ValueId> cast(const ir::Op& op, const ir::TileType& type);
  [[nodiscard]] std::optional<ir::ValueId> binary(ir::Op& op, const ir::TileType& type);
  [[nodiscard]] std::optional<ir::ValueId> with_constant(const ir::Op& op, const KnownValue& c,
                                                         const ir::TileType& type);
  [[nodiscard]] std::optional<ir::ValueId> reassociate(const ir::Op& op, const KnownValue& c,
                                                       const ir::TileType& type);
  [[nodiscard]] std::optional<ir::ValueId> where(const ir::Op& op, const ir::TileType& type);
  // fold_shape.cpp
  [[nodiscard]] std::optional<ir::ValueId> full(const ir::Op& op, const ir::TileType& type);
  [[nodiscard]] std::optional<ir::ValueId> shape(const ir::Op& op, const ir::TileType& type);
  [[nodiscard]] std::optional<ir::ValueId> permute(const ir::Op& op, const ir::TileType& type);
  [[nodiscard]] std::optional<ir::ValueId> reduce(const ir::Op& op, const ir::TileType& type);

  ir::Function f_;
  Numerics numerics_;
  Replacements replaced_;
  std::vector<ir::OpId>* list_ = nullptr;  // where ops go
  bool changed_ = false;
};

/// Whether every number of `from` is one of `to`.
[[nodiscard]] bool widens_exactly(DType from, DType to);

}  // namespace parhelion::passes
