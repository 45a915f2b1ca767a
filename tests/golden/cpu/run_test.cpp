// SPDX-License-Identifier: Apache-2.0
// The golden texts compiled and run: right numbers, and the same bits from both compilers.
#include "support/cpu_text.h"
#include "support/golden.h"
#include "support/skip.h"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <vector>

namespace {

using namespace parhelion;
using std::int64_t;

std::string golden_text(const char* name) {
  return test::read_text(std::filesystem::path(PH_SOURCE_DIR) / "tests/golden/cpu" / name);
}

float sample(int64_t i) { return static_cast<float>((i * 7919) % 1009) / 64.0f - 8.0f; }

struct SoftmaxArguments {
  const float* x;
  float* out;
  int64_t n, x_pitch, out_pitch;
};

/// Rows of n columns with a pitch of n + 3; what lies between the rows must stay.
std::vector<float> softmax(const test::CompiledText& text, int64_t rows, int64_t n) {
  const int64_t pitch = n + 3;
  std::vector<float> x(static_cast<std::size_t>(rows * pitch)), out(x.size(), -7.0f);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = sample(static_cast<int64_t>(i));
  const SoftmaxArguments arguments{x.data(), out.data(), n, pitch, pitch};
  text.entry("softmax")(&arguments, 0, rows, 0);
  double worst = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = x.data() + r * pitch;
    double top = row[0], sum = 0;
    for (int64_t j = 0; j < n; ++j) top = std::max<double>(top, row[j]);
    for (int64_t j = 0; j < n; ++j) sum += std::exp(row[j] - top);
    for (int64_t j = 0; j < n; ++j) {
      const double wanted = std::exp(row[j] - top) / sum;
      const double got = out[static_cast<std::size_t>(r * pitch + j)];
      worst = std::max(worst, std::abs(got - wanted) / wanted);
    }
    for (int64_t j = n; j < pitch; ++j) {
      CHECK(out[static_cast<std::size_t>(r * pitch + j)] == -7.0f);
    }
  }
  CHECK_MESSAGE(worst < 1e-6, "n = " << n << ": " << worst);
  return out;
}

struct MatmulArguments {
  const float *a, *b;
  float* c;
  int64_t k_size, n_tiles, c_pitch;
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

TEST_CASE("softmax: every kind of tail, equal bits of the compilers") {
  if (!test::runs_on_this_cpu("x86-64-v3")) PH_SKIP("no AVX2 here");
  std::vector<std::vector<float>> first;
  for (const std::string& compiler : test::cpu_compilers()) {
    const test::CompiledText text(golden_text("softmax.cpp"), compiler, "x86-64-v3");
    std::vector<std::vector<float>> results;
    for (const int64_t n : {1, 7, 8, 9, 31, 32, 33, 77, 100, 1000, 4097}) {
      results.push_back(softmax(text, 3, n));
    }
    if (first.empty()) first = results;
    for (std::size_t i = 0; i < results.size(); ++i) CHECK(same_bits(results[i], first[i]));
  }
}

TEST_CASE("matmul: the chain of each element, bit for bit") {
  if (!test::runs_on_this_cpu("x86-64-v3")) PH_SKIP("no AVX2 here");
  constexpr int64_t mr = 6, nr = 16, k = 37, m = 2 * mr, n = 3 * nr;
  std::vector<float> a(m * k), b(k * n), wanted(m * n);
  for (int64_t i = 0; i < m * k; ++i) a[static_cast<std::size_t>(i)] = sample(i);
  for (int64_t i = 0; i < k * n; ++i) b[static_cast<std::size_t>(i)] = sample(3 * i + 1);
  // Panels: a[tile][k][mr], b[tile][k][nr].
  const auto at_a = [&](int64_t i, int64_t kk) {
    return a[static_cast<std::size_t>(((i / mr) * k + kk) * mr + i % mr)];
  };
  const auto at_b = [&](int64_t kk, int64_t j) {
    return b[static_cast<std::size_t>(((j / nr) * k + kk) * nr + j % nr)];
  };
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t kk = 0; kk < k; ++kk) sum = std::fma(at_a(i, kk), at_b(kk, j), sum);
      wanted[static_cast<std::size_t>(i * n + j)] = sum;
    }
  }
  for (const std::string& compiler : test::cpu_compilers()) {
    const test::CompiledText text(golden_text("matmul_micro.cpp"), compiler, "x86-64-v3");
    std::vector<float> c(m * n, -7.0f);
    const MatmulArguments arguments{a.data(), b.data(), c.data(), k, n / nr, n};
    text.entry("matmul")(&arguments, 0, (m / mr) * (n / nr), 0);
    CHECK(same_bits(c, wanted));
  }
}
