// SPDX-License-Identifier: Apache-2.0
#include "layout/bit_matrix.h"

#include <algorithm>
#include <bit>

namespace parhelion::layout {
namespace {

// A row of Gaussian elimination: a reachable output and the input combination that makes it.
struct Pivot {
  Bits output = 0, input = 0;
};

int leading_bit(Bits v) { return 31 - std::countl_zero(v); }

struct Elimination {
  std::vector<Pivot> pivots;
  std::vector<Bits> kernel;
};

Elimination eliminate(const std::vector<Bits>& columns) {
  Elimination result;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    Pivot current{columns[i], Bits{1} << i};
    for (const Pivot& p : result.pivots) {
      if ((current.output >> leading_bit(p.output) & 1u) == 0) continue;
      current.output ^= p.output;
      current.input ^= p.input;
    }
    if (current.output == 0) {
      result.kernel.push_back(current.input);
      continue;
    }
    const int lead = leading_bit(current.output);
    for (Pivot& p : result.pivots) {
      if ((p.output >> lead & 1u) == 0) continue;
      p.output ^= current.output;
      p.input ^= current.input;
    }
    result.pivots.push_back(current);
  }
  return result;
}

}  // namespace

BitMatrix BitMatrix::identity(int size) { return {size, unit_vectors(size)}; }

BitMatrix BitMatrix::zero(int rows, int columns) {
  return {rows, std::vector<Bits>(static_cast<std::size_t>(columns), 0)};
}

Bits BitMatrix::apply(Bits x) const {
  Bits y = 0;
  for (; x != 0; x &= x - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(x));
    if (i < columns_.size()) y ^= columns_[i];
  }
  return y;
}

BitMatrix BitMatrix::compose(const BitMatrix& inner) const {
  BitMatrix result(rows_, inner.columns_);
  for (Bits& c : result.columns_) c = apply(c);
  return result;
}

BitMatrix BitMatrix::plus(const BitMatrix& other) const {
  BitMatrix result = *this;
  for (std::size_t i = 0; i < columns_.size(); ++i) result.columns_[i] ^= other.columns_[i];
  return result;
}

BitMatrix BitMatrix::block(int first, int count, int from, int width) const {
  const Bits mask = count >= 32 ? ~Bits{0} : (Bits{1} << count) - 1;
  BitMatrix result = zero(count, width);
  for (int i = 0; i < width; ++i) result.set_column(i, column(from + i) >> first & mask);
  return result;
}

int BitMatrix::rank() const { return static_cast<int>(eliminate(columns_).pivots.size()); }

std::vector<Bits> BitMatrix::kernel() const { return Subspace(eliminate(columns_).kernel).basis(); }

std::optional<BitMatrix> BitMatrix::right_inverse() const {
  const Elimination e = eliminate(columns_);
  if (static_cast<int>(e.pivots.size()) != rows_) return std::nullopt;
  BitMatrix inverse = zero(columns(), rows_);
  // The elimination is reduced and of full rank: each pivot's output is one unit vector.
  for (const Pivot& p : e.pivots) inverse.set_column(leading_bit(p.output), p.input);
  return inverse;
}

Subspace::Subspace(std::span<const Bits> generators) {
  for (const Bits v : generators) add(v);
}

Bits Subspace::reduce(Bits v) const {
  for (const Bits b : basis_) {
    if (v >> leading_bit(b) & 1u) v ^= b;
  }
  return v;
}

bool Subspace::add(Bits v) {
  v = reduce(v);
  if (v == 0) return false;
  const int lead = leading_bit(v);
  for (Bits& b : basis_) {
    if (b >> lead & 1u) b ^= v;
  }
  basis_.push_back(v);
  std::sort(basis_.begin(), basis_.end(), std::greater<>());
  return true;
}

Subspace sum(const Subspace& a, const Subspace& b) {
  Subspace result = a;
  for (const Bits v : b.basis()) result.add(v);
  return result;
}

Subspace intersection(const Subspace& a, const Subspace& b) {
  // Each linear relation between the two bases gives one common vector.
  std::vector<Bits> columns = a.basis();
  columns.insert(columns.end(), b.basis().begin(), b.basis().end());
  const Bits left = a.dimension() >= 32 ? ~Bits{0} : (Bits{1} << a.dimension()) - 1;
  Subspace result;
  for (const Bits relation : eliminate(columns).kernel) {
    result.add(BitMatrix(32, columns).apply(relation & left));
  }
  return result;
}

std::vector<Bits> extension(const Subspace& space, std::span<const Bits> candidates, int limit) {
  Subspace grown = space;
  std::vector<Bits> added;
  for (const Bits v : candidates) {
    if (static_cast<int>(added.size()) == limit) break;
    if (grown.add(v)) added.push_back(v);
  }
  return added;
}

std::vector<Bits> unit_vectors(int n) {
  std::vector<Bits> units;
  for (int i = 0; i < n; ++i) units.push_back(Bits{1} << i);
  return units;
}

}  // namespace parhelion::layout
