// SPDX-License-Identifier: Apache-2.0
// Reading the piece files, and the names of the CPU's types.
#include "base/diag.h"
#include "base/text.h"
#include "emit/cpu/prelude.h"

#include <array>

namespace parhelion::emit::cpu {

// Made at build time from prelude/*.inc.
extern const std::string_view embedded_functions_inc, embedded_generic_inc, embedded_scalar_inc,
    embedded_width16_inc, embedded_width32_inc, embedded_width64_inc;

namespace {

constexpr std::string_view marker = "//: ";

Piece parse_header(std::string_view line, int lanes) {
  Piece piece;
  piece.lanes = lanes;
  std::vector<std::string>* list = nullptr;
  for (const std::string_view word : split(line.substr(marker.size()), ' ')) {
    if (piece.name.empty()) {
      piece.name = word;
    } else if (word == "half:") {
      list = &piece.half;
    } else if (word == "scalar:") {
      list = &piece.scalar;
    } else if (list != nullptr) {
      list->emplace_back(word);
    } else if (word == "by_result") {
      piece.by_result = true;
    } else {
      const auto element = parse_dtype(word);
      PH_ASSERT(element.has_value(), "header of a prelude piece: " + std::string(line));
      piece.elements.push_back(*element);
    }
  }
  return piece;
}

void parse_file(std::string_view text, int lanes, std::vector<Piece>& into) {
  std::size_t at = text.find(marker);
  while (at != std::string_view::npos) {
    const std::size_t body = text.find('\n', at) + 1;
    const std::size_t next = text.find(marker, body);
    Piece piece = parse_header(text.substr(at, body - 1 - at), lanes);
    piece.text = trim(text.substr(body, next - body));
    into.push_back(std::move(piece));
    at = next;
  }
}

std::vector<Piece> parse_all() {
  std::vector<Piece> all;
  parse_file(embedded_scalar_inc, 1, all);
  parse_file(embedded_width16_inc, 4, all);
  parse_file(embedded_width32_inc, 8, all);
  parse_file(embedded_width64_inc, 16, all);
  parse_file(embedded_generic_inc, 0, all);
  parse_file(embedded_functions_inc, 0, all);
  return all;
}

}  // namespace

const std::vector<Piece>& pieces() {
  static const std::vector<Piece> all = parse_all();
  return all;
}

std::string type_name(DType element, int lanes) {
  switch (element) {
    case DType::Bool:
      if (lanes == 1) return "bool";
      element = DType::I32;
      break;
    case DType::F16:
    case DType::BF16: element = DType::U16; break;
    case DType::F8E4M3:
    case DType::F8E5M2: element = DType::U8; break;
    default: break;
  }
  if (lanes != 1) return std::string(name(element)) + "x" + std::to_string(lanes);
  switch (element) {
    case DType::I32: return "int";
    case DType::F32: return "float";
    case DType::F64: return "double";
    default: return std::string(name(element));
  }
}

}  // namespace parhelion::emit::cpu
