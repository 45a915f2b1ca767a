// SPDX-License-Identifier: Apache-2.0
// Linear maps over F2 with at most 32 input and 32 output bits: one word per input bit, so that a
// step of every algorithm below is one word operation.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace parhelion::layout {

/// A vector of F2: bit i is coordinate i. Addition is XOR.
using Bits = std::uint32_t;

class BitMatrix {
 public:
  BitMatrix() = default;
  BitMatrix(int rows, std::vector<Bits> columns) : rows_(rows), columns_(std::move(columns)) {}
  static BitMatrix identity(int size);
  static BitMatrix zero(int rows, int columns);

  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return static_cast<int>(columns_.size()); }
  [[nodiscard]] Bits column(int i) const { return columns_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] const std::vector<Bits>& all_columns() const { return columns_; }
  void set_column(int i, Bits value) { columns_[static_cast<std::size_t>(i)] = value; }

  [[nodiscard]] Bits apply(Bits x) const;
  /// this after `inner`.
  [[nodiscard]] BitMatrix compose(const BitMatrix& inner) const;
  [[nodiscard]] BitMatrix plus(const BitMatrix& other) const;
  /// Output bits [first, first + count) of input bits [from, from + width).
  [[nodiscard]] BitMatrix block(int first, int count, int from, int width) const;

  [[nodiscard]] int rank() const;
  /// Basis of {x : apply(x) = 0}, reduced: each vector has a leading bit that no other one has.
  [[nodiscard]] std::vector<Bits> kernel() const;
  /// g with apply(g(y)) = y for all y; exists when the rank is the number of rows.
  [[nodiscard]] std::optional<BitMatrix> right_inverse() const;
  bool operator==(const BitMatrix&) const = default;

 private:
  int rows_ = 0;
  std::vector<Bits> columns_;
};

/// A subspace of F2^n as a reduced echelon basis: equal spaces have equal bases.
class Subspace {
 public:
  Subspace() = default;
  explicit Subspace(std::span<const Bits> generators);
  /// False when `v` was already in the space.
  bool add(Bits v);
  [[nodiscard]] bool contains(Bits v) const { return reduce(v) == 0; }
  [[nodiscard]] int dimension() const { return static_cast<int>(basis_.size()); }
  [[nodiscard]] const std::vector<Bits>& basis() const {
    return basis_;
  }  // descending leading bits
  bool operator==(const Subspace&) const = default;

 private:
  [[nodiscard]] Bits reduce(Bits v) const;
  std::vector<Bits> basis_;
};

[[nodiscard]] Subspace sum(const Subspace& a, const Subspace& b);
[[nodiscard]] Subspace intersection(const Subspace& a, const Subspace& b);
/// Those of `candidates` (in order) that extend `space`; stops at `limit` vectors.
[[nodiscard]] std::vector<Bits> extension(const Subspace& space, std::span<const Bits> candidates,
                                          int limit = 32);
/// Unit vectors 1, 2, 4 ... of F2^n.
[[nodiscard]] std::vector<Bits> unit_vectors(int n);

}  // namespace parhelion::layout
