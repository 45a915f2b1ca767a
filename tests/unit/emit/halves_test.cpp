// SPDX-License-Identifier: Apache-2.0
// f16 and bf16: all 2^16 patterns to f32; back from every 4099th float, from the values themselves
// and from the midpoints between neighbours and what lies next to them. Pairs of bf16 likewise.
#include "base/half.h"
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
using ir::kernel::ValueId;

std::vector<std::uint16_t> all_patterns() {
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  return bits;
}

std::vector<float> floats_to_round(DType dtype) {
  std::vector<float> x;
  for (const std::uint16_t bits : all_patterns()) {
    const double value = from_bits(bits, dtype);
    const double next = from_bits(static_cast<std::uint16_t>(bits + 1), dtype);
    x.push_back(static_cast<float>(value));
    const auto middle = static_cast<float>((value + next) / 2);
    if (!std::isfinite(middle)) continue;
    x.push_back(middle);
    x.push_back(std::nextafter(middle, std::numeric_limits<float>::infinity()));
    x.push_back(std::nextafter(middle, -std::numeric_limits<float>::infinity()));
  }
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 4099) {
    x.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  while (x.size() % 16 != 0) x.push_back(1.0f);
  return x;
}

test::MapKernel conversion(DType from, DType to) {
  return {.name = "convert", .from = from, .to = to, .body = [to](Builder& b, ValueId x, auto) {
            return b.convert(x, to);
          }};
}

void run(const test::CompiledText& text, const void* x, const void* y, void* out, std::size_t n,
         int lanes, const char* entry = "convert") {
  const test::MapArguments arguments{x, y, out};
  text.entry(entry)(&arguments, 0, static_cast<long>(n) / lanes, 0);
}

}  // namespace

TEST_CASE("16-bit floats to f32: all patterns") {
  const std::vector<std::uint16_t> bits = all_patterns();
  for (const DType dtype : {DType::F16, DType::BF16}) {
    for (const int lanes : {1, 4, 8, 16}) {
      const auto kernels = std::vector{conversion(dtype, DType::F32)};
      test::for_each_text(kernels, lanes, [&](const auto& text, const std::string& where) {
        std::vector<float> out(bits.size());
        run(text, bits.data(), bits.data(), out.data(), bits.size(), lanes);
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < bits.size(); ++i) {
          const auto wanted = static_cast<float>(from_bits(bits[i], dtype));
          const bool nan = std::isnan(wanted) && std::isnan(out[i]);
          wrong += nan || std::bit_cast<int>(wanted) == std::bit_cast<int>(out[i]) ? 0 : 1;
        }
        CHECK_MESSAGE(wrong == 0, where << " " << std::string(name(dtype)));
      });
    }
  }
}

TEST_CASE("f32 to 16-bit floats: to the nearest, ties to even, NaN stays NaN") {
  for (const DType dtype : {DType::F16, DType::BF16}) {
    const std::vector<float> x = floats_to_round(dtype);
    std::vector<std::uint16_t> wanted(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) wanted[i] = to_bits(x[i], dtype);
    for (const int lanes : {1, 4, 8, 16}) {
      const auto kernels = std::vector{conversion(DType::F32, dtype)};
      test::for_each_text(kernels, lanes, [&](const auto& text, const std::string& where) {
        std::vector<std::uint16_t> out(x.size());
        run(text, x.data(), x.data(), out.data(), x.size(), lanes);
        std::size_t wrong = 0, at = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
          const bool nan = std::isnan(x[i]) && std::isnan(from_bits(out[i], dtype));
          if (nan || out[i] == wanted[i]) continue;
          if (wrong++ == 0) at = i;
        }
        CHECK_MESSAGE(wrong == 0, where << " " << std::string(name(dtype)) << " at " << x[at]);
      });
    }
  }
}

TEST_CASE("pairs of bf16 in 32 bits: even and odd lanes, and back") {
  const std::vector<std::uint16_t> bits = all_patterns();
  std::vector<std::uint32_t> pairs(bits.size() / 2);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i] = static_cast<std::uint32_t>(bits[2 * i] | bits[2 * i + 1] << 16);
  }
  const auto widen = [](const char* entry, OpCode code) {
    return test::MapKernel{
        .name = entry, .from = DType::U32, .body = [code](Builder& b, ValueId x, auto) {
          auto type = b.module().type(x);
          type.element = DType::F32;
          return b.result(b.op(code, {x}, {type}));
        }};
  };
  const test::MapKernel narrow{
      .name = "narrow", .to = DType::U32, .body = [](Builder& b, ValueId x, ValueId y) {
        auto type = b.module().type(x);
        type.element = DType::U32;
        return b.result(b.op(OpCode::NarrowPairs, {x, y}, {type}));
      }};
  const std::vector<float> x = floats_to_round(DType::BF16);
  std::vector<float> y(x.rbegin(), x.rend());
  for (const int lanes : {1, 4, 8, 16}) {
    const std::vector both{widen("even", OpCode::WidenEven), widen("odd", OpCode::WidenOdd)};
    test::for_each_text(both, lanes, [&](const auto& text, const std::string& where) {
      std::vector<std::uint32_t> even(pairs.size()), odd(pairs.size());
      run(text, pairs.data(), pairs.data(), even.data(), pairs.size(), lanes, "even");
      run(text, pairs.data(), pairs.data(), odd.data(), pairs.size(), lanes, "odd");
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        wrong += even[i] >> 16 != bits[2 * i] || odd[i] >> 16 != bits[2 * i + 1] ? 1 : 0;
        wrong += (even[i] & 0xffff) != 0 || (odd[i] & 0xffff) != 0 ? 1 : 0;
      }
      CHECK_MESSAGE(wrong == 0, where);
    });
    test::for_each_text({narrow}, lanes, [&](const auto& text, const std::string& where) {
      std::vector<std::uint32_t> out(x.size());
      run(text, x.data(), y.data(), out.data(), x.size(), lanes, "narrow");
      const auto right = [](std::uint32_t got, float value) {
        const auto half = static_cast<std::uint16_t>(got);
        if (std::isnan(value)) return std::isnan(from_bits(half, DType::BF16));
        return half == to_bits(value, DType::BF16);
      };
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        wrong += right(out[i] & 0xffff, x[i]) && right(out[i] >> 16, y[i]) ? 0 : 1;
      }
      CHECK_MESSAGE(wrong == 0, where);
    });
  }
}
