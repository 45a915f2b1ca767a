// SPDX-License-Identifier: Apache-2.0
// Mutated texts: the parser answers with a function that verifies, or with a diagnostic that has a
// code and a line. Nothing else.
#include <string>
#include <vector>

#include "random_run.h"
#include "unit/ir_tile/example_texts.h"

using namespace parhelion;

namespace {

std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> tokens;
  std::string word;
  for (const char c : text) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%' ||
                        c == '@' || c == '.';
    if (letter) {
      word += c;
      continue;
    }
    if (!word.empty()) tokens.push_back(std::move(word));
    word.clear();
    tokens.emplace_back(1, c);
  }
  return tokens;
}

std::string mutated(std::vector<std::string> tokens, Rng& rng) {
  const std::uint64_t edits = 1 + rng.below(3);
  for (std::uint64_t e = 0; e < edits; ++e) {
    const std::size_t at = rng.below(tokens.size()), other = rng.below(tokens.size());
    switch (rng.below(6)) {
      case 0: tokens[at].clear(); break;
      case 1: tokens[at] = tokens[other]; break;
      case 2: std::swap(tokens[at], tokens[other]); break;
      case 3: tokens[at] += tokens[other]; break;
      case 4: tokens.resize(std::max<std::size_t>(at, 1)); break;
      default: {
        static const char* const words[] = {"(",   "[",   "{",   "-1",    "9999999999999999999",
                                            "inf", "nan", "#",   "\"",    "%",
                                            "@",   "..",  "dim", "1e400", "\x80"};
        tokens[at] = words[rng.below(std::size(words))];
      }
    }
  }
  std::string text;
  for (const std::string& t : tokens) text += t;
  return text;
}

void must_answer(const std::string& text) {
  const auto parsed = ir::parse(text, "fuzz.ph");
  if (parsed) {
    for (const ir::Function& f : *parsed) {
      CHECK(ir::verify(f).empty());
      const std::string once = ir::print(f);
      const auto again = ir::parse(once, "fuzz.ph");
      if (!again) FAIL(render_text(again.error()[0]) << "\n" << text << "\n->\n" << once);
      CHECK(ir::print(again->front()) == once);
    }
    return;
  }
  REQUIRE_FALSE(parsed.error().empty());
  CHECK(parsed.error()[0].code > 0);
  CHECK_FALSE(parsed.error()[0].message.empty());
}

}  // namespace

TEST_CASE("mutated texts never break the parser") {
  Rng rng(2026);
  std::vector<std::vector<std::string>> corpus = {tokens_of(std::string(test::softmax_text)),
                                                  tokens_of(std::string(test::matmul_text))};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    corpus.push_back(tokens_of(test::random_kernel(seed).text));
  }
  for (int round = 0; round < 8000; ++round) {
    CAPTURE(round);
    must_answer(mutated(corpus[rng.below(corpus.size())], rng));
  }
}

TEST_CASE("depth and size of a text are limited") {
  const std::string open(5000, '(');
  must_answer("parhelion 1\nkernel k(@x: f32[n]) {\n  check " + open + "n == 1\n}\n");
  std::string loops = "parhelion 1\nkernel k(@x: f32[n]) {\n  grid i in n {\n";
  for (int i = 0; i < 5000; ++i) loops += "for j" + std::to_string(i) + " in n {\n";
  must_answer(loops);
  must_answer("");
  must_answer("parhelion");
  must_answer("parhelion 1 kernel k() {}");
}
