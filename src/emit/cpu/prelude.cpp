// SPDX-License-Identifier: Apache-2.0
#include "emit/cpu/prelude.h"

#include "base/diag.h"
#include "base/text.h"

#include <algorithm>
#include <array>

namespace parhelion::emit::cpu {
namespace {

constexpr int generic_lanes = 8;  // that generic pieces are written for

struct Alias {
  std::string_view name, meaning;
};
constexpr Alias aliases[] = {
    {"i8", "signed char"},    {"i16", "short"},          {"i64", "long"},
    {"u8", "unsigned char"},  {"u16", "unsigned short"}, {"u32", "unsigned int"},
    {"u64", "unsigned long"},
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether the digits from `at` to `end` are a part of 8.5.
bool is_fraction(std::string_view text, std::size_t at, std::size_t end) {
  return (at > 0 && text[at - 1] == '.') || (end < text.size() && text[end] == '.');
}

bool serves(const Piece& piece, DType element) {
  return std::ranges::count(piece.elements, element) != 0;
}

/// The piece for these lanes and this element before the general ones.
const Piece* find(std::string_view name, DType element, int lanes) {
  const Piece* best = nullptr;
  int best_rank = 0;
  for (const Piece& piece : pieces()) {
    const bool fits = piece.lanes == 0 || piece.lanes == lanes;
    const bool typed = serves(piece, element);
    if (piece.name != name || !fits || (!piece.elements.empty() && !typed)) continue;
    const int rank = 1 + (typed ? 2 : 0) + (piece.lanes == 0 ? 0 : 1);
    if (rank > best_rank) {
      best = &piece;
      best_rank = rank;
    }
  }
  return best;
}

DType written_for(const Piece& piece) {
  return piece.elements.empty() ? DType::F32 : piece.elements[0];
}

/// `f32x8_u` -> f32, 8, unaligned.
struct VectorWord {
  std::string element;
  int lanes = 0;
  bool unaligned = false;
};
std::optional<VectorWord> parse_vector(std::string_view word) {
  VectorWord result;
  if (word.ends_with("_u")) {
    result.unaligned = true;
    word.remove_suffix(2);
  }
  const std::size_t x = word.find('x');
  if (x == std::string_view::npos || x == 0) return std::nullopt;
  result.element = word.substr(0, x);
  const auto lanes = parse_integer(word.substr(x + 1));
  const bool known = parse_dtype(result.element).has_value() || result.element == "m32";
  if (!lanes || !known) return std::nullopt;
  result.lanes = static_cast<int>(*lanes);
  return result;
}

}  // namespace

std::string Prelude::name_at(const Piece& piece, int lanes) const {
  const bool usual = lanes == usual_lanes_ || lanes == 1;
  return piece.by_result && !usual ? piece.name + "_x" + std::to_string(lanes) : piece.name;
}

std::string Prelude::need(std::string_view name, DType element, int lanes) {
  const Piece* piece = find(name, element, lanes);
  PH_ASSERT(piece != nullptr,
            "no piece " + std::string(name) + " for " + type_name(element, lanes));
  // One instance serves all elements that have the same text.
  const Key key(std::string(name), element, lanes);
  if (!known_.contains(key)) {
    known_.insert(key);
    std::string text = instance(*piece, element, lanes);
    if (std::ranges::count(texts_, text) == 0) texts_.push_back(std::move(text));
  }
  return name_at(*piece, lanes);
}

void Prelude::need_type(DType element, int lanes, bool unaligned) {
  const std::string scalar =
      type_name(element == DType::Bool && lanes > 1 ? DType::I32 : element, 1);
  const auto alias = std::ranges::find(aliases, scalar, &Alias::name);
  if (alias != std::end(aliases)) scalars_.insert(scalar);
  if (lanes == 1) return;
  const std::string vector = type_name(element, lanes);
  bool& known = vectors_[{vector.substr(0, vector.find('x')), lanes}];
  known = known || unaligned;
}

std::string Prelude::renamed_type(const Piece& piece, std::string_view word, DType element,
                                  int lanes) {
  const DType written = written_for(piece);
  if (word == "m32") return "int";
  const auto vector = parse_vector(word);
  if (!vector) {
    const bool scalar = word == type_name(written, 1);
    const DType used = scalar ? element : parse_dtype(word).value_or(DType::F32);
    if (!scalar && !parse_dtype(word)) return std::string(word);
    need_type(used, 1);
    return type_name(used, 1);
  }
  const int from = piece.lanes == 0 ? generic_lanes : piece.lanes;
  const int to = piece.lanes != 0 ? vector->lanes : vector->lanes * lanes / from;
  DType used = vector->element == "m32" ? DType::I32 : *parse_dtype(vector->element);
  if (vector->element != "m32" && used == written) used = element;
  need_type(used, to, vector->unaligned);
  return type_name(used, to) + (vector->unaligned && to > 1 ? "_u" : "");
}

std::string Prelude::renamed(const Piece& piece, std::string_view word, DType element, int lanes) {
  const auto among = [&](const std::vector<std::string>& list) {
    return std::ranges::find(list, word) != list.end();
  };
  if (word == piece.name && !among(piece.half) && !among(piece.scalar)) {
    return name_at(piece, lanes);
  }
  if (piece.lanes == 0 && word == "8") return std::to_string(lanes);
  if (word == "splat" && lanes == 1) return type_name(element, 1);
  if (among(piece.half)) return lanes > 1 ? need(word, element, lanes / 2) : std::string(word);
  if (among(piece.scalar)) return lanes > 1 ? need(word, element, 1) : std::string(word);
  if (find(word, element, lanes) != nullptr) return need(word, element, lanes);
  return renamed_type(piece, word, element, lanes);
}

std::string Prelude::instance(const Piece& piece, DType element, int lanes) {
  std::string result;
  std::size_t at = 0;
  bool heading = true;  // its own name up to the first parenthesis is the one being defined
  while (at < piece.text.size()) {
    std::size_t end = at;
    while (end < piece.text.size() && is_word(piece.text[end])) ++end;
    if (end == at) {
      const bool comment = piece.text.compare(at, 2, "//") == 0;
      end = comment ? std::min(piece.text.find('\n', at), piece.text.size()) : at + 1;
      if (piece.text[at] == '(') heading = false;
      result += piece.text.substr(at, end - at);
    } else {
      const std::string_view word = std::string_view(piece.text).substr(at, end - at);
      const bool own = heading && word == piece.name;
      if (own) {
        result += name_at(piece, lanes);
      } else if (is_fraction(piece.text, at, end)) {
        result += word;  // also h.low: no member is called like a piece
      } else {
        result += renamed(piece, word, element, lanes);
      }
    }
    at = end;
  }
  return result;
}

void Prelude::print(CodeWriter& out) const {
  for (const Alias& alias : aliases) {
    if (!scalars_.contains(std::string(alias.name))) continue;
    out.line("using " + std::string(alias.name) + " = " + std::string(alias.meaning) + ";");
  }
  for (const auto& [key, unaligned] : vectors_) {
    const DType element = *parse_dtype(key.first);
    const std::string scalar = type_name(element, 1);
    const std::string type = type_name(element, key.second);
    const std::string bytes = std::to_string(size_bytes(element) * key.second);
    const std::string head = "typedef " + scalar + " " + type;
    out.line(head + " __attribute__((vector_size(" + bytes + ")));");
    if (!unaligned) continue;
    // A typedef: clang drops `aligned` from a `using`.
    const std::string align = std::to_string(size_bytes(element));
    out.line(head + "_u __attribute__((vector_size(" + bytes + "), aligned(" + align +
             "), may_alias));");
  }
  bool long_before = true;
  for (const std::string& text : texts_) {
    const bool is_long = text.contains('\n');
    if (is_long || long_before) out.line("");
    out.raw(text + "\n");
    long_before = is_long;
  }
}

std::vector<std::string> Prelude::names() {
  std::vector<std::string> result;
  for (const Piece& piece : pieces()) result.push_back(piece.name);
  for (const Alias& alias : aliases) result.emplace_back(alias.name);
  return result;
}

}  // namespace parhelion::emit::cpu
