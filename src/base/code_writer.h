// SPDX-License-Identifier: Apache-2.0
// Writes source text line by line with scoped indentation, and remembers which op made each line.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion {

/// Line of an emitted text -> position in the user's source. Lies beside the text, never in it.
struct LineTable {
  struct Entry {
    int line = 0;  // of the emitted text, from 1
    std::string file;
    int user_line = 0, user_column = 0;
    bool operator==(const Entry&) const = default;
  };
  std::vector<Entry> entries;  // sorted by line
  /// The entry of `line`, or of the nearest line before it; nullptr if none.
  [[nodiscard]] const Entry* find(int line) const;
  bool operator==(const LineTable&) const = default;
};

class CodeWriter {
 public:
  explicit CodeWriter(int indent_width = 2) : indent_width_(indent_width) {}
  void line(std::string_view text);  // indented; empty text gives an empty line
  void raw(std::string_view text);   // as it is, may hold many lines
  void open(std::string_view head);  // "head {" and indents
  void close(std::string_view tail = "}");
  void indent() { ++depth_; }
  void outdent() { --depth_; }
  /// The next line that is written comes from this place.
  void mark(std::string_view file, int line, int column);
  [[nodiscard]] int current_line() const { return line_; }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] const LineTable& lines() const { return table_; }

 private:
  std::string text_;
  LineTable table_;
  int indent_width_, depth_ = 0, line_ = 1;
};

}  // namespace parhelion
