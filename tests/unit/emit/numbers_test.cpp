// SPDX-License-Identifier: Apache-2.0
// NaN rules of min and max, folds with their one tree, masks, conversions, integer division.
#include "base/size_program.h"
#include "map_kernel.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace parhelion;
using ir::kernel::Builder;
using ir::kernel::OpCode;
using ir::kernel::Type;
using ir::kernel::ValueId;

constexpr float inf = std::numeric_limits<float>::infinity();
const float not_a_number = std::nanf("");

test::MapKernel binary(const char* name, OpCode code, DType dtype = DType::F32) {
  return {
      .name = name, .from = dtype, .to = dtype, .body = [code](Builder& b, ValueId x, ValueId y) {
        return b.binary(code, x, y);
      }};
}

/// A fold, spread over the lanes again.
test::MapKernel fold(const std::string& combine) {
  return {.name = "fold_" + combine + "_all", .body = [combine](Builder& b, ValueId x, auto) {
            Type type = b.module().type(x);
            const int lanes = type.lanes;
            type.lanes = 1;
            const auto id = b.op(OpCode::Fold, {x}, {type}, {{"combine", combine}});
            return b.splat(b.result(id), lanes);
          }};
}

template <class T, class Wanted>
void check_map(const test::CompiledText& text, const char* entry, int lanes,
               const std::vector<T>& x, const std::vector<T>& y, const std::string& where,
               Wanted wanted) {
  std::vector<T> out(x.size());
  const test::MapArguments arguments{x.data(), y.data(), out.data()};
  text.entry(entry)(&arguments, 0, static_cast<long>(x.size()) / lanes, 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T want = wanted(x[i], y[i]);
    const bool both_nan = want != want && out[i] != out[i];
    CHECK_MESSAGE((both_nan || out[i] == want), where << " " << std::string(entry) << "(" << x[i]
                                                      << ", " << y[i] << ") = " << out[i]);
  }
}

float combine(const std::string& how, float a, float b) {
  if (how == "add") return a + b;
  if (how == "mul") return a * b;
  if (how == "max_number") return a > b ? a : b;
  if (how == "min_number") return a < b ? a : b;
  if (std::isnan(a) || std::isnan(b)) return not_a_number;
  return how == "max_nan" ? (a > b ? a : b) : (a < b ? a : b);
}

/// Lane i with lane i + half, down to one.
float tree(const std::string& how, std::vector<float> v) {
  while (v.size() > 1) {
    const std::size_t half = v.size() / 2;
    for (std::size_t i = 0; i < half; ++i) v[i] = combine(how, v[i], v[i + half]);
    v.resize(half);
  }
  return v[0];
}

const std::vector<std::string> combines = {"add",        "mul",     "max_number",
                                           "min_number", "max_nan", "min_nan"};

}  // namespace

