// SPDX-License-Identifier: Apache-2.0
#include "subjects.h"

#include "base/files.h"
#include "base/half.h"
#include "base/rng.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace emulation_test {

using parhelion::DType;

namespace {

em::Launch launch_of(int grid, int threads, em::Schedule schedule, std::uint64_t seed) {
  em::Launch launch;
  launch.grid_x = grid;
  launch.threads = threads;
  launch.schedule = schedule;
  launch.seed = seed;
  launch.time_limit_s = 10;
  return launch;
}

/// Outputs start as NaN: what nobody stores is wrong.
constexpr std::uint16_t f16_nan = 0x7e00;

Outcome run_softmax(const CompiledText& compiled, em::Schedule schedule, std::uint64_t seed) {
  constexpr std::size_t rows = 7, cols = 1000;
  parhelion::Rng rng(1);
  std::vector<std::uint16_t> x(rows * cols), y(rows * cols, f16_nan);
  for (auto& e : x) e = parhelion::to_bits(2 * rng.normal(), DType::F16);
  // Rows whose greatest element lies in another warp's part each, by a margin that cannot be lost.
  for (std::size_t r = 0; r < rows; ++r)
    x[r * cols + r * 131 + 5] = parhelion::to_bits(9, DType::F16);
  em::Launch launch = launch_of(2, 128, schedule, seed);
  launch.buffers = {buffer(x, false), buffer(y, true)};
  launch.arguments = {em::Argument::pointer(0), em::Argument::pointer(1),
                      em::Argument::integer(rows)};
  Outcome outcome{compiled.run(launch), true};
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0;
    for (std::size_t c = 0; c < cols; ++c) {
      sum += std::exp(parhelion::from_bits(x[r * cols + c], DType::F16) - 9);
    }
    for (std::size_t c = 0; c < cols; ++c) {
      const double expected = std::exp(parhelion::from_bits(x[r * cols + c], DType::F16) - 9) / sum;
      const double got = parhelion::from_bits(y[r * cols + c], DType::F16);
      // Half an ulp of f16, its least denormal, and the f32 arithmetic before.
      const bool near = std::abs(got - expected) <= expected * 0x1p-10 + 0x1p-24;
      outcome.right_numbers = outcome.right_numbers && near;
    }
  }
  return outcome;
}

Outcome run_matmul(const CompiledText& compiled, em::Schedule schedule, std::uint64_t seed) {
  constexpr int m = 41, n = 72, k = 232;  // tails in all; 8 steps of 3 slots; 3 tiles a block
  parhelion::Rng rng(2);
  const auto elements = [&](int count) {
    std::vector<std::uint16_t> bits(static_cast<std::size_t>(count));
    for (auto& e : bits) {
      e = parhelion::to_bits(static_cast<double>(rng.between(-8, 8)), DType::F16);
    }
    return bits;
  };
  std::vector<std::uint16_t> a = elements(m * k), b = elements(k * n);
  std::vector<float> d(static_cast<std::size_t>(m * n), std::numeric_limits<float>::quiet_NaN());
  em::Launch launch = launch_of(2, 128, schedule, seed);
  launch.dynamic_shared_bytes = 3 * 4096;
  launch.buffers = {buffer(a, false), buffer(b, false), buffer(d, true)};
  for (int i = 0; i < 3; ++i) launch.arguments.push_back(em::Argument::pointer(i));
  for (const int size : {m, n, k}) launch.arguments.push_back(em::Argument::integer(size));
  Outcome outcome{compiled.run(launch), true};
  const auto at = [](const std::vector<std::uint16_t>& bits, int i) {
    return parhelion::from_bits(bits[static_cast<std::size_t>(i)], DType::F16);
  };
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int p = 0; p < k; ++p) sum += at(a, i * k + p) * at(b, p * n + j);
      const float got = d[static_cast<std::size_t>(i * n + j)];
      // Small integers: every order of additions gives the same f32.
      outcome.right_numbers = outcome.right_numbers && got == static_cast<float>(sum);
    }
  }
  return outcome;
}

Outcome run_rms_norm(const CompiledText& compiled, em::Schedule schedule, std::uint64_t seed) {
  constexpr std::size_t rows = 17, cols = 512;  // 9 and 8 rows a block through 3 slots
  parhelion::Rng rng(3);
  std::vector<float> x(rows * cols), y(rows * cols, std::numeric_limits<float>::quiet_NaN());
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(rng.normal() * static_cast<double>(i / cols + 1));
  }
  em::Launch launch = launch_of(2, 160, schedule, seed);
  launch.dynamic_shared_bytes = 3 * cols * 4;
  launch.buffers = {buffer(x, false), buffer(y, true)};
  launch.arguments = {em::Argument::pointer(0), em::Argument::pointer(1),
                      em::Argument::integer(rows), em::Argument::number(1e-5f)};
  Outcome outcome{compiled.run(launch), true};
  for (std::size_t r = 0; r < rows; ++r) {
    double squares = 0;
    for (std::size_t c = 0; c < cols; ++c) squares += double{x[r * cols + c]} * x[r * cols + c];
    const double scale = 1 / std::sqrt(squares / cols + 1e-5);
    for (std::size_t c = 0; c < cols; ++c) {
      const double expected = x[r * cols + c] * scale;
      const bool near = std::abs(y[r * cols + c] - expected) <= std::abs(expected) * 0x1p-20;
      outcome.right_numbers = outcome.right_numbers && near;
    }
  }
  return outcome;
}

}  // namespace

std::vector<Subject> subjects() {
  return {{"softmax_rows.cu", "softmax_rows", run_softmax},
          {"matmul_ring.cu", "matmul_ring", run_matmul},
          {"rms_norm_ring.cu", "rms_norm_ring", run_rms_norm}};
}

std::string text_of(const Subject& subject) {
  const auto text = parhelion::read_file(parhelion::fs::path(PH_SOURCE_DIR) /
                                         "tests/property/emulation" / subject.file);
  if (!text) throw std::runtime_error(parhelion::render_text(text.error()));
  return *text;
}

}  // namespace emulation_test
