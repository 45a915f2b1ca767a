// SPDX-License-Identifier: Apache-2.0
// The CPU's prelude: pieces of C++ (prelude/*.inc) of which a text prints those in use, for the
// element and the number of lanes in use.
#pragma once

#include "base/code_writer.h"

#include <parhelion/dtype.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace parhelion::emit::cpu {

/// A piece as its file has it. `written_for` is the element that its text names.
struct Piece {
  std::string name;
  std::vector<DType> elements;            // that it serves; empty: all
  bool by_result = false;                 // its arguments do not tell the lanes
  std::vector<std::string> half, scalar;  // pieces that it uses at half the lanes, at one lane
  int lanes = 8;                          // of its text
  std::string text;
};

/// All pieces in the order of the files.
[[nodiscard]] const std::vector<Piece>& pieces();

/// f32x8, float, u16 (also for f16 and bf16, which are bits here), i32x8 (masks).
[[nodiscard]] std::string type_name(DType element, int lanes);

class Prelude {
 public:
  /// Functions that only differ in the lanes of their result get a suffix unless they have these.
  explicit Prelude(int usual_lanes) : usual_lanes_(usual_lanes) {}
  /// Adds a piece and what it needs; gives the name to call it by.
  std::string need(std::string_view name, DType element, int lanes);
  void need_type(DType element, int lanes, bool unaligned = false);
  void print(CodeWriter& out) const;
  /// Names that no local may take.
  [[nodiscard]] static std::vector<std::string> names();

 private:
  using Key = std::tuple<std::string, DType, int>;
  std::string instance(const Piece& piece, DType element, int lanes);
  std::string renamed(const Piece& piece, std::string_view word, DType element, int lanes);
  std::string renamed_type(const Piece& piece, std::string_view word, DType element, int lanes);
  [[nodiscard]] std::string name_at(const Piece& piece, int lanes) const;

  int usual_lanes_;
  std::set<Key> known_;
  std::vector<std::string> texts_;                       // dependencies first
  std::set<std::string> scalars_;                        // aliases in use
  std::map<std::pair<std::string, int>, bool> vectors_;  // element, lanes -> unaligned too
};

}  // namespace parhelion::emit::cpu
