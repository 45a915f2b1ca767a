// SPDX-License-Identifier: Apache-2.0
// Functions of f32 against double libm over every 4099th float and special values, with the largest
// error that was found; the same bits from every width, compiler and target.
#include "map_kernel.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace parhelion;

struct Function {
  const char* name;
  double (*reference)(double);
  double largest_ulp;  // found by the sweep below, rounded up
};

double exp_nonpositive(double x) { return x <= 0 ? std::exp(x) : std::nan(""); }
double rcp(double x) { return 1 / x; }
double rsqrt(double x) { return 1 / std::sqrt(x); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

const Function functions[] = {
    {"ceil", std::ceil, 0},
    {"erf", std::erf, 1.1},
    {"exp", std::exp, 0.9},
    {"exp2", std::exp2, 0.9},
    {"exp_nonpositive", exp_nonpositive, 0.9},
    {"floor", std::floor, 0},
    {"log", std::log, 0.9},
    {"log2", std::log2, 1.1},
    {"rcp", rcp, 0.51},
    {"rsqrt", rsqrt, 1.6},
    {"sigmoid", sigmoid, 2.01},
    {"sqrt", std::sqrt, 0.51},
    {"tanh", std::tanh, 1.6},
};

std::vector<float> inputs() {
  std::vector<float> x;
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (const float special : {0.0f,
                              1.0f,
                              0.5f,
                              2.0f,
                              inf,
                              std::nanf(""),
                              0x1p-126f,
                              0x1p-149f,
                              0x1.fffffep-127f,
                              87.3f,
                              88.7f,
                              88.8f,
                              103.9f,
                              104.1f,
                              127.99f,
                              128.0f,
                              149.5f,
                              9.01f,
                              3.92f,
                              0.55f,
                              0.9277f,
                              0x1.fffffep127f,
                              16777216.0f,
                              0.49999997f}) {
    x.push_back(special);
    x.push_back(-special);
  }
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 4099) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  while (x.size() % 16 != 0) x.push_back(1.0f);
  return x;
}

/// Distance in units of the last place of the exact result, denormals included.
double ulp(float got, double exact) {
  if (std::isnan(exact)) return std::isnan(got) ? 0 : 1e9;
  const auto rounded = static_cast<float>(exact);
  if (std::isinf(rounded) || std::isinf(got)) return got == rounded ? 0 : 1e9;
  const int exponent = std::max(exact == 0 ? -149 : std::ilogb(exact) - 23, -149);
  return std::abs(static_cast<double>(got) - exact) / std::ldexp(1.0, exponent);
}

std::vector<test::MapKernel> kernels() {
  std::vector<test::MapKernel> list;
  for (const Function& f : functions) {
    list.push_back({.name = std::string("map_") + f.name,
                    .body = [name = f.name](ir::kernel::Builder& b, ir::kernel::ValueId x, auto) {
                      return b.math(name, x);
                    }});
  }
  return list;
}

bool equal(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b) ||
         (std::isnan(a) && std::isnan(b));
}

}  // namespace

TEST_CASE("every function of the op table is swept here") {
  const auto known = ir::kernel::math_functions();
  REQUIRE(known.size() == std::size(functions));
  for (std::size_t i = 0; i < known.size(); ++i) CHECK(known[i] == functions[i].name);
}

TEST_CASE("errors are at most the stored ones, bits are the same everywhere") {
  const std::vector<float> x = inputs();
  std::map<std::string, std::vector<float>> first;
  for (const int lanes : {8, 1, 4, 16}) {
    test::for_each_text(
        kernels(), lanes, [&](const test::CompiledText& text, const std::string& where) {
          for (const Function& f : functions) {
            std::vector<float> out(x.size());
            const test::MapArguments arguments{x.data(), x.data(), out.data()};
            const std::string entry = std::string("map_") + f.name;
            text.entry(entry.c_str())(&arguments, 0, static_cast<long>(x.size()) / lanes, 0);
            std::vector<float>& known = first[f.name];
            if (known.empty()) {
              known = out;
              double worst = 0;
              float at = 0;
              for (std::size_t i = 0; i < x.size(); ++i) {
                const bool outside = std::string_view(f.name) == "exp_nonpositive" && !(x[i] <= 0);
                if (outside && !std::isnan(x[i])) continue;
                const double error = ulp(out[i], f.reference(x[i]));
                if (error > worst) {
                  worst = error;
                  at = x[i];
                }
              }
              MESSAGE(std::string(f.name) << ": " << worst << " ulp at " << at);
              CHECK_MESSAGE(worst <= f.largest_ulp, std::string(f.name) << " at " << at);
            }
            std::size_t different = 0, where_first = 0;
            for (std::size_t i = 0; i < x.size(); ++i) {
              if (equal(out[i], known[i])) continue;
              if (different++ == 0) where_first = i;
            }
            CHECK_MESSAGE(different == 0, where << " " << std::string(f.name) << ": " << different
                                                << " differ, at " << x[where_first]);
          }
        });
  }
}
