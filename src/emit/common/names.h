// SPDX-License-Identifier: Apache-2.0
// Names of one text: unique among those in scope, never a word of the language or of a prelude.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace parhelion::emit {

class ScopedNames {
 public:
  ScopedNames();  // knows the keywords of C++
  void reserve(std::string_view name);
  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  /// `hint`, or hint_2, hint_3 ... where that is taken.
  [[nodiscard]] std::string take(std::string_view hint);
  [[nodiscard]] bool taken(const std::string& name) const;

 private:
  std::set<std::string, std::less<>> reserved_;
  std::vector<std::set<std::string, std::less<>>> scopes_{1};
};

}  // namespace parhelion::emit
