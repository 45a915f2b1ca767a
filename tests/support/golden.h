// SPDX-License-Identifier: Apache-2.0
// Comparison with stored texts. A missing one fails; the flag --update-golden of the test program
// writes them, and the review reads the difference.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace parhelion::test {

extern bool update_golden;

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void check_golden(const std::filesystem::path& file, const std::string& text) {
  if (update_golden) {
    std::ofstream(file, std::ios::binary) << text;
    return;
  }
  REQUIRE_MESSAGE(std::filesystem::exists(file),
                  "no golden file: " << file.string() << " (run with --update-golden)");
  const std::string stored = read_text(file);
  const auto [mine, theirs] = std::ranges::mismatch(text, stored);
  const auto line = 1 + std::count(text.begin(), mine, '\n');
  const bool same = mine == text.end() && theirs == stored.end();
  CHECK_MESSAGE(same, file.string() << " differs from line " << line << " on");
}

}  // namespace parhelion::test