TEST_CASE("min and max: _nan keeps a NaN of either side, _number is a compare and a choice") {
  std::vector<float> x, y;
  for (const float a : {1.0f, -2.0f, inf, -inf, not_a_number, 0.0f, 3.5f, -0.0f}) {
    for (const float b : {1.0f, -2.0f, inf, -inf, not_a_number, 0.0f, 3.5f, -0.0f}) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  const std::vector kernels{
      binary("a_max_nan", OpCode::MaxNan), binary("a_min_nan", OpCode::MinNan),
      binary("a_max_number", OpCode::MaxNumber), binary("a_min_number", OpCode::MinNumber)};
  for (const int lanes : {1, 4, 8, 16}) {
    test::for_each_text(kernels, lanes, [&](const auto& text, const std::string& where) {
      for (const char* how : {"max_nan", "min_nan", "max_number", "min_number"}) {
        check_map(text, (std::string("a_") + how).c_str(), lanes, x, y, where,
                  [how](float a, float b) { return combine(how, a, b); });
      }
    });
  }
}

TEST_CASE("folds: one tree, and a NaN in any lane") {
  std::vector<test::MapKernel> kernels;
  for (const std::string& how : combines) kernels.push_back(fold(how));
  for (const int lanes : {4, 8, 16}) {
    std::vector<float> x;
    const auto n = static_cast<std::size_t>(lanes);
    for (std::size_t round = 0; round < 2 * n; ++round) {
      for (std::size_t i = 0; i < n; ++i) {
        const float value = 1.0f + static_cast<float>((round * 31 + i * 17) % 13) / 7.0f;
        x.push_back(round >= n && i == round - n ? not_a_number : value);
      }
    }
    test::for_each_text(kernels, lanes, [&](const auto& text, const std::string& where) {
      for (const std::string& how : combines) {
        std::vector<float> out(x.size());
        const test::MapArguments arguments{x.data(), x.data(), out.data()};
        const std::string entry = "fold_" + how + "_all";
        text.entry(entry.c_str())(&arguments, 0, static_cast<long>(x.size() / n), 0);
        for (std::size_t r = 0; r < x.size() / n; ++r) {
          const std::vector row(x.begin() + static_cast<long>(r * n),
                                x.begin() + static_cast<long>(r * n + n));
          const float wanted = tree(how, row);
          const bool same = std::bit_cast<int>(out[r * n]) == std::bit_cast<int>(wanted) ||
                            (std::isnan(wanted) && std::isnan(out[r * n]));
          CHECK_MESSAGE(same, where << " " << how << " row " << r);
        }
      }
    });
  }
}

TEST_CASE("masks: compare, combine, select, fold") {
  std::vector<float> x, y;
  for (int i = 0; i < 256; ++i) {
    x.push_back(static_cast<float>(i % 17));
    y.push_back(static_cast<float>(i / 16));
  }
  const test::MapKernel choose{
      .name = "choose", .body = [](Builder& b, ValueId p, ValueId q) {
        const ValueId less = b.compare(OpCode::Lt, p, q);
        const ValueId even = b.compare(OpCode::Ne, p, b.math("floor", q));
        const ValueId both = b.binary(OpCode::And, less, b.unary(OpCode::Not, even));
        return b.select(b.binary(OpCode::Or, both, less), p, b.unary(OpCode::Neg, q));
      }};
  const auto any = [](const char* name, const char* how) {
    return test::MapKernel{
        .name = name, .body = [how](Builder& b, ValueId p, ValueId q) {
          const ValueId mask = b.compare(OpCode::Lt, p, q);
          const Type boolean{.element = DType::Bool};
          const auto id = b.op(OpCode::Fold, {mask}, {boolean}, {{"combine", std::string(how)}});
          return b.select(b.result(id), p, q);
        }};
  };
  for (const int lanes : {4, 8, 16}) {
    const std::vector kernels{choose, any("any", "or"), any("each", "and")};
    test::for_each_text(kernels, lanes, [&](const auto& text, const std::string& where) {
      check_map(text, "choose", lanes, x, y, where,
                [](float a, float b) { return a < b ? a : -b; });
      const auto check_fold = [&](const char* entry, bool want_all) {
        std::vector<float> out(x.size());
        const test::MapArguments arguments{x.data(), y.data(), out.data()};
        text.entry(entry)(&arguments, 0, static_cast<long>(x.size()) / lanes, 0);
        const auto n = static_cast<std::size_t>(lanes);
        for (std::size_t i = 0; i < x.size(); ++i) {
          std::size_t less = 0;
          for (std::size_t j = i / n * n; j < i / n * n + n; ++j) less += x[j] < y[j] ? 1 : 0;
          const bool holds = want_all ? less == n : less > 0;
          CHECK_MESSAGE(out[i] == (holds ? x[i] : y[i]), where << " " << std::string(entry));
        }
      };
      check_fold("any", false);
      check_fold("each", true);
    });
  }
}

TEST_CASE("masks of other widths: f64 compares choose f64, and i64") {
  const std::vector<double> x = {1, 2, 3, 4, 5, 6, 7, 8}, y = {8, 7, 6, 5, 4, 3, 2, 1};
  const test::MapKernel least{.name = "least",
                              .from = DType::F64,
                              .to = DType::F64,
                              .body = [](Builder& b, ValueId p, ValueId q) {
                                return b.select(b.compare(OpCode::Lt, p, q), p, q);
                              }};
  for (const int lanes : {1, 2}) {
    test::for_each_text({least}, lanes, [&](const auto& text, const std::string& where) {
      check_map(text, "least", lanes, x, y, where,
                [](double a, double b) { return a < b ? a : b; });
    });
  }
}

TEST_CASE("integers: C division on what is not negative, floor semantics, min and max, abs") {
  std::vector<std::int64_t> x, y;
  for (std::int64_t a = -7; a <= 7; ++a) {
    for (std::int64_t b = -3; b <= 3; ++b) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  const std::vector kernels{
      binary("f_div", OpCode::FloorDiv, DType::I64), binary("f_mod", OpCode::FloorMod, DType::I64),
      binary("f_min", OpCode::MinNumber, DType::I64),
      binary("f_max", OpCode::MaxNumber, DType::I64),
      test::MapKernel{.name = "f_abs",
                      .from = DType::I64,
                      .to = DType::I64,
                      .body = [](Builder& b, ValueId p, auto) { return b.unary(OpCode::Abs, p); }}};
  using I = std::int64_t;
  test::for_each_text(kernels, 1, [&](const auto& text, const std::string& where) {
    check_map(text, "f_div", 1, x, y, where, [](I a, I b) { return floor_div(a, b); });
    check_map(text, "f_mod", 1, x, y, where, [](I a, I b) { return floor_mod(a, b); });
    check_map(text, "f_min", 1, x, y, where, [](I a, I b) { return std::min(a, b); });
    check_map(text, "f_max", 1, x, y, where, [](I a, I b) { return std::max(a, b); });
    check_map(text, "f_abs", 1, x, y, where, [](I a, I) { return std::abs(a); });
  });
}

TEST_CASE("conversions between integers and floats; iota and lanes") {
  std::vector<std::int32_t> x;
  for (int i = 0; i < 64; ++i) x.push_back(i * 1'000'003 - 31'000'000);
  const test::MapKernel to_float{
      .name = "to_float", .from = DType::I32, .body = [](Builder& b, ValueId p, auto) {
        return b.convert(p, DType::F32);
      }};
  const test::MapKernel number{
      .name = "number",
      .from = DType::I32,
      .to = DType::I32,
      .body = [](Builder& b, ValueId p, auto) {
        const Type type = b.module().type(p);
        const ValueId lanes = b.result(b.op(OpCode::Iota, {}, {type}));
        Type one = type;
        one.lanes = 1;
        const auto lane = b.op(OpCode::Lane, {p}, {one}, {{"index", std::int64_t{1}}});
        return b.binary(OpCode::Add, lanes, b.splat(b.result(lane), type.lanes));
      }};
  for (const int lanes : {4, 8, 16}) {
    test::for_each_text({to_float}, lanes, [&](const auto& text, const std::string& where) {
      std::vector<float> out(x.size());
      const test::MapArguments arguments{x.data(), x.data(), out.data()};
      text.entry("to_float")(&arguments, 0, static_cast<long>(x.size()) / lanes, 0);
      for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK_MESSAGE(out[i] == static_cast<float>(x[i]), where);
      }
    });
    test::for_each_text({number}, lanes, [&](const auto& text, const std::string& where) {
      std::vector<std::int32_t> out(x.size());
      const test::MapArguments arguments{x.data(), x.data(), out.data()};
      text.entry("number")(&arguments, 0, static_cast<long>(x.size()) / lanes, 0);
      const auto n = static_cast<std::size_t>(lanes);
      for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK_MESSAGE(out[i] == x[i / n * n + 1] + static_cast<int>(i % n), where);
      }
    });
  }
}
