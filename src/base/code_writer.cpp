// SPDX-License-Identifier: Apache-2.0
#include "base/code_writer.h"

#include <algorithm>

namespace parhelion {

const LineTable::Entry* LineTable::find(int line) const {
  const auto it = std::ranges::upper_bound(entries, line, {}, &Entry::line);
  return it == entries.begin() ? nullptr : &*(it - 1);
}

void CodeWriter::line(std::string_view text) {
  if (!text.empty()) text_.append(static_cast<std::size_t>(indent_width_ * depth_), ' ');
  text_ += text;
  text_ += '\n';
  line_ += 1 + static_cast<int>(std::ranges::count(text, '\n'));
}

void CodeWriter::raw(std::string_view text) {
  text_ += text;
  line_ += static_cast<int>(std::ranges::count(text, '\n'));
}

void CodeWriter::open(std::string_view head) {
  line(std::string(head) + " {");
  indent();
}

void CodeWriter::close(std::string_view tail) {
  outdent();
  line(tail);
}

void CodeWriter::mark(std::string_view file, int line, int column) {
  if (!table_.entries.empty() && table_.entries.back().line == line_) {
    table_.entries.back() = {line_, std::string(file), line, column};
    return;
  }
  table_.entries.push_back({line_, std::string(file), line, column});
}

}  // namespace parhelion
