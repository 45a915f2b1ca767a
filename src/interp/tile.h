// SPDX-License-Identifier: Apache-2.0
// A value of the interpreter: lanes of one tile with error bounds.
#pragma once

#include <parhelion/dtype.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace parhelion::interp {

using Shape = std::vector<std::int64_t>;

[[nodiscard]] inline std::size_t lane_count(const Shape& shape) {
  std::size_t n = 1;
  for (const std::int64_t s : shape) n *= static_cast<std::size_t>(s);
  return n;
}

/// Floats live in `x` as doubles, integers and bool in `i`. `error` and `unsure` are empty where
/// every lane is exact and sure: the common case costs nothing.
struct Tile {
  DType dtype = DType::F32;
  Shape shape;
  std::vector<double> x;
  std::vector<std::int64_t> i;
  std::vector<double> error;
  std::vector<std::uint8_t> unsure;

  [[nodiscard]] bool is_float() const { return parhelion::is_float(dtype); }
  [[nodiscard]] std::size_t size() const { return is_float() ? x.size() : i.size(); }
  [[nodiscard]] double error_at(std::size_t k) const { return error.empty() ? 0 : error[k]; }
  [[nodiscard]] bool unsure_at(std::size_t k) const { return !unsure.empty() && unsure[k] != 0; }
  [[nodiscard]] double number_at(std::size_t k) const {
    return is_float() ? x[k] : static_cast<double>(i[k]);
  }

  static Tile of(DType dtype, Shape shape) {
    Tile t;
    t.dtype = dtype;
    const std::size_t n = lane_count(shape);
    t.shape = std::move(shape);
    if (t.is_float()) {
      t.x.resize(n);
    } else {
      t.i.resize(n);
    }
    return t;
  }
  void set_error(std::size_t k, double e) {
    if (e == 0 && error.empty()) return;
    if (error.empty()) error.resize(size());
    error[k] = e;
  }
  void set_unsure(std::size_t k) {
    if (unsure.empty()) unsure.resize(size());
    unsure[k] = 1;
  }
};

}  // namespace parhelion::interp
