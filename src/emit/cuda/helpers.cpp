// SPDX-License-Identifier: Apache-2.0
#include "emit/cuda/helpers.h"

#include "base/diag.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace parhelion::emit::cuda {

std::string_view scalar_type(DType dtype) {
  switch (dtype) {
    case DType::Bool: return "bool";
    case DType::I8: return "signed char";
    case DType::I16: return "short";
    case DType::I32: return "int";
    case DType::I64: return "long long";
    case DType::U8:
    case DType::F8E4M3:
    case DType::F8E5M2: return "unsigned char";
    case DType::U16:
    case DType::F16:
    case DType::BF16: return "u16";
    case DType::U32: return "u32";
    case DType::U64: return "u64";
    case DType::F32: return "float";
    case DType::F64: return "double";
  }
  return "";
}

std::string Helpers::floor_division(bool modulo, DType dtype) {
  const std::string_view type = scalar_type(dtype);
  const std::string name = modulo ? "floor_mod" : "floor_div";
  const std::string result = modulo ? "a - quotient * b" : "quotient";
  used_[fmt::format("{} {}", name, type)] = fmt::format(
      "PH_DEVICE {0} {1}({0} a, {0} b) {{  // rounds down; by 0 gives 0\n"
      "  if (b == 0) return 0;\n"
      "  const {0} cut = a / b;\n"
      "  const {0} quotient = cut * b != a && (a < 0) != (b < 0) ? cut - 1 : cut;\n"
      "  return {2};\n}}\n",
      type, name, result);
  return name;
}

std::string Helpers::saturate(DType from, DType to) {
  const std::string_view source = scalar_type(from), target = scalar_type(to);
  const int bits = 8 * size_bytes(to);
  const bool is_signed = is_signed_integer(to);
  const double above = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  const std::string suffix = from == DType::F32 ? "f" : "";
  const std::string name = fmt::format("to_{}", parhelion::name(to));
  std::string most, least = "0";
  if (is_signed) {
    most = std::to_string((std::uint64_t{1} << (bits - 1)) - 1) + (bits == 64 ? "ll" : "");
    least = fmt::format("-{} - 1", most);
  } else {
    most = std::to_string(~std::uint64_t{0} >> (64 - bits)) + (bits == 64 ? "ull" : "u");
  }
  const std::string low =
      is_signed ? fmt::format("-{:.1f}{}", above, suffix) : fmt::format("0.0{}", suffix);
  used_[fmt::format("{} {}", name, source)] = fmt::format(
      "PH_DEVICE {1} {0}({2} x) {{  // toward 0, saturating; NaN gives 0\n"
      "  if (x != x) return 0;\n"
      "  if (x >= {3:.1f}{4}) return {5};\n"
      "  if (x <= {6}) return {7};\n"
      "  return static_cast<{1}>(x);\n}}\n",
      name, target, source, above, suffix, most, low, least);
  return name;
}

std::string Helpers::least_f64(bool least) {
  const std::string name = least ? "min_nan" : "max_nan";
  used_[name + " double"] = fmt::format(
      "PH_DEVICE double {}(double a, double b) {{ return a != a || a {} b ? a : b; }}\n", name,
      least ? '<' : '>');
  return name;
}

std::string Helpers::absolute(DType dtype) {
  const std::string_view type = scalar_type(dtype);
  used_[fmt::format("absolute {}", type)] =
      fmt::format("PH_DEVICE {0} absolute({0} x) {{ return x < 0 ? -x : x; }}\n", type);
  return "absolute";
}

std::string Helpers::text() const {
  std::string all;
  for (const auto& [name, function] : used_) all += "\n" + function;
  return all;
}

}  // namespace parhelion::emit::cuda
