// SPDX-License-Identifier: Apache-2.0
// Memory of one run: arguments that are only read stay where they are, what is written has a copy
// with bounds and with who touched it last.
#pragma once

#include "interp/interp.h"
#include "ir/tile/host.h"

#include <memory>
#include <vector>

namespace parhelion::interp {

[[nodiscard]] double load_number(const TensorView& view, std::int64_t element);
[[nodiscard]] std::int64_t load_integer(const TensorView& view, std::int64_t element);

/// One element: `x` of floats, `i` of the others.
struct Cell {
  double x = 0;
  std::int64_t i = 0;
  double error = 0;
  bool unsure = false;
};

class Storage {
 public:
  /// Read-only: the argument itself.
  explicit Storage(const TensorView& view) : view_(view), dtype_(view.dtype) {}
  /// Writable memory of `elements`, without content.
  Storage(DType dtype, std::int64_t elements);
  void fill_from(const TensorView& view);  // the argument's first elements
  void fill(double value);

  enum class Touch : std::uint8_t { Fine, Race, Unwritten, Duplicate };
  /// `program` is unique within a root.
  [[nodiscard]] Cell load(std::int64_t element, std::int32_t program, Touch& touch);
  [[nodiscard]] Touch store(std::int64_t element, const Cell& cell, std::int32_t program,
                            std::int64_t store_number);
  void begin_root();  // forgets who touched what
  [[nodiscard]] Cell peek(std::int64_t element) const;
  [[nodiscard]] bool is_written(std::int64_t element) const;
  [[nodiscard]] std::int64_t elements() const { return elements_; }

 private:
  static constexpr std::int32_t nobody = -1, several = -2;
  TensorView view_;
  DType dtype_;
  std::int64_t elements_ = 0;
  bool own_ = false;
  std::vector<double> x_, error_;
  std::vector<std::int64_t> i_;
  std::vector<std::uint8_t> written_, unsure_;
  std::vector<std::int32_t> writer_, reader_;  // last program of this root
  std::vector<std::int64_t> store_number_;
};

}  // namespace parhelion::interp
